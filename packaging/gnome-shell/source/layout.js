/* The language of the keyboard layout that is in use. */
import * as IBusManager from 'resource:///org/gnome/shell/misc/ibusManager.js';
import * as KeyboardManager from 'resource:///org/gnome/shell/misc/keyboardManager.js';
import {getInputSourceManager} from 'resource:///org/gnome/shell/ui/status/keyboard.js';

import {languageOf} from './languages.js';

/**
 * One of the tags; empty if the layout is of none of these languages.
 * @param {string[]} tags - the languages of the user.
 */
export function layoutLanguage(tags) {
    const source = getInputSourceManager().currentSource;
    if (!source)
        return '';
    if (source.type === 'xkb')
        return languageOf(KeyboardManager.getXkbInfo().get_languages_for_layout(source.id), source.id.split('+')[0], tags);
    const language = IBusManager.getIBusManager().getEngineDesc(source.id)?.get_language() ?? '';
    const [code, region = ''] = language.split(/[_-]/u);
    return languageOf([code], region, tags);
}

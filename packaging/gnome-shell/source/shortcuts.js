/* Which keys can be a shortcut. Pure. */

/** Keys that type nothing and that no application needs. */
const FREE_KEYS = /^(?:F\d+|XF86\w+|Pause|Scroll_Lock|Print|Menu|Help|Cancel)$/u;

/**
 * Whether a key can be grabbed everywhere: a bare letter could no longer be typed.
 * @param {string} name - of the key, as in <gdk/gdkkeysyms.h> without GDK_KEY_.
 * @param {boolean} hasModifier - whether Ctrl, Alt or Super is held.
 */
export function isShortcut(name, hasModifier) {
    return hasModifier || FREE_KEYS.test(name);
}

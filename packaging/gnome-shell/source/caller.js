/*
 * Who calls: the text of fields and typing are for the dictation service alone. Other programs ask it for the permission to
 * type.
 */
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';

const SERVICE = 'org.example.Dictation';
const PROGRAM = 'dictation-worker';
const CALL_TIMEOUT = 2000;

/** The process of a connection to the bus. */
function processOf(connection, name, cancellable) {
    return new Promise((resolve, reject) => {
        connection.call('org.freedesktop.DBus', '/org/freedesktop/DBus', 'org.freedesktop.DBus', 'GetConnectionUnixProcessID',
            new GLib.Variant('(s)', [name]), null, Gio.DBusCallFlags.NONE, CALL_TIMEOUT, cancellable, (source, result) => {
                try {
                    resolve(source.call_finish(result).deepUnpack()[0]);
                } catch (error) {
                    reject(error);
                }
            });
    });
}

function informationOf(path, attribute, flags, cancellable) {
    return new Promise((resolve, reject) => {
        Gio.File.new_for_path(path).query_info_async(attribute, flags, GLib.PRIORITY_DEFAULT, cancellable, (file, result) => {
            try {
                resolve(file.query_info_finish(result));
            } catch (error) {
                reject(error);
            }
        });
    });
}

/** The name of a process's program, without its folder. It may have been replaced meanwhile. */
async function programOf(process, cancellable) {
    const information = await informationOf(`/proc/${process}/exe`, Gio.FILE_ATTRIBUTE_STANDARD_SYMLINK_TARGET,
        Gio.FileQueryInfoFlags.NOFOLLOW_SYMLINKS, cancellable);
    return GLib.path_get_basename(information.get_symlink_target() ?? '').replace(/ \(deleted\)$/, '');
}

async function belongsToRoot(process, cancellable) {
    const information = await informationOf(`/proc/${process}/exe`, Gio.FILE_ATTRIBUTE_UNIX_UID, Gio.FileQueryInfoFlags.NONE,
        cancellable);
    return information.get_attribute_uint32(Gio.FILE_ATTRIBUTE_UNIX_UID) === 0;
}

function parentOf(process, cancellable) {
    return new Promise((resolve, reject) => {
        Gio.File.new_for_path(`/proc/${process}/status`).load_contents_async(cancellable, (file, result) => {
            try {
                const [, bytes] = file.load_contents_finish(result);
                resolve(Number(/^PPid:\s*(\d+)$/m.exec(new TextDecoder().decode(bytes))?.[1]));
            } catch (error) {
                reject(error);
            }
        });
    });
}

/**
 * Whether a connection is that of the user's dictation worker. Its program is installed by the administrator, or is started by
 * the service of this bus.
 */
export async function isWorker(connection, name, cancellable) {
    const process = await processOf(connection, name, cancellable);
    if (await programOf(process, cancellable) !== PROGRAM)
        return false;
    return await belongsToRoot(process, cancellable) ||
        await parentOf(process, cancellable) === await processOf(connection, SERVICE, cancellable);
}

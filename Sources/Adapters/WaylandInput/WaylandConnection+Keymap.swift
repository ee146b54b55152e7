internal import CLinux
internal import CWaylandInput
internal import EventLoop
internal import Glibc

extension WaylandConnection {
    /// Sends the keymap of the virtual keyboard, in XKB's text format.
    func sendKeymap(_ text: String) {
        var text = text
        let number = dictation_linux_memory_file("dictation keymap")
        guard number >= 0 else { return }
        let file = Descriptor(owning: number)
        // The compositor maps it, with the zero at its end.
        let size = text.withUTF8 { bytes in
            write(number, bytes.baseAddress, bytes.count) == bytes.count ? bytes.count + 1 : 0
        }
        guard size > 0, ftruncate(number, size) == 0 else { return }
        send { dictation_wayland_keymap($0, file.rawValue, UInt32(size)) }
    }
}

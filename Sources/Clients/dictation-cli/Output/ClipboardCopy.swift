import CLinux
import EventLoop
import Foundation
import Glibc
import Localization

/// Puts text into the clipboard, by the tools that stay in the background for it.
struct ClipboardCopy {
    let environment: [String: String]

    func copy(_ text: String) throws {
        let isWayland = environment["WAYLAND_DISPLAY"] != nil
        let isX11 = environment["DISPLAY"] != nil
        guard isWayland || isX11 else {
            throw ClipboardCopyError(translated("There is no desktop session with a clipboard here."))
        }
        var commands: [[String]] = []
        if isWayland { commands.append(["wl-copy", "--type", "text/plain;charset=utf-8"]) }
        if isX11 { commands.append(["xclip", "-in", "-selection", "clipboard"]) }
        for command in commands where run(command, text) { return }
        throw ClipboardCopyError(
            isWayland
                ? translated("The text could not be copied: install wl-clipboard.")
                : translated("The text could not be copied: install xclip."))
    }

    /// Not with Foundation, which waits for the copy in the background too.
    /// - Returns: whether it did its work.
    private func run(_ command: [String], _ text: String) -> Bool {
        let number = dictation_linux_memory_file("dictation clipboard")
        guard number >= 0 else { return false }
        let input = Descriptor(owning: number)
        let bytes = Array(text.utf8)
        guard pwrite(input.rawValue, bytes, bytes.count, 0) == bytes.count,
            let program = try? Subprocess(
                command, environment: environment,
                files: [
                    0: .descriptor(input.rawValue), 1: .path("/dev/null", flags: O_WRONLY),
                    2: .path("/dev/null", flags: O_WRONLY),
                ], isSessionLeader: true)
        else { return false }
        return (try? program.wait()) == 0
    }
}

struct ClipboardCopyError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

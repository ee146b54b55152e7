internal import Foundation

/// Asks Hyprland by its socket, as `hyprctl -j devices` does.
struct HyprlandLayout {
    /// `XDG_RUNTIME_DIR`.
    let folder: String
    /// `HYPRLAND_INSTANCE_SIGNATURE`.
    let instance: String

    private static let replyLimit = 1 << 20

    private struct Devices: Decodable {
        var keyboards: [Keyboard]
    }

    private struct Keyboard: Decodable {
        var main: Bool?
        var active_keymap: String?
    }

    func read(before deadline: ContinuousClock.Instant) throws(LayoutError) -> ReportedLayout {
        let connection = try LocalSocket("\(folder)/hypr/\(instance)/.socket.sock", deadline: deadline)
        try connection.write(Array("j/devices".utf8))
        return try Self.layout(in: try connection.readToEnd(atMost: Self.replyLimit))
    }

    static func layout(in reply: [UInt8]) throws(LayoutError) -> ReportedLayout {
        let keyboards: [Keyboard]
        do {
            keyboards = try JSONDecoder().decode(Devices.self, from: Data(reply)).keyboards
        } catch {
            throw .failed("Hyprland's answer is not that of its protocol")
        }
        let layouts = keyboards.filter { $0.active_keymap?.isEmpty == false }
        guard let layout = (layouts.first { $0.main == true } ?? layouts.first)?.active_keymap else {
            throw .notReported
        }
        return .described(layout)
    }
}

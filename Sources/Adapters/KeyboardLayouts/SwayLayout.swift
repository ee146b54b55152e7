internal import Foundation

/// Asks sway by its socket: sway-ipc(7).
struct SwayLayout {
    /// `SWAYSOCK`.
    let socket: String

    private static let magic = Array("i3-ipc".utf8)
    private static let getInputs: UInt32 = 100
    private static let replyLimit = 1 << 20

    /// A device of the reply.
    private struct Input: Decodable {
        var type: String
        var layout: String?
        var index: Int?

        enum CodingKeys: String, CodingKey {
            case type
            case layout = "xkb_active_layout_name"
            case index = "xkb_active_layout_index"
        }
    }

    func read(before deadline: ContinuousClock.Instant) throws(LayoutError) -> ReportedLayout {
        let connection = try LocalSocket(socket, deadline: deadline)
        try connection.write(Self.magic + Self.bytes(0) + Self.bytes(Self.getInputs))
        let header = try connection.read(Self.magic.count + 8)
        let length = header.dropFirst(Self.magic.count).prefix(4).enumerated()
            .reduce(0) { $0 | Int($1.element) << (8 * $1.offset) }
        guard header.starts(with: Self.magic), length <= Self.replyLimit else {
            throw .failed("sway's answer is not that of its protocol")
        }
        return try Self.layout(in: try connection.read(length))
    }

    /// Of several keyboards the one whose layout was switched counts: power buttons are keyboards too, and nobody switches them.
    static func layout(in reply: [UInt8]) throws(LayoutError) -> ReportedLayout {
        let inputs: [Input]
        do {
            inputs = try JSONDecoder().decode([Input].self, from: Data(reply))
        } catch {
            throw .failed("sway's answer is not that of its protocol")
        }
        let keyboards = inputs.filter { $0.type == "keyboard" && $0.layout?.isEmpty == false }
        guard let layout = (keyboards.first { ($0.index ?? 0) != 0 } ?? keyboards.first)?.layout else {
            throw .notReported
        }
        return .described(layout)
    }

    /// The protocol has the order of bytes of the machine; those that this program runs on have this one.
    private static func bytes(_ number: UInt32) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }
}

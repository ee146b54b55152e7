internal import Glibc

/// Asks an X server for the names of its layouts and for the one in use, by the X11 protocol and its extension XKB.
///
/// https://www.x.org/releases/current/doc/xproto/x11protocol.html, https://www.x.org/releases/current/doc/kbproto/xkbproto.html
struct X11Layout {
    /// `DISPLAY`.
    let display: String
    /// The file of `XAUTHORITY`.
    let authority: String?

    func read(before deadline: ContinuousClock.Instant) throws(LayoutError) -> ReportedLayout {
        guard let number = Self.number(of: display) else { throw .notReported }
        let path = "/tmp/.X11-unix/X\(number)"
        let socket: LocalSocket
        do throws(LayoutError) {
            socket = try LocalSocket(path, deadline: deadline)
        } catch {
            // A service with a folder /tmp of its own does not see the file.
            guard let found = try? LocalSocket(path, isAbstract: true, deadline: deadline) else {
                throw error
            }
            socket = found
        }
        let cookie = authority.flatMap { XAuthority.cookie(in: $0, display: number) } ?? []
        var connection = try X11Connection(socket, cookie: cookie)
        let names = try connection.rulesNames()
        let group = try connection.group()
        return try Self.layout(group, of: names)
    }

    /// The number of a screen of this machine, as in ":0.0"; nil for other machines.
    static func number(of display: String) -> String? {
        let parts = display.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].isEmpty || parts[0] == "unix" else { return nil }
        let number = parts[1].prefix { $0 != "." }
        return (1...5).contains(number.count) && number.allSatisfy { ("0"..."9").contains($0) }
            ? String(number) : nil
    }

    /// - Parameter names: rules, model, layouts, variants and options, each ended by a zero byte.
    static func layout(_ group: Int, of names: [UInt8]) throws(LayoutError) -> ReportedLayout {
        let parts = names.split(separator: 0, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        func list(_ index: Int) -> [String] {
            guard parts.indices.contains(index) else { return [] }
            return parts[index].split(separator: ",", omittingEmptySubsequences: false).map { String($0) }
        }
        let (layouts, variants) = (list(2), list(3))
        guard layouts.indices.contains(group), !layouts[group].isEmpty else { throw .notReported }
        return .named(layouts[group], variant: variants.indices.contains(group) ? variants[group] : "")
    }
}

/// The part of the X11 protocol that is needed here. All numbers are sent with their lowest byte first.
private struct X11Connection {
    private let socket: LocalSocket
    private let root: UInt32
    /// The major opcode of XKB.
    private var keyboard: UInt8 = 0

    private static let namesProperty = Array("_XKB_RULES_NAMES".utf8)
    private static let cookieName = Array("MIT-MAGIC-COOKIE-1".utf8)
    /// XkbUseCoreKbd
    private static let coreKeyboard: UInt16 = 0x100
    private static let setupLimit = 1 << 18
    private static let namesLimit: UInt32 = 4096
    /// Of events that a server sends without being asked.
    private static let eventLimit = 64
    /// The size of replies, errors and events, without their further data.
    private static let packet = 32

    init(_ socket: LocalSocket, cookie: [UInt8]) throws(LayoutError) {
        self.socket = socket
        let name = cookie.isEmpty ? [] : Self.cookieName
        try socket.write(
            [UInt8(ascii: "l"), 0] + Self.bytes(UInt16(11)) + Self.bytes(UInt16(0))
                + Self.bytes(UInt16(name.count)) + Self.bytes(UInt16(cookie.count)) + [0, 0]
                + Self.padded(name) + Self.padded(cookie))
        let header = try socket.read(8)
        let count = Int(Self.uint16(header, 6)) * 4
        guard count <= Self.setupLimit else { throw Self.wrong }
        let setup = try socket.read(count)
        guard header[0] == 1 else { throw .failed("the X server refuses the connection") }
        guard setup.count >= Self.packet else { throw Self.wrong }
        let vendor = (Int(Self.uint16(setup, 16)) + 3) & ~3
        let screen = Self.packet + vendor + 8 * Int(setup[21])
        guard setup[20] > 0, setup.count >= screen + 4 else { throw Self.wrong }
        root = Self.uint32(setup, screen)
    }

    private static let wrong = LayoutError.failed("the X server's answer is not that of its protocol")

    /// The property of the root window that has the names of the layouts.
    func rulesNames() throws(LayoutError) -> [UInt8] {
        let name = Self.namesProperty
        // InternAtom, only if it exists.
        let atom = try request(
            16, 1, Self.bytes(UInt16(name.count)) + [0, 0] + Self.padded(name))
        // GetProperty, of any type.
        let reply = try request(
            20, 0,
            Self.bytes(root) + Array(atom[8..<12]) + Self.bytes(UInt32(0)) + Self.bytes(UInt32(0))
                + Self.bytes(Self.namesLimit / 4))
        guard reply[1] == 8 else { throw .notReported }
        return Array(reply.dropFirst(Self.packet).prefix(Int(Self.uint32(reply, 16))))
    }

    /// The number of the layout in use.
    mutating func group() throws(LayoutError) -> Int {
        let name = Array("XKEYBOARD".utf8)
        // QueryExtension
        let found = try request(98, 0, Self.bytes(UInt16(name.count)) + [0, 0] + Self.padded(name))
        guard found[8] == 1 else { throw .notReported }
        keyboard = found[9]
        // UseExtension, version 1.0
        let version = try request(keyboard, 0, Self.bytes(UInt16(1)) + Self.bytes(UInt16(0)))
        guard version[1] == 1 else { throw .notReported }
        // GetState
        let state = try request(keyboard, 4, Self.bytes(Self.coreKeyboard) + [0, 0])
        return Int(state[12])
    }

    /// The reply of a request, with at least ``packet`` bytes.
    private func request(_ opcode: UInt8, _ detail: UInt8, _ body: [UInt8]) throws(LayoutError) -> [UInt8] {
        try socket.write([opcode, detail] + Self.bytes(UInt16(1 + body.count / 4)) + body)
        for _ in 0..<Self.eventLimit {
            let packet = try socket.read(Self.packet)
            // 0 is an error, 1 a reply; 35 an event with further data.
            let hasMore = packet[0] == 1 || packet[0] & 0x7F == 35
            let count = hasMore ? Int(Self.uint32(packet, 4)) * 4 : 0
            guard packet[0] != 0, count <= Self.setupLimit else { throw Self.wrong }
            let more = try socket.read(count)
            if packet[0] == 1 { return packet + more }
        }
        throw Self.wrong
    }

    private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }

    private static func padded(_ bytes: [UInt8]) -> [UInt8] {
        bytes + [UInt8](repeating: 0, count: -bytes.count & 3)
    }

    private static func uint16(_ bytes: [UInt8], _ index: Int) -> UInt16 {
        UInt16(bytes[index]) | UInt16(bytes[index + 1]) << 8
    }

    private static func uint32(_ bytes: [UInt8], _ index: Int) -> UInt32 {
        UInt32(uint16(bytes, index)) | UInt32(uint16(bytes, index + 2)) << 16
    }
}

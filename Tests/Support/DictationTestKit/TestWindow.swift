import Foundation

/// A window with text fields in another process, one of the programs `window.py`, and the events of its fields.
public final class TestWindow: Sendable {
    public let process: ChildProcess
    public let title: String

    public init(process: ChildProcess, title: String) {
        self.process = process
        self.title = title
    }

    /// An event.
    public struct Line: Decodable {
        public var field: Int?
        public var text: String?
        public var preedit: String?
        /// The window got or lost the focus.
        public var active: Bool?
        /// The number of the field that got the focus.
        public var focus: Int?
        /// A key that the window got.
        public var key: String?
        /// A command that was carried out.
        public var done: String?
        /// Microseconds since 1970.
        public var t: Int
    }

    public var lines: [Line] {
        let decoder = JSONDecoder()
        return process.lines(of: .output).compactMap {
            try? decoder.decode(Line.self, from: Data($0.utf8))
        }
    }

    /// The text of a field.
    public func text(of field: Int = 0) -> String {
        lines.last { $0.field == field && $0.text != nil }?.text ?? ""
    }

    /// The live text in a field.
    public func preedit(of field: Int = 0) -> String {
        lines.last { $0.field == field && $0.preedit != nil }?.preedit ?? ""
    }

    /// Every text and live text of a field so far.
    public func everything(in field: Int = 0) -> [String] {
        lines.filter { $0.field == field }.compactMap { $0.text ?? $0.preedit }
    }

    /// ``everything(in:)`` without empty texts.
    public func texts(in field: Int = 0) -> [String] {
        everything(in: field).filter { !$0.isEmpty }
    }

    /// Waits until a field has this text.
    public func text(_ wanted: String, of field: Int = 0) async throws {
        try await wait("the text \(wanted)") { _ in text(of: field) == wanted }
    }

    /// Waits until a field has this live text.
    public func preedit(_ wanted: String, of field: Int = 0) async throws {
        try await wait("the live text \(wanted)") { _ in preedit(of: field) == wanted }
    }

    public func wait(_ what: String, _ condition: ([Line]) async throws -> Bool) async throws {
        do {
            try await eventually(what) { try await condition(lines) }
        } catch {
            throw TestFailure(
                "\(error); \(title) wrote: \(process.text(of: .output).suffix(2000))\(process.text(of: .errors))"
            )
        }
    }

    /// Makes the window do something, and waits until it is done.
    public func command(_ command: String) async throws {
        let before = lines.count { $0.done == command }
        try process.write(command + "\n")
        try await wait(command) { lines in lines.count { $0.done == command } > before }
    }

    public func close() async throws {
        process.terminate()
        _ = try await process.exitStatus()
    }
}

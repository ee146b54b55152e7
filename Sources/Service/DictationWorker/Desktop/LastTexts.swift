import CLinux
import DBus
import Desktop
import DictationInterface
import EventLoop
import Glibc
import Localization
import Logging

/// A text of the history in a menu of the tray.
struct LastText: Equatable {
    var id: UInt64
    var text: String

    init(id: UInt64, text: String) {
        self.id = id
        self.text = text
    }

    /// As List of the history describes it; nil if something is missing.
    init?(_ details: [BusText: Value]) {
        let details = HistoryDetails(details)
        guard let id = details.id, let text = details.text else { return nil }
        self.init(id: id, text: text)
    }

    /// Maximum number of texts in a menu.
    static let limit = 5
    /// In characters.
    private static let labelLimit = 40
    private static let title: Int32 = 99
    private static let first: Int32 = 100

    /// A title, and an entry for each text.
    static func entries(_ texts: [LastText]) -> [StatusItemContent.Entry] {
        guard !texts.isEmpty else { return [] }
        return [.init(id: title, label: translated("Copy a text:"), isEnabled: false)]
            + texts.enumerated().map { index, text in
                .init(id: first + Int32(index), label: text.label, isEnabled: true)
            }
    }

    /// The text of an entry with this id.
    static func chosen(_ entry: Int32, of texts: [LastText]) -> LastText? {
        let index = Int(entry) - Int(first)
        return texts.indices.contains(index) ? texts[index] : nil
    }

    /// On one line.
    private var label: String {
        let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return words.count > Self.labelLimit ? words.prefix(Self.labelLimit) + "…" : words
    }
}

/// Copies texts by a program that stays with the clipboard until another program has it. The worker may not start programs, and
/// a selection needs one with access to the display, which the user's service manager has.
///
/// The program gets the text in a file in memory: it needs no permission for the history, and no list of processes shows the
/// text.
@EventLoopActor
final class TextCopier {
    private let session: Connection
    private let notifier: DesktopNotifier
    private let logger: Logger
    private var count = 0

    /// - Parameter session: the connection to the bus of the desktop session.
    init(_ session: Connection, logger: Logger) {
        self.session = session
        self.logger = logger
        notifier = DesktopNotifier(session, logger: logger)
    }

    /// A failure is shown on the desktop.
    func copy(_ text: @EventLoopActor () async throws -> String) async {
        do {
            try await start(with: text())
        } catch {
            logger.notice("the tray's menu: \(error)")
            notifier.show(translated("The text could not be copied."))
        }
    }

    private func start(with text: String) async throws {
        count += 1
        let command = Self.commandLine
        let properties: [(BusText, Value)] = [
            ("CollectMode", .string("inactive-or-failed")), ("Type", .string("forking")),
            ("StandardInputFileDescriptor", .descriptor(try Self.file(with: text))),
            (
                "ExecStart",
                .array(
                    [
                        .structure([
                            .string(BusText(command)),
                            Value([command, "history", "copy", "--standard-input"].map { BusText($0) }),
                            .bool(false),
                        ])
                    ], of: "(sasb)")
            ),
        ]
        _ = try await session.call(
            destination: "org.freedesktop.systemd1", path: "/org/freedesktop/systemd1",
            interface: "org.freedesktop.systemd1.Manager", member: "StartTransientUnit",
            [
                .string(BusText("dictation-copy-\(getpid())-\(count).service")), .string("fail"),
                .array(properties.map { .structure([.string($0), .variant($1)]) }, of: "(sv)"),
                .array([], of: "(sa(sv))"),
            ], timeout: .seconds(10))
    }

    private static func file(with text: String) throws(EventLoopError) -> Descriptor {
        let number = dictation_linux_memory_file("text")
        guard number >= 0 else { throw EventLoopError(call: "memfd_create", code: errno) }
        let file = Descriptor(owning: number)
        let bytes = Array(text.utf8)
        guard pwrite(number, bytes, bytes.count, 0) == bytes.count else {
            throw EventLoopError(call: "pwrite", code: errno)
        }
        return file
    }

    /// `dictation-cli`, in the folder of this program, where a build has it; else in `PATH`.
    private static var commandLine: String {
        let own = try? Subprocess.ownProgram()
        let sibling = own.map {
            $0.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/dictation-cli"
        }
        return sibling.flatMap { access($0, X_OK) == 0 ? $0 : nil } ?? "dictation-cli"
    }
}

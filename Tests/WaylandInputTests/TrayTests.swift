import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import EventLoop
import Glibc
import Testing

/// The worker's item in the tray of waybar, which watches for items and shows them, in a headless sway. The service of the machine
/// is the real one.
@Suite(.serialized, .timeLimit(.minutes(2))) struct TrayTests {
    /// A desktop with a tray.
    private final class Desktop: Sendable {
        let rig: SystemRig
        let user: DesktopUser
        let desk: SwayDesk
        let bus: PrivateBus
        private let files: TemporaryDirectory

        init() async throws {
            rig = try await SystemRig(tones)
            user = try await DesktopUser(5, on: rig)
            desk = try await SwayDesk()
            bus = try await PrivateBus(.system)
            chmod(bus.directory.path, 0o711)
            files = try TemporaryDirectory()
            try await user.endKeeper()
            try user.startKeeper(sessionBus: bus.address)
        }

        /// The user's service manager, which starts programs.
        func startManager(_ started: @escaping @Sendable (StartedProgram) -> Void) async throws -> Connection
        {
            let manager = try await Connection(to: .custom(bus.address))
            await manager.export(
                "/org/freedesktop/systemd1", interfaces: [Manager.description], handler: Manager(started))
            _ = try await manager.requestName("org.freedesktop.systemd1")
            return manager
        }

        /// A lingering session has committed "t500 t600", and listens.
        func dictate() async throws {
            _ = try await user.busctl("Start", ["a{sv}", "1", "linger", "b", "true"])
            try await user.state("listening")
            try await user.say(Speech.tones(500, 600) + Speech.silence(0.5))
            _ = try await user.busctl("Commit")
        }

        func startTray() throws -> ChildProcess {
            let bar = #"{"layer": "top", "height": 30, "modules-right": ["tray"], "tray": {"icon-size": 20}}"#
            let style = try files.write("* { all: unset; } window { background: #000; }", to: "style.css")
            return try ChildProcess(
                ["waybar", "--config", try files.write(bar, to: "bar.json"), "--style", style],
                environment: desk.environment.merging(bus.environment) { $1 })
        }

        func busctl(_ words: String...) async throws -> String {
            let run = try await ChildProcess.run(["busctl", "--address=\(bus.address)"] + words)
            guard run.status == .exited(0) else { throw TestFailure(run.errors) }
            return run.output
        }

        /// The items of the tray.
        func items() async throws -> String {
            (try? await busctl(
                "get-property", "org.kde.StatusNotifierWatcher", "/StatusNotifierWatcher",
                "org.kde.StatusNotifierWatcher", "RegisteredStatusNotifierItems")) ?? ""
        }

        /// The bus name of the item.
        func item() async throws -> String {
            var name = ""
            try await eventually("the item is in the tray") {
                name =
                    try await items().firstMatch(of: /(org\.kde\.StatusNotifierItem-\d+-\d+)/).map {
                        String($0.output.1)
                    } ?? ""
                return !name.isEmpty
            }
            return name
        }

        func menu(_ item: String) async throws -> String {
            try await busctl(
                "call", item, "/MenuBar", "com.canonical.dbusmenu", "GetLayout", "iias", "--", "0", "-1", "0")
        }

        /// Chooses an entry, as the tray does.
        func click(_ id: Int, _ item: String) async throws {
            _ = try await busctl(
                "call", item, "/MenuBar", "com.canonical.dbusmenu", "Event", "isvu", "\(id)", "clicked", "i",
                "0",
                "0")
        }
    }

    @Test func theItemIsThereWhileThereIsASession() async throws {
        let desktop = try await Desktop()
        let without = try await desktop.desk.takeScreenshot()
        let tray = try desktop.startTray()
        try await eventually("the tray is there; \(tray.text(of: .errors))") {
            try await desktop.items() != ""
        }
        let empty = try await desktop.desk.takeScreenshot(unlike: without)
        #expect(try await !desktop.items().contains("StatusNotifierItem-"))

        _ = try await desktop.user.busctl("Start", ["a{sv}", "1", "linger", "b", "true"])
        try await desktop.user.state("listening")
        let item = try await desktop.item()
        let withItem = try await desktop.desk.takeScreenshot("tray", unlike: empty)
        try await eventually("its menu") {
            let menu = try await desktop.menu(item)
            return menu.contains("Dictation listens") && menu.contains("Pause")
        }
        try await desktop.click(2, item)
        try await desktop.user.state("paused")
        try await eventually("its menu") { try await desktop.menu(item).contains("Resume") }
        try await desktop.desk.takeScreenshot("tray-paused", unlike: withItem)
        try await desktop.click(3, item)
        try await desktop.user.state("listening")
        try await desktop.click(4, item)
        try await desktop.user.state("idle")
        try await eventually("the item is gone") { try await !desktop.items().contains(item) }
        try await desktop.desk.takeScreenshot(unlike: withItem)
        tray.terminate()
        _ = try await tray.exitStatus()
        try await desktop.rig.end()
    }

    /// The user's service manager starts the program that has the clipboard. Here it is one of the test's.
    @Test func aLastTextIsCopiedToTheClipboard() async throws {
        let desktop = try await Desktop()
        try desktop.user.configure("history: 1 day\n")
        let tray = try desktop.startTray()
        let programs = Lock<[StartedProgram]>([])
        let manager = try await desktop.startManager { program in programs.withLock { $0.append(program) } }
        try await desktop.dictate()
        let item = try await desktop.item()
        try await eventually("the text is in the menu") { try await desktop.menu(item).contains("t500 t600") }
        try await desktop.click(100, item)
        try await eventually("a program is started") { !programs.withLock { $0 }.isEmpty }
        let program = try #require(programs.withLock { $0 }.first)
        // It gets the text itself: it has no permission for the history.
        #expect(program.command == [executable("dictation-cli"), "history", "copy", "--standard-input"])
        #expect(program.input == "t500 t600")
        // Numbers that no entry has are ignored.
        for number in [0, 99, 105, 2_147_483_647] { try await desktop.click(number, item) }
        _ = try await desktop.user.busctl("Stop")
        await manager.close()
        tray.terminate()
        _ = try await tray.exitStatus()
        try await desktop.rig.end()
    }

    /// Between dictations the process that stays with the session has an item, with the texts that are kept by then.
    @Test func theLastTextsAreThereWithoutASession() async throws {
        let desktop = try await Desktop()
        try desktop.user.configure("history: 1 day\n")
        let tray = try desktop.startTray()
        let programs = Lock<[StartedProgram]>([])
        let manager = try await desktop.startManager { program in programs.withLock { $0.append(program) } }
        try await desktop.dictate()
        let during = try await desktop.item()
        #expect(try await desktop.menu(during).contains("Pause"))
        _ = try await desktop.user.busctl("Stop")
        try await eventually("another item has the text") {
            let items = try await desktop.items()
            guard !items.contains(during), items.contains("StatusNotifierItem-") else { return false }
            let menu = try await desktop.menu(desktop.item())
            return menu.contains("t500 t600") && !menu.contains("Pause")
        }
        let between = try await desktop.item()
        try await desktop.click(100, between)
        try await eventually("a program is started") { !programs.withLock { $0 }.isEmpty }
        #expect(programs.withLock { $0 }.first?.input == "t500 t600")
        // An erased text is gone when the menu opens.
        let clear = try await desktop.user.busctl("Clear", of: DictationHistoryInterface.name)
        #expect(clear.contains("1"))
        // The item can leave before it answers.
        _ = try? await desktop.busctl(
            "call", between, "/MenuBar", "com.canonical.dbusmenu", "AboutToShow", "i", "0")
        try await eventually("the item is gone") {
            try await !desktop.items().contains("StatusNotifierItem-")
        }
        await manager.close()
        tray.terminate()
        _ = try await tray.exitStatus()
        try await desktop.rig.end()
    }

    /// A tray that starts later or again, and a worker and a service that start again.
    @Test func theItemFollowsWhatIsThere() async throws {
        let desktop = try await Desktop()
        _ = try await desktop.user.busctl("Start", ["a{sv}", "1", "linger", "b", "true"])
        try await desktop.user.state("listening")
        for _ in 0..<2 {
            let tray = try desktop.startTray()
            _ = try await desktop.item()
            tray.kill()
            _ = try await tray.exitStatus()
        }
        let tray = try desktop.startTray()
        let first = try await desktop.item()
        try await desktop.user.say(Speech.tones(500) + Speech.silence(1.5))
        try await eventually("it is understood") {
            try await desktop.user.busctl("GetSession").contains("t500")
        }
        try await desktop.user.killWorker()
        // A lingering session without an owner returns with the next call.
        try await desktop.user.state("paused")
        try await eventually("the next worker has another item") {
            let items = try await desktop.items()
            return items.contains("StatusNotifierItem-") && !items.contains(first)
        }
        try await desktop.rig.restartDaemon()
        try await eventually("the item is gone with the session") {
            try await !desktop.items().contains("StatusNotifierItem-")
        }
        tray.terminate()
        _ = try await tray.exitStatus()
        try await desktop.rig.end()
    }
}

/// A program that a service manager is asked to start.
private struct StartedProgram: Sendable {
    var command: [String] = []
    /// All of its standard input.
    var input = ""

    init(_ properties: [Value]) {
        for case .structure(let property) in properties {
            guard property.count == 2, case .variant(let value) = property[1] else { continue }
            switch (property[0], value) {
            case (.string("ExecStart"), .array(let commands, _)):
                guard case .structure(let command)? = commands.first else { continue }
                self.command = [BusText](command[1])?.map(\.string) ?? []
            case (.string("StandardInputFileDescriptor"), .descriptor(let file)):
                var bytes = [UInt8](repeating: 0, count: 4096)
                let count = read(file.rawValue, &bytes, bytes.count)
                input = String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
            default: break
            }
        }
    }
}

/// The interface of a user's service manager that starts a program.
private final class Manager: ObjectHandler {
    static let description = InterfaceDescription(
        "org.freedesktop.systemd1.Manager",
        methods: [
            .init(
                "StartTransientUnit",
                in: ["name": "s", "mode": "s", "properties": "a(sv)", "aux": "a(sa(sv))"],
                out: ["job": "o"], limits: MessageLimits(descriptors: 1))
        ])

    private let start: @Sendable (StartedProgram) -> Void

    init(_ start: @escaping @Sendable (StartedProgram) -> Void) { self.start = start }

    @EventLoopActor
    func handle(_ call: MethodCall) {
        guard let body = try? call.body(), body.count == 4, case .array(let properties, _) = body[2] else {
            return call.fail(.invalidArgs("A unit has properties."))
        }
        start(StartedProgram(properties))
        call.reply([.objectPath("/org/freedesktop/systemd1/job/1")])
    }
}

import DictationInterface
import DictationRig
import DictationTestKit
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
        let tray = try desktop.startTray()
        try await eventually("the tray is there; \(tray.text(of: .errors))") {
            try await desktop.items() != ""
        }
        let empty = try await desktop.desk.takeScreenshot()
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

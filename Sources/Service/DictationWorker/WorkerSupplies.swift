import ClientIdentity
import Desktop
import DictationBus
import DictationConfiguration
import DictationCore
import EventLoop
import JournalFiles
import Recognition

/// What a worker gets from its process: the user's settings, engines, desktop session and files.
struct WorkerSupplies {
    /// The configuration that counts for the user now.
    let configuration: @EventLoopActor () -> Configuration
    /// The configuration files have changed. Some settings wait for the next start of the worker.
    let reconfigure: @EventLoopActor (Configuration) -> Void
    let engines: EngineCatalog
    let formattingPlanner: FormattingPlanner
    /// Runs the user's program that gets final texts; nil where this process is not the user's own.
    var textFilter: TextFilter?
    let desktop: any DesktopSession
    /// Shows the state of dictation; nil where there is no session bus.
    let indicator: DictationIndicator?
    /// Shows notifications; nil where there is no session bus.
    let notifier: DesktopNotifier?
    /// Of this process.
    let environment: [String: String]
    /// Identifies clients for a broker that may not; nil where the broker does it itself.
    let resolver: IdentityResolver?
    /// The microphones that the user has chosen before.
    let routes: RouteChoices
    /// Returns why they could not be stored; nil if they are on the disk.
    let storeRoutes: @Sendable (RouteChoices) async -> Refusal?
    let history: HistoryKeeper
    let journals: Journals
    /// What the last worker left of this user's sessions.
    let left: [LeftJournal]
}

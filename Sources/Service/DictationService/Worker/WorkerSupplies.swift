import Desktop
import DictationConfiguration
import DictationCore
import EventLoop
import JournalFiles
import Recognition
import RecordingFiles

/// What a worker gets from its process: the user's settings, engines, desktop session and files, wherever they are.
struct WorkerSupplies {
    /// The configuration that counts for the user now.
    let configuration: @EventLoopActor () -> Configuration
    /// The configuration files have changed. Some settings wait for the next start of the worker.
    let reconfigure: @EventLoopActor (Configuration) -> Void
    /// The engines, without the ones that the user's agents lend.
    let engines: EngineCatalog
    /// The engines that the user's agents lend.
    let lentEngines: @EventLoopActor () -> [FinalEngine]
    /// Names of engines in order of preference, for calls that name none.
    let preferredEngines: @EventLoopActor () -> [String]
    /// Names of lent engines that write punctuation themselves.
    let punctuatingEngines: @EventLoopActor () -> Set<String>
    let formattingPlanner: FormattingPlanner
    /// Runs the user's program that gets final texts; nil where this process is not the user's own.
    var textFilter: TextFilter?
    let desktop: any DesktopSession
    /// The microphones that the user has chosen before.
    let routes: RouteChoices
    /// Returns why they could not be stored; nil if they are on the disk.
    let storeRoutes: @Sendable (RouteChoices) async -> Refusal?
    let journals: Journals
    /// What the last service left of this user's sessions.
    let left: [LeftJournal]
    /// Makes the files in folders for recordings; nil if this process does.
    let recordingLender: (any RecordingLender)?
    /// Whether recordings in folders can be made now.
    let canRecordInFolders: @EventLoopActor () -> Bool
}

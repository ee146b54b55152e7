import DBus
import DictationConfiguration
import DictationCore
import DictationInterface

/// A registration.
struct RegisteredAgent: Sendable {
    enum Capability: String, CaseIterable, Sendable {
        case prompt, microphone, identify, playback, lock, engine, words, settings, recordings
    }

    /// The number of the registration.
    let number: UInt64
    let client: Client
    let name: BusName
    let proxy: DictationAgentProxy
    let capabilities: Set<Capability>
    /// Whether it is asked only if the desktop's own dialog fails.
    let isFallback: Bool
    /// Whether it is asked only about its own application.
    let isForItself: Bool
    let questions = AgentQuestions()
    /// The state of its session's screen savers.
    var screenSavers: [ScreenSaver: Bool] = [:]
    /// The engines in its user's configuration.
    var offer = EngineOffer()
    /// The user's own words; each is optional.
    var words: [TranscriptionRequest.VocabularyEntry] = []
    /// Other settings of its user's configuration; nil until they are sent.
    var settings: UserSettings?

    /// Timeout of calls that do not wait for the user.
    static let timeout = Duration.seconds(5)

    var path: ObjectPath { proxy.path }

    var uid: UInt32 { client.identity.uid }

    /// Whether it lends the desktop's microphone. Its prompts are then the desktop's own dialog.
    var standsForDesktop: Bool { capabilities.contains(.microphone) }

    func isSameRegistration(as other: RegisteredAgent?) -> Bool {
        number == other?.number
    }
}

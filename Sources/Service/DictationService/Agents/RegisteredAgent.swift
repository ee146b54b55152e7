import DBus
import DictationCore
import DictationInterface

/// One registration.
struct RegisteredAgent: Sendable {
    enum Capability: String, CaseIterable, Sendable {
        case prompt, microphone, identify, playback, lock, engine, words
    }

    /// Of the registration, unique while the service runs.
    let number: UInt64
    let client: Client
    let name: BusName
    let proxy: DictationAgentProxy
    let capabilities: Set<Capability>
    /// It is asked only when the desktop's own dialog cannot.
    let isFallback: Bool
    /// It is asked only about its own application.
    let isForItself: Bool
    let questions = AgentQuestions()
    /// What the screen savers of its session say.
    var screenSavers: [ScreenSaver: Bool] = [:]
    /// The engines in its user's configuration.
    var offer = EngineOffer()
    /// The user's own words; each is optional.
    var words: [TranscriptionRequest.VocabularyEntry] = []

    /// How long an agent may take for what needs no user.
    static let timeout = Duration.seconds(5)

    var path: ObjectPath { proxy.path }

    var uid: UInt32 { client.identity.uid }

    /// It lends what the desktop has, and its questions are the desktop's own.
    var standsForDesktop: Bool { capabilities.contains(.microphone) }

    func isSameRegistration(as other: RegisteredAgent?) -> Bool {
        number == other?.number
    }
}

import DictationConfiguration
import EventLoop

/// The configuration that counts for each user. The service of the machine cannot read users' files, so their agents send
/// it their settings.
@EventLoopActor
final class UserConfigurations {
    /// Of the files that this service reads.
    private(set) var common: Configuration
    private let agents: AgentRegistry

    init(_ common: Configuration, agents: AgentRegistry) {
        self.common = common
        self.agents = agents
    }

    /// What the user's agent has sent; nil if it has not yet, or if there is none.
    func sentSettings(of uid: UInt32) -> UserSettings? { agents.latest(.settings, ofUser: uid)?.settings }

    /// The administrator's settings take precedence over the user's.
    func configuration(of uid: UInt32, _ settings: UserSettings) -> Configuration {
        var configuration = common
        settings.apply(to: &configuration)
        if let agent = agents.latest(.words, ofUser: uid), !common.administered.contains("words") {
            configuration.words = agent.words
        }
        return configuration
    }

    /// The files have changed.
    func update(_ configuration: Configuration) { common.takeChanges(from: configuration) }
}

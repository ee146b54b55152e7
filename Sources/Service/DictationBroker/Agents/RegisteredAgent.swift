import DBus
import DictationBus
import DictationCore
import DictationInterface

/// A registration.
struct RegisteredAgent: Sendable {
    /// The number of the registration.
    let number: UInt64
    let client: Client
    let name: BusName
    let proxy: DictationAgentProxy
    /// Whether it is asked only if the desktop's own dialog fails.
    let isFallback: Bool
    /// Whether it is asked only about its own application.
    let isForItself: Bool
    let questions = AgentQuestions()

    var path: ObjectPath { proxy.path }

    var uid: UInt32 { client.identity.uid }
}

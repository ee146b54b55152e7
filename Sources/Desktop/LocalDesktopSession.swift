public import EventLoop

/// The desktop session that this process itself belongs to.
public struct LocalDesktopSession: DesktopSession {
    private let environment: [String: String]

    public init(environment: [String: String]) {
        self.environment = environment
    }

    public func openPipeWireRemote() throws -> Descriptor {
        try LocalPipeWire.connect(environment: environment)
    }
}

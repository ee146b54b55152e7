/// Why a test failed: the expected condition and the actual state.
public struct TestFailure: Error, CustomStringConvertible {
    public let description: String

    public init(_ description: String) {
        self.description = description
    }
}

/// The timeout of all waits in tests, long enough for a busy machine. Reaching it is always a failure.
public let timeout: Duration = .seconds(30)

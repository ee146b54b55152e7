/// Why a test cannot go on: what was waited for, and what there was instead.
public struct TestFailure: Error, CustomStringConvertible {
    public let description: String

    public init(_ description: String) {
        self.description = description
    }
}

/// How long anything a test waits for may take on a machine that is busy with other things.
/// Reaching it is always a failure; no test passes by it.
public let timeout: Duration = .seconds(30)

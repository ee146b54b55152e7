/// Polls until `condition` holds; throws after `timeout`.
///
/// For conditions without an event, such as another process's file or a figure in `/proc`. Await events where there are
/// any.
public func eventually(
    _ what: String, within timeout: Duration = timeout, isolation: isolated (any Actor)? = #isolation,
    _ condition: () async throws -> Bool
) async throws {
    try await poll(what, within: timeout) { try await condition() ? nil : "" }
}

/// Polls until `value` is `expected`; throws after `timeout`, with the last value.
public func eventually<Value: Equatable>(
    _ what: String, within timeout: Duration = timeout, equals expected: Value,
    isolation: isolated (any Actor)? = #isolation, _ value: () async throws -> Value
) async throws {
    try await poll(what, within: timeout) {
        let found = try await value()
        return found == expected ? nil : ": \(found), not \(expected)"
    }
}

/// Polls until `difference` is nil; throws after `timeout`, with the last difference.
private func poll(
    _ what: String, within timeout: Duration, isolation: isolated (any Actor)? = #isolation,
    _ difference: () async throws -> String?
) async throws {
    let deadline = ContinuousClock.now.advanced(by: timeout)
    while true {
        let start = ContinuousClock.now
        guard let found = try await difference() else { return }
        guard ContinuousClock.now < deadline else {
            throw TestFailure("\(what): not within \(timeout)\(found)")
        }
        // A condition that starts a program takes processors from what it waits for: that gets half of the time.
        try await Task.sleep(for: min(max(start.duration(to: .now), .milliseconds(5)), .milliseconds(50)))
    }
}

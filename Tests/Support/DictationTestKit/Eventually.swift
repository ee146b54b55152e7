/// Polls until `condition` holds; throws after `timeout`.
///
/// For conditions without an event, such as another process's file or a figure in `/proc`. Await events where there are
/// any.
public func eventually(
    _ what: String, within timeout: Duration = timeout, isolation: isolated (any Actor)? = #isolation,
    _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now.advanced(by: timeout)
    while true {
        let start = ContinuousClock.now
        if try await condition() { return }
        guard ContinuousClock.now < deadline else { throw TestFailure("\(what): not within \(timeout)") }
        // A condition that asks by a program takes the processors from what it waits for: half of the time is left to that.
        try await Task.sleep(for: min(max(start.duration(to: .now), .milliseconds(5)), .milliseconds(50)))
    }
}

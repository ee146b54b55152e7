/// Polls until `condition` holds; throws after `timeout`.
///
/// For conditions without an event, such as another process's file or a figure in `/proc`. Await events where there are
/// any.
public func eventually(
    _ what: String, within timeout: Duration = timeout, isolation: isolated (any Actor)? = #isolation,
    _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now.advanced(by: timeout)
    while try await !condition() {
        guard ContinuousClock.now < deadline else { throw TestFailure("\(what): not within \(timeout)") }
        try await Task.sleep(for: .milliseconds(5))
    }
}

/// Returns when `condition` holds; throws when it does not within `timeout`.
///
/// For what nothing tells of: a file that another process writes, a figure in `/proc`.
/// What can be awaited is awaited instead.
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

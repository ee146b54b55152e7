/// Returns when `condition` holds; throws when it does not within `patience`.
///
/// For what nothing tells of: a file that another process writes, a figure in `/proc`.
/// What can be awaited is awaited instead.
public func eventually(
    _ what: String, within patience: Duration = patience, isolation: isolated (any Actor)? = #isolation,
    _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now.advanced(by: patience)
    while try await !condition() {
        guard ContinuousClock.now < deadline else { throw TestFailure("\(what): not within \(patience)") }
        try await Task.sleep(for: .milliseconds(5))
    }
}

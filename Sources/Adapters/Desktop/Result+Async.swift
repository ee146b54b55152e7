extension Result where Failure == any Error {
    /// The result of `body`, or its error.
    init(_ body: () async throws -> Success, isolation: isolated (any Actor)? = #isolation) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}

extension Result where Failure == any Error {
    /// What `body` gives or throws.
    init(_ body: () async throws -> Success, isolation: isolated (any Actor)? = #isolation) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}

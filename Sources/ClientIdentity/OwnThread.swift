import Glibc

/// Runs `body` on a thread made for it, where it may block as long as it likes.
/// - Returns: nil if no thread can be had.
func onOwnThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result? {
    await withCheckedContinuation { continuation in
        let work = Unmanaged.passRetained(Work { continuation.resume(returning: body()) })
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { argument in
                if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body() }
                return nil
            }, work.toOpaque())
        if code == 0 {
            pthread_detach(thread)
        } else {
            work.release()
            continuation.resume(returning: nil)
        }
    }
}

private final class Work: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }
}

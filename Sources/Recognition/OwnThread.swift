import CLinux
import Glibc

/// Starts a thread of its own for work that takes seconds: it must hold up neither the cooperative pool nor
/// an event loop.
enum OwnThread {
    private final class Body {
        let name: String
        let run: @Sendable () -> Void

        init(_ name: String, _ run: @escaping @Sendable () -> Void) {
            self.name = name
            self.run = run
        }
    }

    /// - Parameter name: at most 15 bytes, as shown by `ps -L`.
    static func start(_ name: String, _ body: @escaping @Sendable () -> Void) throws(RecognitionError) {
        var thread = pthread_t()
        let argument = Unmanaged.passRetained(Body(name, body))
        let status = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                let body = Unmanaged<Body>.fromOpaque(argument).takeRetainedValue()
                dictation_linux_name_thread(body.name)
                body.run()
                return nil
            }, argument.toOpaque())
        guard status == 0 else {
            argument.release()
            throw RecognitionError(
                .limitExceeded,
                "No thread for recognition could be started: \(String(cString: strerror(status)))")
        }
        pthread_detach(thread)
    }
}

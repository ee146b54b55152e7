import EventLoop
import Glibc

/// Runs other programs. What they write goes to standard error.
enum Program {
    /// Waits for its end.
    static func run(_ arguments: [String]) throws(EngineSetupError) {
        guard try status(of: arguments) == 0 else {
            throw EngineSetupError("This failed: \(arguments.joined(separator: " "))")
        }
    }

    /// Waits for its end. False if it failed or cannot be run.
    static func succeeds(_ arguments: [String]) -> Bool {
        (try? status(of: arguments)) == 0
    }

    private static func status(of arguments: [String]) throws(EngineSetupError) -> Int32 {
        let program = try start(arguments)
        do throws(EventLoopError) {
            return try program.wait()
        } catch {
            throw EngineSetupError("\(error)")
        }
    }

    /// Starts it and does not wait.
    static func start(_ arguments: [String]) throws(EngineSetupError) -> Subprocess {
        do throws(EventLoopError) {
            return try Subprocess(arguments, files: [1: .descriptor(2)])
        } catch {
            throw EngineSetupError("\(error.call) cannot be run: \(String(cString: strerror(error.code)))")
        }
    }
}

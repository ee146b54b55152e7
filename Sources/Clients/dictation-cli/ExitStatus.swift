import ArgumentParser
import DictationClient

/// The exit codes of the program, after sysexits.h where it has one.
///
/// | code | meaning |
/// |---|---|
/// | 0 | done |
/// | 1 | there is no session to act on, or there is one already |
/// | 64 | wrong usage |
/// | 65 | the file is not audio that can be read, or the language is not known |
/// | 66 | the file cannot be opened |
/// | 69 | the service, the bus, PipeWire, the microphone or the engine is not available |
/// | 70 | the service or the engine failed |
/// | 74 | the service cannot write a file, or this program its output |
/// | 75 | it took too long, was too much at once, or the session ended meanwhile: try again |
/// | 77 | permission denied, or not asked for yet |
/// | 130 | interrupted a second time, before the last text was final |
/// | 141 | the reader of the output has closed it |
enum ExitStatus: Int32 {
    case noSession = 1
    case usage = 64
    case dataError = 65
    case noInput = 66
    case unavailable = 69
    case software = 70
    case ioError = 74
    case tryAgain = 75
    case noPermission = 77
    case interrupted = 130
    case outputClosed = 141

    var code: ExitCode { ExitCode(rawValue) }

    init(_ code: DictationError.Code) {
        switch code {
        case .notRunning, .alreadyRunning: self = .noSession
        case .permissionDenied, .permissionRequired, .accessDenied: self = .noPermission
        case .noSource, .routeChangeFailed, .audioServerUnavailable, .engineUnavailable, .serviceUnavailable,
            .serviceVanished, .disconnected, .notSupported:
            self = .unavailable
        case .unsupportedFormat, .unsupportedLanguage: self = .dataError
        case .limitExceeded, .timeout, .cancelled: self = .tryAgain
        case .fileWrite: self = .ioError
        case .invalidArguments: self = .usage
        default: self = .software
        }
    }
}

import Glibc

/// Where an engine of the user's lives, by the XDG Base Directory Specification.
struct EnginePlaces {
    let kind: EngineKind
    /// The virtual environment and the models.
    let folder: String
    let unitFolder: String
    let configuration: String
    /// Below `$XDG_RUNTIME_DIR`.
    let socketFolder: String

    var unitName: String { "dictation-engine-\(kind.rawValue).service" }
    var unit: String { "\(unitFolder)/\(unitName)" }
    var environment: String { "\(folder)/venv" }
    var models: String { "\(folder)/models" }
    var program: String { "\(environment)/bin/\(kind.program)" }
    var socket: String { "\(socketFolder)/engine.sock" }

    init(_ kind: EngineKind, environment: [String: String]) throws(EngineSetupError) {
        func folder(_ variable: String, _ standard: String) throws(EngineSetupError) -> String {
            if let path = environment[variable], path.hasPrefix("/") { return path }
            guard let home = environment["HOME"], home.hasPrefix("/") else {
                throw EngineSetupError("HOME is not set.")
            }
            return "\(home)/\(standard)"
        }
        guard let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") else {
            throw EngineSetupError("XDG_RUNTIME_DIR is not set: log in to a session.")
        }
        let data = try folder("XDG_DATA_HOME", ".local/share")
        let settings = try folder("XDG_CONFIG_HOME", ".config")
        self.kind = kind
        self.folder = "\(data)/dictation/engines/\(kind.rawValue)"
        unitFolder = "\(settings)/systemd/user"
        configuration = "\(settings)/dictation/dictation.yaml"
        socketFolder = "\(runtime)/dictation-engine-\(kind.rawValue)"
        for path in [self.folder, unitFolder, socketFolder] where !EngineUnit.canContain(path) {
            throw EngineSetupError("\(path) has characters that a systemd unit cannot hold.")
        }
    }
}

/// Why an engine cannot be set up.
struct EngineSetupError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

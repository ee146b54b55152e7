import Glibc

/// Where an engine of the user's lives, by the XDG Base Directory Specification.
struct EnginePlaces {
    let kind: EngineKind
    /// The libraries and the model.
    let folder: String
    let unitFolder: String
    let configuration: String
    /// Below `$XDG_RUNTIME_DIR`.
    let socketFolder: String

    var unitName: String { "dictation-engine-\(kind.rawValue).service" }
    var unit: String { "\(unitFolder)/\(unitName)" }
    var socketUnitName: String { "dictation-engine-\(kind.rawValue).socket" }
    var socketUnit: String { "\(unitFolder)/\(socketUnitName)" }
    var socket: String { "\(socketFolder)/engine.sock" }

    init(_ kind: EngineKind, environment: [String: String]) throws(EngineSetupError) {
        guard let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") else {
            throw EngineSetupError("XDG_RUNTIME_DIR is not set: log in to a session.")
        }
        let data = try Self.folder("XDG_DATA_HOME", ".local/share", environment)
        self.kind = kind
        self.folder = "\(data)/dictation/engines/\(kind.rawValue)"
        unitFolder = try Self.unitFolder(environment)
        configuration = try Self.configuration(environment)
        socketFolder = "\(runtime)/dictation-engine-\(kind.rawValue)"
        for path in [self.folder, unitFolder, socketFolder] where !EngineUnit.canContain(path) {
            throw EngineSetupError("\(path) has characters that a systemd unit cannot hold.")
        }
    }

    /// The user's settings.
    static func configuration(_ environment: [String: String]) throws(EngineSetupError) -> String {
        try folder("XDG_CONFIG_HOME", ".config", environment) + "/dictation/dictation.yaml"
    }

    /// Of the user's own units and additions to units.
    static func unitFolder(_ environment: [String: String]) throws(EngineSetupError) -> String {
        try folder("XDG_CONFIG_HOME", ".config", environment) + "/systemd/user"
    }

    private static func folder(
        _ variable: String, _ standard: String, _ environment: [String: String]
    ) throws(EngineSetupError) -> String {
        if let path = environment[variable], path.hasPrefix("/") { return path }
        guard let home = environment["HOME"], home.hasPrefix("/") else {
            throw EngineSetupError("HOME is not set.")
        }
        return "\(home)/\(standard)"
    }
}

/// Why an engine cannot be set up.
struct EngineSetupError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

import Glibc
import Wyoming

/// Where settings come from: the administrator's file, then the user's, then the defaults.
public struct ConfigurationLoader: Sendable {
    public var administratorFile: String
    /// Nil where there is no user of whom it would be.
    public var userFile: String?
    /// The user's file was named on the command line: it must exist.
    public var userFileIsRequired: Bool

    public static let administratorDefault = "/etc/dictation/dictation.yaml"

    /// The files of a daemon that was told `explicit` on its command line, or nothing.
    /// - Parameter scope: a service for everybody has no user whose settings it would read.
    public init(explicit: String?, scope: Daemon.Scope = .user, environment: [String: String]) {
        administratorFile = Self.administratorDefault
        userFile = explicit ?? (scope == .user ? Self.userDefault(environment) : nil)
        userFileIsRequired = explicit != nil
    }

    /// `$XDG_CONFIG_HOME/dictation/dictation.yaml`, by the XDG Base Directory Specification.
    private static func userDefault(_ environment: [String: String]) -> String? {
        if let folder = environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") {
            return folder + "/dictation/dictation.yaml"
        }
        return environment["HOME"].map { $0 + "/.config/dictation/dictation.yaml" }
    }

    /// The files, whether they are there or not.
    var files: [String] { [administratorFile] + (userFile.map { [$0] } ?? []) }

    public func load() throws(ConfigurationError) -> Configuration {
        var configuration = Configuration()
        if let text = try read(administratorFile, isRequired: false) {
            configuration.administered = try ConfigurationFile(path: administratorFile)
                .apply(text, to: &configuration)
        }
        if let userFile, let text = try read(userFile, isRequired: userFileIsRequired) {
            _ = try ConfigurationFile(path: userFile, mayDecideForAll: false)
                .apply(text, to: &configuration, fixed: configuration.administered)
        }
        for engine in configuration.engines
        where !engine.address.isLocal && !configuration.allowsRemoteEngines {
            let file = configuration.administered.contains("engines") ? administratorFile : userFile
            throw ConfigurationError(
                file: file ?? "", line: nil,
                message: "the engine '\(engine.name)' is on another machine: the administrator must set "
                    + "'allow-remote-engines: true' in \(administratorFile)")
        }
        return configuration
    }

    /// Not by Foundation, which leaks a page for each empty file (6.3.1, found by the address sanitizer).
    private func read(_ path: String, isRequired: Bool) throws(ConfigurationError) -> String? {
        func failure(_ message: String) -> ConfigurationError {
            ConfigurationError(file: path, line: nil, message: "cannot be read: \(message)")
        }
        guard let file = fopen(path, "re") else {
            if errno == ENOENT, !isRequired { return nil }
            throw failure(String(cString: strerror(errno)))
        }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while case let count = fread(&chunk, 1, chunk.count, file), count > 0 { bytes += chunk[..<count] }
        if ferror(file) != 0 { throw failure(String(cString: strerror(errno))) }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw failure("it is no UTF-8 text")
        }
        return text
    }
}

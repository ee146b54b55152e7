import EventLoop
import Glibc
import Wyoming

/// The sources of settings: the administrator's file, then the user's, then the defaults.
public struct ConfigurationLoader: Sendable {
    public var administratorFile: String
    /// Nil if the service is for all users.
    public var userFile: String?
    /// Whether the user's file was named on the command line and so must exist.
    public var userFileIsRequired: Bool

    public static let administratorDefault = "/etc/dictation/dictation.yaml"

    /// The files of a daemon with `explicit` from its command line.
    /// - Parameter isOfMachine: a service for all users reads no user's file.
    public init(explicit: String?, isOfMachine: Bool = false, environment: [String: String]) {
        administratorFile = Self.administratorDefault
        userFile = explicit ?? (isOfMachine ? nil : Self.userDefault(environment))
        userFileIsRequired = explicit != nil
    }

    /// `$XDG_CONFIG_HOME/dictation/dictation.yaml`, by the XDG Base Directory Specification; nil if the user has no home.
    package static func userDefault(_ environment: [String: String]) -> String? {
        if let folder = environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") {
            return folder + "/dictation/dictation.yaml"
        }
        return environment["HOME"].map { $0 + "/.config/dictation/dictation.yaml" }
    }

    /// The paths of the files, which may not exist.
    package var files: [String] { [administratorFile] + (userFile.map { [$0] } ?? []) }

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

    private func read(_ path: String, isRequired: Bool) throws(ConfigurationError) -> String? {
        func failure(_ reason: String) -> ConfigurationError {
            ConfigurationError(file: path, line: nil, message: "cannot be read: \(reason)")
        }
        do throws(EventLoopError) {
            if let text = try TextFile.read(path) { return text }
        } catch {
            throw failure(error.reason)
        }
        if isRequired { throw failure(EventLoopError(call: "fopen", code: ENOENT).reason) }
        return nil
    }
}

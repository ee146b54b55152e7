import EventLoop
import Glibc
import LanguageFiles
import Wyoming

/// The sources of settings: the administrator's file, then the user's, then that of installed packages, then the defaults.
public struct ConfigurationLoader: Sendable {
    public var administratorFile: String
    /// What a package such as dictation-engine-whisper installs, which changes the defaults; nil where nothing is installed.
    public var packagedFile: String?
    /// Nil if the service is for all users.
    public var userFile: String?
    /// Whether the user's file was named on the command line and so must exist.
    public var userFileIsRequired: Bool

    public static let administratorDefault = "/etc/dictation/dictation.yaml"

    /// The files of a daemon with `explicit` from its command line.
    /// - Parameter isOfMachine: a service for all users reads no user's file.
    public init(explicit: String?, isOfMachine: Bool = false, environment: [String: String]) {
        administratorFile = Self.administratorDefault
        packagedFile = InstalledFolder.data.map { $0 + "/defaults.yaml" }
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

    /// The user's file from the command line.
    package var explicitFile: String? { userFileIsRequired ? userFile : nil }

    /// The paths of the files, which may not exist.
    package var files: [String] { [administratorFile] + [userFile, packagedFile].compactMap(\.self) }

    /// Whether a file was emptied just now: the program that did it is about to write it. Without its settings, permission could
    /// be lost for a moment.
    package var isBeingWritten: Bool {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return files.contains { path in
            var status = stat()
            guard stat(path, &status) == 0, status.st_size == 0 else { return false }
            return (0..<2).contains(now.tv_sec - status.st_mtim.tv_sec)
        }
    }

    /// The settings of the files. Throws their first error.
    public func load() throws(ConfigurationError) -> Configuration {
        let (configuration, errors) = read()
        if let error = errors.first { throw error }
        return configuration
    }

    /// The settings of the files, without those that have an error, and the errors.
    package func loadSkippingErrors() -> (configuration: Configuration, errors: [ConfigurationError]) {
        read()
    }

    /// All errors in the files, the administrator's first.
    public func errors() -> [ConfigurationError] { read().errors }

    private func read() -> (configuration: Configuration, errors: [ConfigurationError]) {
        var configuration = Configuration()
        var errors: [ConfigurationError] = []
        /// Returns the names of the keys that the file sets.
        func apply(_ path: String, isRequired: Bool, mayDecideForAll: Bool) -> Set<String> {
            do throws(ConfigurationError) {
                guard let text = try text(of: path, isRequired: isRequired) else { return [] }
                let reading = try ConfigurationFile(path: path, mayDecideForAll: mayDecideForAll)
                    .read(text, onto: configuration, fixed: configuration.administered)
                configuration = reading.configuration
                errors += reading.errors
                return reading.names
            } catch {
                errors.append(error)
                return []
            }
        }
        if let packagedFile { _ = apply(packagedFile, isRequired: false, mayDecideForAll: false) }
        configuration.administered = apply(administratorFile, isRequired: false, mayDecideForAll: true)
        if let userFile { _ = apply(userFile, isRequired: userFileIsRequired, mayDecideForAll: false) }
        for engine in configuration.engines
        where !engine.address.isLocal && !configuration.allowsRemoteEngines {
            let file = configuration.administered.contains("engines") ? administratorFile : userFile
            errors.append(
                ConfigurationError(
                    file: file ?? "", line: nil, key: "engines",
                    message: "the engine '\(engine.name)' is on another machine: the administrator must set "
                        + "'allow-remote-engines: true' in \(administratorFile)"))
        }
        return (configuration, errors)
    }

    private func text(of path: String, isRequired: Bool) throws(ConfigurationError) -> String? {
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

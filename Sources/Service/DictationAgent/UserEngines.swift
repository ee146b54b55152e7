import DBus
import Desktop
import DictationCore
import EventLoop
import Glibc
import Logging
import Wyoming

/// The speech engines in the user's configuration, and connections to them.
@EventLoopActor
final class UserEngines {
    private enum Reading { case none, running, runningAndOutdated }

    /// What the configuration says. Empty where it is not valid.
    private(set) var preferences = EnginePreferences()
    /// Nil where the user has no home.
    private let file: String?
    private let logger: Logger
    private var watch: FileWatch?
    private var reading = Reading.none
    private var changed: @EventLoopActor () -> Void = {}

    init(environment: [String: String], logger: Logger) {
        file = Self.configurationFolder(environment).map { $0 + "/dictation/dictation.yaml" }
        self.logger = logger
    }

    /// By the XDG Base Directory Specification.
    private static func configurationFolder(_ environment: [String: String]) -> String? {
        if let folder = environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") { return folder }
        return environment["HOME"].map { $0 + "/.config" }
    }

    /// Reads the configuration, now and whenever it changes.
    /// - Parameter changed: called when ``preferences`` have changed.
    func start(_ changed: @escaping @EventLoopActor () -> Void) {
        self.changed = changed
        guard let file else { return }
        do throws(EventLoopError) {
            let watch = try FileWatch(file, for: .changed, makesFolder: true) { [weak self] in
                self?.read()
            }
            try watch.start()
            self.watch = watch
        } catch {
            logger.info("the configuration is not watched", metadata: ["why": "\(error)"])
        }
        read()
    }

    func stop() {
        watch.take()?.stop()
        changed = {}
    }

    /// Files are read on a thread of their own, one at a time: a file system may not answer.
    private func read() {
        guard let file else { return }
        guard reading == .none else { return reading = .runningAndOutdated }
        reading = .running
        Task {
            do {
                let text = try await OwnThread.run("configuration") {
                    Result { () throws(EventLoopError) in try TextFile.read(file) }
                }.get()
                take(try EnginePreferences(yaml: text ?? ""))
            } catch {
                logger.error("the engines in \(file) cannot be used", metadata: ["why": "\(error)"])
                take(EnginePreferences())
            }
        }
    }

    private func take(_ latest: EnginePreferences) {
        let isOutdated = reading == .runningAndOutdated
        reading = .none
        if latest != preferences {
            preferences = latest
            changed()
        }
        if isOutdated { read() }
    }

    /// A new connection to an engine, checked to be the user's own or root's.
    func connect(to name: BusText) async throws -> Descriptor {
        guard let engine = preferences.engines.first(where: { BusText($0.name) == name }) else {
            throw EngineFailure(.unreachable, "The user's configuration has no such engine.")
        }
        return try await OwnThread.run("engine") { () -> Result<Descriptor, EngineFailure> in
            Result { () throws(EngineFailure) in
                try EngineSocket.connect(to: engine.address, uid: getuid())
            }
        }.get()
    }
}

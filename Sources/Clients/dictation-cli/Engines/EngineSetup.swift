import EventLoop
import Foundation
import Glibc

/// Sets up an engine of the user's own, or removes it.
struct EngineSetup {
    let places: EnginePlaces

    init(kind: EngineKind) throws(EngineSetupError) {
        places = try EnginePlaces(kind, environment: ProcessInfo.processInfo.environment)
    }

    func add(model: String, language: String) async throws {
        let model = try EngineModel(model)
        guard !language.isEmpty, language.utf8.allSatisfy({ (0x61...0x7a).contains($0) || $0 == 0x2d }) else {
            throw EngineSetupError("A language has lower-case letters, such as “en”.")
        }
        let settings = EngineSettings(name: places.kind.rawValue, socket: places.socket)
        // Refused before anything is installed.
        _ = try settings.added(to: contents(of: places.configuration))

        note("Installing \(places.kind.program) into \(places.environment)")
        try FileManager.default.createDirectory(atPath: places.models, withIntermediateDirectories: true)
        try Program.run(["python3", "-m", "venv", places.environment])
        try Program.run(["\(places.environment)/bin/pip", "install", "--quiet"] + places.kind.packages)

        let threads = max(1, ProcessInfo.processInfo.activeProcessorCount / 2)
        let unit = EngineUnit(places: places, model: model, language: language, threads: threads)
        try await tryOut(unit)

        try write(unit.text, to: places.unit)
        try Program.run(["systemctl", "--user", "daemon-reload"])
        do {
            try Program.run(["systemctl", "--user", "enable", places.unitName])
            try Program.run(["systemctl", "--user", "restart", places.unitName])
            note("Waiting for \(places.socket)")
            try await waitForSocket(places.socket, seconds: 120)
        } catch {
            // Otherwise systemd would restart it repeatedly.
            try removeUnit()
            throw EngineSetupError(
                "The engine does not start: \(error)\n“journalctl --user -u \(places.unitName)” may show why."
            )
        }
        // The user may have changed the file meanwhile.
        try write(settings.added(to: contents(of: places.configuration)), to: places.configuration)
        try restartDictation()
        note(
            "The engine \(places.kind.rawValue) answers at \(places.socket). “dictation-cli engines” shows it."
        )
    }

    func remove() throws {
        if FileManager.default.fileExists(atPath: places.unit) { try removeUnit() }
        if FileManager.default.fileExists(atPath: places.folder) {
            try FileManager.default.removeItem(atPath: places.folder)
        }
        // The parent folders, if they are empty.
        var folder = URL(filePath: places.folder)
        for _ in 0..<2 {
            folder.deleteLastPathComponent()
            rmdir(folder.path)
        }
        let settings = EngineSettings(name: places.kind.rawValue, socket: places.socket)
        let text = try contents(of: places.configuration)
        let rest = settings.removed(from: text)
        if rest != text {
            try write(rest, to: places.configuration)
            try restartDictation()
        }
        note("The engine \(places.kind.rawValue) is removed.")
    }

    private func removeUnit() throws {
        try Program.run(["systemctl", "--user", "disable", "--now", places.unitName])
        try FileManager.default.removeItem(atPath: places.unit)
        try Program.run(["systemctl", "--user", "daemon-reload"])
    }

    /// The service of the session reads its engines when it starts. The agent may have had no folder to watch.
    private func restartDictation() throws {
        for unit in ["dictation.service", "dictation-agent.service"]
        where Program.succeeds(["systemctl", "--user", "--quiet", "is-active", unit]) {
            try Program.run(["systemctl", "--user", "restart", unit])
        }
    }

    /// Runs the server once without its unit: it downloads its model, recognises something, and its errors are seen.
    private func tryOut(_ unit: EngineUnit) async throws {
        let model = unit.model
        note(model.isFolder ? "Loading \(model.argument)" : "Downloading the model \(model.argument)")
        let socket = "\(places.folder)/setup.sock"
        var arguments = unit.arguments
        if !model.isFolder { arguments.removeAll { $0 == "--local-files-only" } }
        arguments[2] = "unix://\(socket)"
        let server = try Program.start(arguments)
        defer {
            server.send(SIGTERM)
            _ = try? server.wait()
            unlink(socket)
        }
        try await waitForSocket(socket, seconds: 3600, whileRunning: server)
        try EngineTrial.run(python: "\(places.environment)/bin/python", socket: socket)
    }

    private func waitForSocket(
        _ path: String, seconds: Int, whileRunning server: Subprocess? = nil
    ) async throws {
        let deadline = ContinuousClock.now + .seconds(seconds)
        while !FileManager.default.fileExists(atPath: path) {
            if let server, server.hasEnded {
                throw EngineSetupError("The engine does not start with the model.")
            }
            guard ContinuousClock.now < deadline else {
                throw EngineSetupError(
                    "The engine did not start: see systemctl --user status \(places.unitName)")
            }
            try await Task.sleep(for: .milliseconds(200))
        }
    }

    private func contents(of path: String) throws -> String {
        guard FileManager.default.fileExists(atPath: path) else { return "" }
        return try String(contentsOfFile: path, encoding: .utf8)
    }

    private func write(_ text: String, to path: String) throws {
        let folder = URL(filePath: path).deletingLastPathComponent().path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try text.write(toFile: path, atomically: true, encoding: .utf8)
    }

    private func note(_ text: String) { Output.standardError.note(text) }
}

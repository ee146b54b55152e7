import Foundation

/// The sources of `dictation-engine`, which are installed with this program.
struct EngineProgram {
    /// Contains the Python package `dictation_engine`.
    let folder: String

    /// `share/dictation/engine` next to the program's folder if it is installed, `packaging/engine` of the sources if it
    /// runs where it was built.
    static func ofProgram() throws(EngineSetupError) -> EngineProgram {
        var folder = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().path[...]
        while let slash = folder.lastIndex(of: "/") {
            folder = folder[..<slash]
            for candidate in ["\(folder)/share/dictation/engine", "\(folder)/packaging/engine"]
            where FileManager.default.fileExists(atPath: "\(candidate)/dictation_engine/setup.py") {
                guard EngineUnit.canContain(candidate) else {
                    throw EngineSetupError("\(candidate) has characters that a systemd unit cannot hold.")
                }
                return EngineProgram(folder: candidate)
            }
        }
        throw EngineSetupError("The engine's files are missing: install the package dictation-common again.")
    }

    /// Installs the libraries and the model into a folder, with progress on standard error. If it fails, the folder is as
    /// it was before.
    func setUp(
        in folder: String, model: String?, languages: [String]
    ) throws(EngineSetupError) -> EngineFacts {
        var arguments = [
            "/usr/bin/env", "PYTHONPATH=\(self.folder)", "PYTHONDONTWRITEBYTECODE=1", "python3", "-m",
            "dictation_engine.setup", folder,
        ]
        if let model { arguments += ["--model", model] }
        arguments += languages.flatMap { ["--language", $0] }
        // It has printed why.
        guard Program.succeeds(arguments) else { throw EngineSetupError("The engine is not set up.") }
        do {
            return try EngineFacts(folder: folder)
        } catch {
            throw EngineSetupError("\(folder)/engine.json cannot be read: \(error)")
        }
    }
}

/// What `dictation_engine.setup` has installed.
struct EngineFacts: Decodable {
    /// The interpreter with the libraries.
    let python: String
    /// The folder of the model.
    let model: String
    /// The model's name.
    let name: String
    let threads: Int
    /// Bytes of memory that it used when it was measured.
    let memory: Int

    init(python: String, model: String, name: String, threads: Int, memory: Int) {
        self.python = python
        self.model = model
        self.name = name
        self.threads = threads
        self.memory = memory
    }

    /// Reads the facts of the engine that was set up in a folder.
    init(folder: String) throws {
        let data = try Data(contentsOf: URL(filePath: "\(folder)/engine.json"))
        self = try JSONDecoder().decode(EngineFacts.self, from: data)
    }

    /// For people: `base, 175 MB of memory while in use`.
    var summary: String { "\(name), \(memory / 1_000_000) MB of memory while in use" }
}

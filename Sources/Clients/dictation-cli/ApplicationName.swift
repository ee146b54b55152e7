import ArgumentParser
import DictationClient
import Foundation
import Glibc

/// An application as a person names it.
struct ApplicationName {
    let text: String
    private let environment: [String: String]

    init(_ text: String, environment: [String: String] = ProcessInfo.processInfo.environment) {
        self.text = text
        self.environment = environment
    }

    /// The one application that the name means: by the path of a program, by kind and ID, else by what this computer knows
    /// of that name. Nothing is guessed: several meanings are an error, and so is none.
    func application(known: [ApplicationPermission]) throws -> Application {
        let application = try meaning(known)
        if application.kind == .executable,
            let script = Script(path: application.id, environment: environment)
        {
            throw ValidationError(script.explanation)
        }
        return application
    }

    private func meaning(_ known: [ApplicationPermission]) throws -> Application {
        let meanings = try meanings(known)
        guard let application = meanings.first else {
            throw ValidationError(
                "No program on PATH, no application here and no decision is named “\(text)”. Name it by the path of "
                    + "its program, or as flatpak:ID, snap:NAME or app:ID.")
        }
        guard meanings.count == 1 else {
            let all = meanings.map(\.line).joined(separator: ", ")
            throw ValidationError("“\(text)” can be \(all). Name one of these.")
        }
        return application
    }

    /// The applications of which a decision can be deleted: all decisions about an ID are meant.
    func decidedApplications(known: [ApplicationPermission]) throws -> [Application] {
        let decided = known.map(\.application).filter { $0.id == text }
        return text.hasPrefix("/") || decided.isEmpty ? [try meaning(known)] : decided
    }

    private func meanings(_ known: [ApplicationPermission]) throws -> [Application] {
        if text.hasPrefix("/") { return [Application(kind: .executable, id: try program(text, known))] }
        if let colon = text.firstIndex(of: ":") {
            let kind = Application.Kind(rawValue: String(text[..<colon]))
            let id = String(text[text.index(after: colon)...])
            guard [.flatpak, .snap, .app, .executable].contains(kind), !id.isEmpty else {
                throw ValidationError("“\(text)” is not flatpak:ID, snap:NAME, app:ID or executable:PATH.")
            }
            return [Application(kind: kind, id: id)]
        }
        guard !text.isEmpty else { throw ValidationError("Name an application.") }
        var meanings = known.map(\.application).filter { $0.id == text }
        for meaning in try installed(known) where !meanings.contains(meaning) { meanings.append(meaning) }
        return meanings
    }

    /// The applications of this name that are installed.
    private func installed(_ known: [ApplicationPermission]) throws -> [Application] {
        guard !text.contains("/") else { return [] }
        var found: [Application] = []
        let folders = (environment["PATH"] ?? "").split(separator: ":").filter { $0.hasPrefix("/") }
        let paths = folders.map { "\($0)/\(text)" }
        if let path = paths.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) {
            found.append(Application(kind: .executable, id: try program(path, known)))
        }
        let home = environment["HOME"] ?? ""
        let data =
            environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "\(home)/.local/share"
        if exists(["/var/lib/flatpak/app", "\(data)/flatpak/app"], text) {
            found.append(Application(kind: .flatpak, id: text))
        }
        if exists(["/snap", "/var/lib/snapd/snap"], text) {
            found.append(Application(kind: .snap, id: text))
        }
        let shared = (environment["XDG_DATA_DIRS"] ?? "/usr/local/share:/usr/share").split(separator: ":")
        // Flatpak and snap export theirs.
        let entries = ([data] + shared.map(String.init)).filter {
            !$0.contains("flatpak") && !$0.contains("snapd")
        }
        if exists(entries.map { "\($0)/applications" }, "\(text).desktop") {
            found.append(Application(kind: .app, id: text))
        }
        return found
    }

    private func exists(_ folders: [String], _ name: String) -> Bool {
        folders.contains { FileManager.default.fileExists(atPath: "\($0)/\(name)") }
    }

    /// The path of the program without links, as the kernel will name it. A program that was removed can have decisions
    /// too.
    private func program(_ path: String, _ known: [ApplicationPermission]) throws -> String {
        guard let resolved = realpath(path, nil) else {
            if known.contains(where: { $0.application == Application(kind: .executable, id: path) }) {
                return path
            }
            throw ValidationError("There is no program \(path): \(String(cString: strerror(errno))).")
        }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}

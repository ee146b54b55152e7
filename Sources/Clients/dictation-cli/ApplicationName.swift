import ArgumentParser
import DictationClient
import Glibc

/// An application as a person names it.
struct ApplicationName {
    let text: String

    init(_ text: String) { self.text = text }

    /// The applications that the name means: by kind and ID if they are given, by the path of a program, else by an ID.
    /// If there are decisions about an ID, it means those applications; a new ID means every kind with such IDs,
    /// because it is unknown how the application will be installed.
    func applications(known: [ApplicationPermission]) throws -> [Application] {
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
        let decided = known.map(\.application).filter { $0.id == text }
        if !decided.isEmpty { return decided }
        let kinds: [Application.Kind] = text.contains(".") ? [.flatpak, .app] : [.snap, .app]
        return kinds.map { Application(kind: $0, id: text) }
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

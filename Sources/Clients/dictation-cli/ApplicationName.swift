import ArgumentParser
import DictationClient
import Glibc

/// How a person names an application.
struct ApplicationName {
    let text: String

    init(_ text: String) { self.text = text }

    /// What is meant: by kind and id where they are given, by the path of a program, else by an id. An id about which
    /// something was decided already means that application; a new one means every kind that has such ids, for
    /// nobody knows how the application will be installed.
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

    /// The program as the kernel will name it when it runs: links are followed. Something may have been decided about
    /// one that is there no more.
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

public import EventLoop
internal import Glibc

/// Reports when a file appears in its folder or is written, such as a server's socket or a configuration file.
@EventLoopActor
public final class FileWatch {
    /// The changes to report.
    public enum Notice: Sendable {
        case appeared
        /// It was closed after writing, replaced, or removed.
        case changed

        fileprivate var mask: UInt32 {
            switch self {
            case .appeared: UInt32(IN_CREATE | IN_MOVED_TO)
            case .changed: UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE)
            }
        }
    }

    private let notices: Descriptor
    private let name: String
    private var changed: @EventLoopActor () -> Void = {}
    private var watch: EventLoop.Watch?

    /// The kernel keeps the changes from now on, until ``start(changed:)``.
    /// - Parameters:
    ///   - path: the file. Its folder must exist, unless `makesFolder`.
    ///   - makesFolder: creates the folder and its parent if they do not exist.
    public nonisolated init(
        _ path: String, for notice: Notice = .appeared, makesFolder: Bool = false
    ) throws(EventLoopError) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        name = String(parts.last ?? "")
        let number = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        guard number >= 0 else { throw EventLoopError(call: "inotify_init1", code: errno) }
        notices = Descriptor(owning: number)
        let folder = parts.dropLast().joined(separator: "/")
        if makesFolder {
            for folder in [parts.dropLast(2).joined(separator: "/"), folder] { mkdir(folder, 0o700) }
        }
        guard inotify_add_watch(number, folder.isEmpty ? "/" : folder, notice.mask) >= 0
        else { throw EventLoopError(call: "inotify_add_watch \(folder)", code: errno) }
    }

    /// - Parameter changed: called after each change since the initializer.
    public func start(changed: @escaping @EventLoopActor () -> Void) throws(EventLoopError) {
        self.changed = changed
        watch = try EventLoopActor.watch(notices.rawValue, for: .readable) { [weak self] _ in self?.read() }
    }

    public func stop() {
        watch.take()?.cancel()
    }

    private func read() {
        var bytes = [UInt8](repeating: 0, count: 4096)
        var hasChanged = false
        while true {
            let count = Glibc.read(notices.rawValue, &bytes, bytes.count)
            guard count > 0 else { break }
            // The queue overflowed: a lost notice may have been about the file.
            hasChanged = bytes.prefix(count).names.contains { $0 == name || $0.isEmpty } || hasChanged
        }
        if hasChanged { changed() }
    }
}

extension ArraySlice<UInt8> {
    /// The names of the files in these inotify notices; empty if some were lost.
    fileprivate var names: [String] {
        let header = MemoryLayout<inotify_event>.size
        var names: [String] = []
        var rest = self
        while rest.count >= header {
            let event = rest.withUnsafeBytes { $0.loadUnaligned(as: inotify_event.self) }
            rest = rest.dropFirst(header)
            names.append(String(decoding: rest.prefix(Int(event.len)).prefix { $0 != 0 }, as: UTF8.self))
            rest = rest.dropFirst(Int(event.len))
        }
        return names
    }
}

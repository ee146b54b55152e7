public import DictationCore
internal import EventLoop
internal import Glibc

/// The folder with a user's history: one file with the texts, and a WAV file for each sound. Others may not read them. All of
/// it blocks, so it is not for an event loop.
public struct HistoryFolder: Sendable {
    public let path: String
    private let uid: UInt32

    /// - Parameters:
    ///   - path: of the folder, which is made when something is written. Its parent exists.
    ///   - uid: the user of the applications.
    public init(_ path: String, uid: UInt32) {
        self.path = path
        self.uid = uid
    }

    private var texts: String { path + "/texts" }

    /// The path of an entry's sound.
    public func sound(of id: HistoryEntry.ID) -> String { "\(path)/\(id).wav" }

    /// What a folder has.
    public struct Contents: Sendable {
        /// Its settings have no meaning.
        public fileprivate(set) var history = History()
        /// Some entries could not be read.
        public fileprivate(set) var isDamaged = false
        /// There are files of no entry.
        fileprivate var hasOthers = false
        /// The folder exists.
        fileprivate var exists = false

        /// No folder.
        public init() {}

        /// Whether ``HistoryFolder/write(_:sounds:)`` would change nothing.
        public func isUpToDate(with other: History) -> Bool {
            history.entries == other.entries && !hasOthers && (other.settings.isOn || !exists)
        }
    }

    /// What the folder has, whatever the user has chosen. Entries whose sound is missing have none.
    public func read() throws(HistoryFilesError) -> Contents {
        var result = Contents()
        guard let names = try names() else { return result }
        result.exists = true
        if let bytes = try bytes() {
            let contents = HistoryContents(bytes, uid: uid)
            result.isDamaged = contents?.isDamaged ?? true
            result.history = History(entries: contents?.entries ?? [], lastID: contents?.lastID ?? 0)
            for entry in result.history.entries
            where entry.frames > 0 && access(sound(of: entry.id), R_OK) != 0 {
                result.history.loseSound(of: entry.id)
            }
        }
        result.hasOthers = !others(than: result.history, in: names).isEmpty
        return result
    }

    private func bytes() throws(HistoryFilesError) -> [UInt8]? {
        // Non-blocking, because opening a pipe without a writer would block.
        let number = open(texts, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard number >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw .last("open \(texts)")
        }
        let file = Descriptor(owning: number)
        var status = stat()
        guard fstat(number, &status) == 0 else { throw .last("fstat \(texts)") }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= HistoryContents.readLimit else {
            throw HistoryFilesError("\(texts) is no history")
        }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeMutableBytes { buffer in
                Glibc.read(file.rawValue, buffer.baseAddress.map { $0 + done }, buffer.count - done)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .last("read \(texts)") }
            if count == 0 { break }
            done += count
        }
        return Array(bytes.prefix(done))
    }

    /// Makes the folder have this history. Returns when it is on the disk.
    /// - Parameter sounds: those that are not there yet.
    /// - Returns: what the folder has now.
    @discardableResult
    public func write(
        _ history: History, sounds: [HistoryEntry.ID: [Int16]]
    ) throws(HistoryFilesError) -> Contents {
        var result = Contents()
        // While it is on, a folder without texts has the number of the last: numbers are not used again.
        guard history.settings.isOn || !history.entries.isEmpty else {
            try erase()
            return result
        }
        try makeFolder()
        for (id, samples) in sounds where history[id]?.frames ?? 0 > 0 {
            try replace(sound(of: id), WaveFile.bytes(samples))
        }
        try replace(texts, HistoryContents(history).bytes)
        try removeOthers(than: history)
        result.history = history
        result.exists = true
        return result
    }

    /// Removes all of it. No error if there is nothing.
    public func erase() throws(HistoryFilesError) {
        guard access(path, F_OK) == 0 else { return }
        try remove(texts)
        try removeOthers(than: History())
        rmdir(path)
    }

    private func makeFolder() throws(HistoryFilesError) {
        if mkdir(path, 0o700) != 0, errno != EEXIST { throw .last("mkdir \(path)") }
    }

    private func replace(_ file: String, _ bytes: [UInt8]) throws(HistoryFilesError) {
        do throws(EventLoopError) {
            try TextFile.replace(file, with: bytes)
        } catch {
            throw HistoryFilesError("\(file) cannot be written: \(error.reason)")
        }
    }

    private func remove(_ file: String) throws(HistoryFilesError) {
        if unlink(file) != 0, errno != ENOENT { throw .last("unlink \(file)") }
    }

    /// Removes the sound of other entries, and what was not written completely.
    private func removeOthers(than history: History) throws(HistoryFilesError) {
        for name in others(than: history, in: try names() ?? []) { try remove("\(path)/\(name)") }
    }

    private func others(than history: History, in names: [String]) -> [String] {
        let own = Set(history.entries.lazy.filter { $0.frames > 0 }.map { "\($0.id).wav" } + ["texts"])
        return names.filter { !own.contains($0) }
    }

    /// Nil if there is no folder.
    private func names() throws(HistoryFilesError) -> [String]? {
        guard let listing = opendir(path) else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw .last("opendir \(path)")
        }
        defer { closedir(listing) }
        var names: [String] = []
        while let entry = readdir(listing) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}

/// Why the history could not be read or written.
public struct HistoryFilesError: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }

    /// The error of the system call that has just failed on this thread.
    static func last(_ call: String) -> HistoryFilesError {
        HistoryFilesError("\(call): \(String(cString: strerror(errno)))")
    }
}

internal import CLinux
public import DictationCore
internal import EventLoop
internal import Glibc

/// The file of a session's journal, in the user's runtime folder.
/// Both lie in memory. Not thread-safe; a write does not wait for a disk.
public final class JournalFile {
    private let file: Descriptor
    private let home: JournalHome
    private let name: String
    /// Offset of the first record.
    private var start: Int
    /// Offset behind the last record.
    private var end: Int

    init(_ file: Descriptor, in home: JournalHome, name: String, start: Int, end: Int) {
        self.file = file
        self.home = home
        self.name = name
        self.start = start
        self.end = end
    }

    /// Carries out a step of a ``JournalLog``.
    public func perform(_ step: JournalStep) throws(JournalError) {
        switch step {
        case .append(let records):
            if end == JournalContents.start { try write(JournalContents.anchor(start: end), at: 0) }
            try append(records)
        case .replace(let records):
            let old = end
            try append(records)
            // Within a page: a process that is killed has written all of it or nothing.
            try write(JournalContents.anchor(start: old), at: 0)
            start = old
            try erase(from: JournalContents.start, to: start)
        case .clear: try clear()
        case .full: break
        }
    }

    private func clear() throws(JournalError) {
        start = JournalContents.start
        end = start
        guard ftruncate(file.rawValue, 0) == 0 else { throw .last("ftruncate") }
    }

    /// Tells the next service that this one exists. Call once a minute: between entries there may be hours.
    public func confirm() throws(JournalError) {
        guard dictation_linux_set_access_time(file.rawValue) == 0 else { throw .last("futimens") }
    }

    /// Erases it. Nothing can be written after that.
    public func remove() throws(JournalError) {
        try clear()
        home.remove(name)
    }

    /// Bytes that are encoded before they are written.
    private static let bufferSize = 1 << 16

    private func append(_ records: [JournalRecord]) throws(JournalError) {
        var writer = JournalWriter()
        for record in records {
            writer.put(record)
            guard writer.bytes.count >= Self.bufferSize else { continue }
            try append(writer.bytes)
            writer.removeAll()
        }
        try append(writer.bytes)
    }

    private func append(_ bytes: [UInt8]) throws(JournalError) {
        try write(bytes, at: end)
        end += bytes.count
    }

    private func write(_ bytes: [UInt8], at offset: Int) throws(JournalError) {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                pwrite(
                    file.rawValue, buffer.baseAddress.map { $0 + done }, bytes.count - done,
                    off_t(offset + done))
            }
            if count < 0, errno == EINTR { continue }
            if count <= 0 { throw .last("pwrite") }
            done += count
        }
    }

    private func erase(from first: Int, to last: Int) throws(JournalError) {
        guard first < last, dictation_linux_punch_hole(file.rawValue, first, last - first) != 0 else {
            return
        }
        // The file system cannot free a part of a file.
        let zeros = [UInt8](repeating: 0, count: 1 << 16)
        for offset in stride(from: first, to: last, by: zeros.count) {
            try write(Array(zeros.prefix(last - offset)), at: offset)
        }
    }
}

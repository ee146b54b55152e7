internal import CLinux
public import DictationCore
internal import EventLoop
internal import Glibc

/// The journal of a session whose service is gone.
public struct LeftJournal: Sendable {
    public let contents: JournalContents
    /// From its last entry until it was read.
    public let idle: Duration
    /// The same from the last time at which its service is known to have existed: a minute before its end, or less.
    public let age: Duration
    let size: Int
    private let file: Descriptor
    private let home: JournalHome
    private let name: String
    private let start: Int

    /// - Parameter room: nothing larger is read.
    init?(_ file: Descriptor, in home: JournalHome, name: String, room: Int) {
        var status = stat()
        guard fstat(file.rawValue, &status) == 0, let length = Int(exactly: status.st_size),
            let anchor = Self.read(file, at: 0, JournalContents.anchorSize),
            let start = JournalContents.start(anchor: anchor), start <= length, length - start <= room,
            let bytes = Self.read(file, at: start, length - start),
            let contents = JournalContents(bytes)
        else { return nil }
        idle = Self.since(status.st_mtim)
        age = min(idle, Self.since(status.st_atim))
        self.contents = contents
        size = length - start
        self.file = file
        self.home = home
        self.name = name
        self.start = start
    }

    private static func since(_ time: timespec) -> Duration {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return .seconds(now.tv_sec - time.tv_sec) + .nanoseconds(now.tv_nsec - time.tv_nsec)
    }

    private static func read(_ file: Descriptor, at offset: Int, _ count: Int) -> [UInt8]? {
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
            while done < count {
                let got = pread(
                    file.rawValue, buffer.baseAddress.map { $0 + done }, count - done, off_t(offset + done))
                if got < 0, errno == EINTR { continue }
                if got <= 0 { break }
                done += got
            }
        }
        return bytes.count == count ? bytes : nil
    }

    /// Its file, to continue it.
    public func reopen() -> JournalFile {
        JournalFile(file, in: home, name: name, start: start, end: start + size)
    }
}

internal import CLinux
internal import DictationCore
public import EventLoop
internal import Glibc

/// The folder that a recording's files are made in.
///
/// A name is one path component, and a file is made by `linkat` or with O_EXCL: so it is beneath the folder, no link is
/// followed, and no existing file is opened. `openat2` would promise the same, but `RestrictSUIDSGID=` of systemd refuses it.
public struct RecordingFolder: Sendable {
    private let folder: Descriptor
    private let prefix: String
    /// Makes and removes the files; nil if this process does.
    private let lender: (any RecordingLender)?
    /// Names that are tried for a file if others have them already.
    private static let attempts = 9

    /// - Parameters:
    ///   - prefix: of the names; without `/`.
    ///   - lender: makes and removes the files; nil if this process does.
    public init(_ folder: Descriptor, prefix: String, lender: (any RecordingLender)? = nil) {
        self.folder = folder
        self.prefix = prefix
        self.lender = lender
    }

    /// A folder with a new prefix.
    init(_ folder: Descriptor, lender: (any RecordingLender)?) {
        self.init(folder, prefix: Self.prefix(), lender: lender)
    }

    /// The date and time, so that names are unique and in order.
    private static func prefix() -> String {
        var now = time(nil)
        var local = tm()
        localtime_r(&now, &local)
        var text = [CChar](repeating: 0, count: 64)
        strftime(&text, text.count, "\(RecordingName.start)%Y%m%d-%H%M%S", &local)
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Whether files can be made here, as far as this can be known without making one.
    public func check() throws(RecordingError) {
        if let lender { return try lender.check(folder) }
        guard faccessat(folder.rawValue, ".", W_OK | X_OK, AT_EACCESS) == 0 else {
            throw RecordingError("The folder 'record' cannot be written", errno)
        }
    }

    /// Makes a new file with the header of a recording.
    func create(_ number: Int, rate: Int) throws(RecordingError) -> (name: String, wave: GrowingWaveFile) {
        guard let lender else {
            return try create(number) { file throws(RecordingError) in
                try GrowingWaveFile(file, rate: rate)
            }
        }
        let lent = try lender.create(in: folder, prefix: prefix, number: number)
        try RecordingTarget.check(lent: lent.file, lent.name)
        do throws(RecordingError) {
            return (lent.name, try GrowingWaveFile(lent.file, rate: rate))
        } catch {
            // The first error is the one to report.
            if let made = try? RecordingFile(lent.name, lent.file) { try? remove(made) }
            throw error
        }
    }

    /// Makes a new file with the header of an empty recording.
    public func create(_ number: Int) throws(RecordingError) -> (name: String, file: Descriptor) {
        let (name, wave) = try create(number, rate: RecordingQuality.low.rate)
        return (name, wave.file)
    }

    /// Makes a new file that has a header before it has a name, so that a kill never leaves a file without one. Where the
    /// file system cannot do that, the header follows at once.
    private func create(
        _ number: Int, begin: (Descriptor) throws(RecordingError) -> GrowingWaveFile
    ) throws(RecordingError) -> (name: String, wave: GrowingWaveFile) {
        let unnamed = dictation_linux_unnamed_file(folder.rawValue)
        if unnamed >= 0 {
            let wave = try begin(Descriptor(owning: unnamed))
            let path = "/proc/self/fd/\(unnamed)"
            for name in names(of: number) {
                if linkat(AT_FDCWD, path, folder.rawValue, name, AT_SYMLINK_FOLLOW) == 0 {
                    return (name, wave)
                }
                guard errno == EEXIST else { break }
            }
        }
        var code = EEXIST
        for name in names(of: number) where code == EEXIST {
            let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
            let opened = openat(folder.rawValue, name, flags, 0o600)
            guard opened >= 0 else {
                code = errno
                continue
            }
            let file = Descriptor(owning: opened)
            do throws(RecordingError) {
                return (name, try begin(file))
            } catch {
                // The first error is the one to report.
                if let made = try? RecordingFile(name, file) { try? remove(made) }
                throw error
            }
        }
        throw RecordingError("A file of the recording cannot be made", code)
    }

    /// The names to try for a file, in order.
    private func names(of number: Int) -> [String] {
        let digits = String(number)
        let base = prefix + "-" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        return (1...Self.attempts).map { base + ($0 == 1 ? "" : "-\($0)") + ".wav" }
    }

    /// Removes a file that was made here, unless it has changed since, or its name belongs to another file now.
    public func remove(_ file: RecordingFile) throws(RecordingError) {
        if let lender { return try lender.remove(file, in: folder) }
        var status = stat()
        guard fstatat(folder.rawValue, file.name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            if errno == ENOENT { return }
            throw RecordingError("The file \(file.name) cannot be removed", errno)
        }
        guard RecordingFile(file.name, status) == file else { return }
        if unlinkat(folder.rawValue, file.name, 0) != 0, errno != ENOENT {
            throw RecordingError("The file \(file.name) cannot be removed", errno)
        }
    }

    /// Waits until the names are on the disk. A folder that may not be read cannot be waited for.
    public func sync() throws(RecordingError) {
        let opened = openat(folder.rawValue, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard opened >= 0 else { return }
        let readable = Descriptor(owning: opened)
        if fsync(readable.rawValue) != 0, errno != EINVAL {
            throw RecordingError("The recording's folder cannot be written", errno)
        }
    }
}

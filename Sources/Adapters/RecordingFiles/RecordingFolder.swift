internal import CLinux
internal import DictationCore
internal import EventLoop
internal import Glibc

/// The folder that a recording's files are made in.
///
/// A name is one path component, and a file is made by `linkat` or with O_EXCL: so it is beneath the folder, no link is
/// followed, and no existing file is opened. `openat2` would promise the same, but `RestrictSUIDSGID=` of systemd refuses it.
struct RecordingFolder: Sendable {
    private let folder: Descriptor
    private let prefix: String
    /// Names that are tried for a file if others have them already.
    private static let attempts = 9

    /// - Parameter prefix: of the names; without `/`. By default a new one.
    init(_ folder: Descriptor, prefix: String? = nil) {
        self.folder = folder
        self.prefix = prefix ?? Self.newPrefix()
    }

    /// The date and time, so that names are unique and in order.
    private static func newPrefix() -> String {
        var now = time(nil)
        var local = tm()
        localtime_r(&now, &local)
        var text = [CChar](repeating: 0, count: 64)
        strftime(&text, text.count, "\(RecordingName.start)%Y%m%d-%H%M%S", &local)
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Whether files can be made here, as far as this can be known without making one.
    func check() throws(RecordingError) {
        guard faccessat(folder.rawValue, ".", W_OK | X_OK, AT_EACCESS) == 0 else {
            throw RecordingError("The folder 'record' cannot be written", errno)
        }
    }

    /// Makes a new file that has a header before it has a name, so that a kill never leaves a file without one. Where the
    /// file system cannot do that, the header follows at once.
    func create(_ number: Int, rate: Int) throws(RecordingError) -> (name: String, wave: GrowingWaveFile) {
        let unnamed = dictation_linux_unnamed_file(folder.rawValue)
        if unnamed >= 0 {
            let wave = try GrowingWaveFile(Descriptor(owning: unnamed), rate: rate)
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
                return (name, try GrowingWaveFile(file, rate: rate))
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
    func remove(_ file: RecordingFile) throws(RecordingError) {
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
    func sync() throws(RecordingError) {
        let opened = openat(folder.rawValue, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard opened >= 0 else { return }
        let readable = Descriptor(owning: opened)
        if fsync(readable.rawValue) != 0, errno != EINVAL {
            throw RecordingError("The recording's folder cannot be written", errno)
        }
    }
}

import ArgumentParser
import DictationClient
import EventLoop
import Glibc

/// Options for a recording of the microphone.
struct RecordingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Record the microphone as WAV: into a new file of this name, or, if it is a folder, into files in it.",
            valueName: "file|folder"),
        completion: .file())
    var record: String?

    @Option(help: "The quality of the recording: low (16 kHz), medium (22.05 kHz) or high (44.1 kHz).")
    var quality: QualityOption?

    @Option(
        help: ArgumentHelp(
            "The maximum length of a recorded file in a folder, 5 to 3600; 30 without it.",
            valueName: "seconds"))
    var segmentSeconds: UInt32?

    @Flag(help: "Keep the recording of what is discarded.")
    var keepCancelled = false

    func validate() throws {
        if let segmentSeconds, !(5...3600).contains(segmentSeconds) {
            throw ValidationError("--segment-seconds takes 5 to 3600.")
        }
        guard record == nil else { return }
        if quality != nil || segmentSeconds != nil || keepCancelled {
            throw ValidationError("--quality, --segment-seconds and --keep-cancelled need --record.")
        }
    }

    /// Opens the folder, or makes the file. Call it when nothing else can fail: an empty file would be left.
    func apply(to options: inout StartOptions) throws {
        guard let record else { return }
        options.record = try RecordingPlace(path: record).descriptor
        options.quality = quality.flatMap { StartOptions.Quality(rawValue: $0.rawValue) }
        options.recordedSegment = segmentSeconds.map { .seconds($0) }
        options.keepsCancelled = keepCancelled
    }
}

/// The cases are those of `StartOptions.Quality`.
enum QualityOption: String, ExpressibleByArgument, CaseIterable {
    case low, medium, high
}

/// A folder that exists, or a new file.
struct RecordingPlace {
    let descriptor: Descriptor

    init(path: String) throws(InputFileError) {
        var opened = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if opened < 0, errno == ENOENT || errno == ENOTDIR {
            opened = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        }
        guard opened >= 0 else {
            throw InputFileError(path: path, message: String(cString: strerror(errno)), status: .ioError)
        }
        descriptor = Descriptor(owning: opened)
    }

    /// Whether it is a single file.
    static func isFile(_ descriptor: Descriptor) -> Bool {
        var status = stat()
        return fstat(descriptor.rawValue, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }
}

extension StartOptions {
    /// A single file cannot be continued by another session. Files in a folder can.
    /// - Returns: whether another session will record nothing.
    mutating func endsRecording() -> Bool {
        guard let record, RecordingPlace.isFile(record) else { return false }
        self.record = nil
        quality = nil
        recordedSegment = nil
        keepsCancelled = false
        return true
    }
}

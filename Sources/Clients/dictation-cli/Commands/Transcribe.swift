import ArgumentParser
import DictationClient
import EventLoop
import SoundFiles

struct Transcribe: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the text of sound files.",
        discussion: """
            Takes WAV, FLAC, Ogg, Opus, MP3 and other files that libsndfile reads, and raw 16-bit mono sound at 16 kHz; \
            “-” is standard input, WAV or raw. ffmpeg converts what is left: ffmpeg -i talk.mp4 -f wav - | \
            dictation-cli transcribe -. A file that cannot be transcribed does not stop the others; the exit code is \
            that of the first error.
            """)

    @OptionGroup var busOptions: BusOptions
    @OptionGroup var speech: SpeechOptions

    @Argument(help: "The files.", completion: .file())
    var files: [String]

    enum Format: String, CaseIterable, ExpressibleByArgument {
        case text, srt, vtt, json
    }

    @Option(help: "What is written: text, subtitles as srt or vtt, or a line of JSON with the details.")
    var format = Format.text

    @Flag(help: "The same as --format json.")
    var json = false

    func validate() throws {
        if format == .srt || format == .vtt, files.count > 1 {
            throw ValidationError("Subtitles are written for one file at a time.")
        }
        if json, format != .text, format != .json {
            throw ValidationError("Choose one of --json and --format.")
        }
    }

    func run() async throws {
        var options = StartOptions()
        options.sendsPartials = false
        try speech.apply(to: &options)
        let client = try await busOptions.connect()
        try await OwnPermission.request(for: [.speech], client)
        var failure: ExitStatus?
        for path in files {
            do {
                let file = try InputFile(path: path).descriptor
                let damage = Lock<String?>(nil)
                let sound = try SoundFileStream(of: file) { reason in damage.withLock { $0 = reason } }
                options.input = sound?.stream ?? file
                try await transcribe(path, file, with: options, client)
                if let damage = damage.withLock({ $0 }) {
                    throw InputFileError(path: path, message: damage, status: .dataError)
                }
            } catch let error as InputFileError {
                Output.standardError.writeNotice("\(error)")
                failure = failure ?? error.status
            } catch let error as EventLoopError {
                Output.standardError.writeNotice("\(path): \(error)")
                failure = failure ?? .tryAgain
            } catch let error as DictationError {
                Output.standardError.writeNotice("\(path): \(error.sentence)")
                if error.code == .unsupportedFormat, path != "-" {
                    Output.standardError.writeNotice(Self.conversion(of: path))
                }
                failure = failure ?? ExitStatus(error.code)
                // Without a service the other files would fail too.
                if [.disconnected, .serviceUnavailable].contains(error.code) { break }
            }
        }
        if let failure { throw failure.code }
    }

    /// The commands that transcribe a file of another kind.
    private static func conversion(of path: String) -> String {
        let harmless = path.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 }
        let name = harmless ? "'" + path.replacing("'", with: "'\\''") + "'" : "FILE"
        return "ffmpeg may read it: ffmpeg -i \(name) -f wav - | dictation-cli transcribe -"
    }

    /// - Parameter file: read by this program or by the service, which shows how far it is.
    private func transcribe(
        _ path: String, _ file: Descriptor, with options: StartOptions, _ client: DictationClient
    ) async throws {
        let session = try await client.start(options)
        let progress = Progress(of: path, file, session)
        defer { progress.end() }
        var subtitles: SubtitleFile? =
            switch format {
            case .srt: SubtitleFile(.subRip)
            case .vtt: SubtitleFile(.webVTT)
            case .text, .json: nil
            }
        if let header = subtitles?.header { try Output.standardOutput.text(header, terminator: "") }
        var said: Set<SoundProblem> = []
        let failure = try await session.read { event in
            if case .final(let final) = event {
                try progress.interrupt { () throws(OutputError) in
                    try show(final, of: path, &subtitles)
                    if let notice = final.filterNotice {
                        Output.standardError.writeNotice("\(path): \(notice)")
                    }
                    let problems = final.problems.filter { !said.contains($0) }
                    if let notice = problems.notice { Output.standardError.writeNotice("\(path): \(notice)") }
                }
            } else if case .problemsChanged(let problems) = event {
                let new = problems.filter { said.insert($0).inserted }
                if let notice = new.notice {
                    try progress.interrupt { Output.standardError.writeNotice("\(path): \(notice)") }
                }
            } else if let notice = event.notice {
                try progress.interrupt { Output.standardError.writeNotice(notice) }
            }
        }
        if let failure { throw failure }
    }

    private func show(
        _ final: Final, of path: String, _ subtitles: inout SubtitleFile?
    ) throws(OutputError) {
        let output = Output.standardOutput
        if let lines = subtitles?.lines(of: final) {
            try output.text(lines, terminator: "")
        } else if json || format == .json {
            try output.line(JSON.object([("file", .string(path))] + final.members).text)
        } else if !final.text.isEmpty {
            try output.text(final.text)
        }
    }
}

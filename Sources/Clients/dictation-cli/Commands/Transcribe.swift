import ArgumentParser
import DictationClient

struct Transcribe: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the text of sound files.",
        discussion: """
            Takes WAV files and raw 16-bit mono sound at 16 kHz; “-” is standard input. A file that cannot be \
            transcribed does not stop the others; the exit code is that of the first error.
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
                options.input = try InputFile(path: path).descriptor
                try await transcribe(path, with: options, client)
            } catch let error as InputFileError {
                Output.standardError.note("\(error)")
                failure = failure ?? error.status
            } catch let error as DictationError {
                Output.standardError.note("\(path): \(error)")
                failure = failure ?? ExitStatus(error.code)
                // Without a service the other files would fail too.
                if [.disconnected, .serviceUnavailable].contains(error.code) { break }
            }
        }
        if let failure { throw failure.code }
    }

    private func transcribe(_ path: String, with options: StartOptions, _ client: DictationClient)
        async throws
    {
        let session = try await client.start(options)
        let progress = Progress(of: path, options.input, session)
        defer { progress.end() }
        let failure = try await session.read { event in
            if case .final(let final) = event {
                try progress.interrupt { () throws(OutputError) in try show(final, of: path) }
            } else if let notice = event.notice {
                try progress.interrupt { Output.standardError.note(notice) }
            }
        }
        if let failure { throw failure }
    }

    private func show(_ final: Final, of path: String) throws(OutputError) {
        let output = Output.standardOutput
        switch json ? .json : format {
        case .json: try output.line(JSON.object([("file", .string(path))] + final.members).text)
        case .srt: try output.text(Subtitles(final).subRip, terminator: "")
        case .vtt: try output.text(Subtitles(final).webVTT, terminator: "")
        case .text: if !final.text.isEmpty { try output.text(final.text) }
        }
    }
}

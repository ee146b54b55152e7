import DictationClient
import EventLoop

/// A progress bar on standard error during transcription, if that takes more than a second and there is a terminal.
final class Progress: Sendable {
    private let region = Lock(LiveRegion())
    private let task = Lock<Task<Void, Never>?>(nil)

    init(of title: String, _ file: Descriptor?, _ session: DictationSession) {
        guard Output.standardError.isTerminal, let file else { return }
        let task = Task { [weak self] in
            let began = ContinuousClock().now
            try? await Task.sleep(for: .seconds(1))
            while !Task.isCancelled, let status = try? await session.status() {
                let fraction = Self.fraction(file, status)
                let elapsed = (ContinuousClock().now - began) / .seconds(1)
                self?.draw(
                    ProgressBar(
                        title: title, fraction: fraction, seconds: status.duration,
                        left: ProgressBar.secondsLeft(after: elapsed, fraction)))
                try? await Task.sleep(for: .milliseconds(200))
            }
        }
        self.task.withLock { $0 = task }
    }

    /// The service reads ahead of decoding.
    private static func fraction(_ file: Descriptor, _ status: SessionStatus) -> Double? {
        guard let read = file.fractionRead else { return nil }
        guard status.duration > 0 else { return read }
        return read * max(0, status.duration - status.lag) / status.duration
    }

    private func draw(_ bar: ProgressBar) {
        let columns = Terminal.size.columns
        let line = bar.line(columns: columns - 1)
        region.withLock { region in
            guard !Task.isCancelled else { return }
            let output = region.draw([line], widths: [DisplayText.width(line)], columns: columns)
            try? Output.standardError.write(output)
        }
    }

    /// Removes the bar while something else is written.
    func interrupt(_ body: () throws(OutputError) -> Void) throws(OutputError) {
        try? Output.standardError.write(region.withLock { $0.erase(columns: Terminal.size.columns) })
        try body()
    }

    func end() {
        task.withLock { $0.take() }?.cancel()
        try? Output.standardError.write(region.withLock { $0.erase(columns: Terminal.size.columns) })
    }
}

/// `speech.wav  ████████░░░░  62 %  3:07  0:21 left`
struct ProgressBar {
    var title: String
    /// 0 to 1; nil if the total is unknown.
    var fraction: Double?
    /// Seconds of audio so far.
    var seconds: Double
    /// Seconds until the end, estimated.
    var left: Double?

    /// Nil while the fraction says little.
    static func secondsLeft(after elapsed: Double, _ fraction: Double?) -> Double? {
        guard let fraction, fraction >= 0.02, fraction <= 1 else { return nil }
        return elapsed * (1 - fraction) / fraction
    }

    private static func clock(_ seconds: Double) -> String {
        let whole = Int(seconds)
        return "\(whole / 60):" + (whole % 60 < 10 ? "0" : "") + "\(whole % 60)"
    }

    func line(columns: Int) -> String {
        let time = Self.clock(seconds) + (left.map { "  \(Self.clock($0)) left" } ?? "")
        let name = DisplayText.truncated(DisplayText.harmless(title), to: max(8, columns / 3))
        guard let fraction else { return DisplayText.truncated("\(name)  \(time)", to: columns) }
        let percent = String(Int(fraction * 100))
        let tail = String(repeating: " ", count: 3 - min(3, percent.count)) + "\(percent) %  \(time)"
        let width = columns - DisplayText.width(name) - tail.count - 4
        guard width >= 4 else { return DisplayText.truncated("\(name)  \(tail)", to: columns) }
        let full = Int((Double(width) * min(1, max(0, fraction))).rounded())
        return name + "  " + String(repeating: "█", count: full)
            + String(repeating: "░", count: width - full) + "  " + tail
    }
}

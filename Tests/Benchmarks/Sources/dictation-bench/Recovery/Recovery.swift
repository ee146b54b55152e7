import ArgumentParser
import Foundation

/// The time until the microphone is closed, and until sound flows again, with the real daemon on a private bus and a
/// private PipeWire with a microphone at the pace of real time.
struct Recovery: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Interruptions, lost microphones and a lost audio server, beside pw-record.")

    @Option(help: "How often each event is brought about that is quickly done.")
    var cycles = 100
    @Option(help: "How often each event is brought about that takes long.")
    var slowCycles = 40
    @Flag(help: "Fail where a goal is not reached.")
    var check = false

    func validate() throws {
        guard cycles > 0, slowCycles > 0 else { throw ValidationError("Once at least.") }
    }

    func run() async throws {
        var begins: [Figure] = []
        var ends: [Figure] = []
        for interruption in try await Interruptions.measure(cycles: cycles, slowCycles: slowCycles) {
            begins.append(interruption.begin)
            ends.append(interruption.end)
        }
        let sources = try await SourceChanges.measure(cycles: cycles)
        Self.tell("the audio server killed")
        let loss = try await ServerLoss.measure(cycles: slowCycles)
        Self.tell("starts")
        let start = try await Starts.measure(cycles: cycles)

        begins += sources.begins + [loss.told]
        let latencies = [start] + ends + sources.ends + [loss.back]
        begins.print("Recovery: from the beginning of an interruption to the closed microphone", unit: "ms")
        latencies.print("Recovery: from the end of an interruption to the first sound", unit: "ms")
        sources.moves.print("Recovery: moved between two microphones → frames lost at 16 kHz", unit: "frames")
        let heard = sources.heard
        print(
            "\nHeard over all those moves, of \(heard.all) frames: \(heard.ours) by the daemon's session, which "
                + "told of \(heard.told) dropped; \(heard.theirs) by pw-record.")
        let missed = (begins + latencies + sources.moves).filter { !$0.reachesGoal }
        if !missed.isEmpty { print("\nNot reached: \(missed.map(\.event).joined(separator: "; ")).") }
        if check, !missed.isEmpty { throw ExitCode(1) }
    }

    /// Waits for a part of the graph's cycle, so that the next action comes at a random time of it.
    static func loseStep() async throws {
        try await Task.sleep(for: .microseconds(Int.random(in: 0..<20_000)))
    }

    /// Reports progress on standard error.
    static func tell(_ what: String) {
        FileHandle.standardError.write(Data("Measuring: \(what)\n".utf8))
    }
}

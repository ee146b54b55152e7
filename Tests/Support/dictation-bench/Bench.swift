import ArgumentParser

/// Figures of the real daemon, side by side with those of other programs in the same run: machines are noisy, so it
/// is the ratio that counts. `packaging/bench` builds it for release and runs every part, or those that are named.
@main struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dictation-bench", abstract: "Measure the daemon beside other programs.",
        subcommands: [
            RecognitionBench.self, Recovery.self, Activation.self, Events.self, WrittenFormBench.self,
        ])
}

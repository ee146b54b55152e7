import ArgumentParser

/// Measures the real daemon and other programs in the same run. Machines are noisy, so the ratio counts.
/// `packaging/bench` builds it for release and runs all or the named parts.
@main struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dictation-bench", abstract: "Measure the daemon beside other programs.",
        subcommands: [
            RecognitionBench.self, Recovery.self, Activation.self, Events.self, WrittenFormBench.self,
            MarkBench.self, Attacks.self,
        ])
}

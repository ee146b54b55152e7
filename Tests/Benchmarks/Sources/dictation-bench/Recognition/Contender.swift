import DictationRig
import DictationTestKit
import Foundation

/// A program that recognises a raw file, for comparison.
struct Contender: Sendable {
    let name: String
    let command: @Sendable (_ file: String) -> [String]

    func decode(_ file: String) async throws -> Measured { try await Measured.run(command(file)) }

    private static let model = "/usr/share/pocketsphinx/model/en-us"
    private static let files = [
        "-hmm", "\(model)/en-us", "-lm", "\(model)/en-us.lm.bin", "-dict", "\(model)/cmudict-en-us.dict",
    ]
    /// The daemon's passes and states.
    static let daemonsPasses = ["-fwdflat", "no", "-bestpath", "yes", "-maxhmmpf", "5000"]

    /// The bare loop over libpocketsphinx.
    static func loop(_ name: String = "C loop", _ options: [String] = [], splits: Bool = true) -> Contender {
        Contender(name: name) { file in
            [executable("reference-loop"), splits ? "split" : "whole", file] + files + options
        }
    }

    /// The bare loop at the pace of real time, for its hypotheses.
    static let liveLoop = Contender(name: "C loop, live") { file in
        [executable("reference-loop"), "live", file] + files
    }

    /// Debian's own program.
    static let continuous = Contender(name: "pocketsphinx_continuous") { file in
        ["pocketsphinx_continuous", "-infile", file]
    }

    /// PyPI's `pocketsphinx` 5 in a temporary environment, with the same model files.
    static func five(in folder: TemporaryDirectory) async throws -> Contender {
        let python = folder.path(of: "venv/bin/python")
        try await Sox.run(["python3", "-m", "venv", folder.path(of: "venv")])
        try await Sox.run([python, "-m", "pip", "--quiet", "install", "pocketsphinx==5.1.1"])
        let script = try folder.write(program, to: "five.py")
        return Contender(name: "PyPI pocketsphinx 5") { file in [python, script, file, model] }
    }

    private static let program = """
        import sys
        from pocketsphinx import Decoder, Segmenter
        model = sys.argv[2]
        decoder = Decoder(hmm=model + "/en-us", lm=model + "/en-us.lm.bin", dict=model + "/cmudict-en-us.dict")
        with open(sys.argv[1], "rb") as file:
            for segment in Segmenter().segment(file):
                decoder.start_utt()
                for start in range(0, len(segment.pcm), 4096):
                    decoder.process_raw(segment.pcm[start:start + 4096], False, False)
                decoder.end_utt()
                if decoder.hyp():
                    print(decoder.hyp().hypstr)
        """
}

import DictationRig
import DictationTestKit
import Testing

/// The picture in the README is `.build/screenshots/dictating.png` of this test.
@Suite struct ReadmePictureTests {
    @Test func whisperWritesALetterWhileItIsSpoken() async throws {
        let desk = try await ShellDesk(engine: "answering", fallback: "wait")
        let engine = try await desk.startWhisper()
        let window = try await desk.open("gtk3-view", "A letter")
        try await desk.startDictating()
        try desk.microphone.go(at: .spoken)
        do {
            try desk.microphone.play(Speech.silence(0.3) + Speech.john() + Speech.silence(4))
            try await eventually("the first sentence is committed", within: .seconds(60)) {
                window.text().contains("to do for them")
            }
            // PocketSphinx never writes this.
            try desk.microphone.play(Speech.amiable())
            try await eventually("the next one is shown", within: .seconds(60)) {
                window.preedit().contains("Had he married a more amiable woman, he")
            }
        } catch {
            let log = desk.daemon.text(of: .errors).suffix(2000)
            throw TestFailure("\(error), but \(window.text()) | \(window.preedit())\n\(log)")
        }
        #expect(window.text().contains("Mr. John Dashwood"), "\(window.text())")
        try await desk.takeScreenshot("dictating", of: (x: 300, y: 0, width: 980, height: 240))
        try await desk.stopDictating()
        try await window.close()
        try await desk.end()
        engine.process.terminate()
        _ = try await engine.process.exitStatus()
    }
}

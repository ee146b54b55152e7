import DictationCore
import Testing

@testable import Microphone

@Suite struct CaptureProgressTests {
    @Test func reportsFlowOnce() {
        var progress = CaptureProgress()
        #expect(progress.feed(.source("mic")) == .linked("mic"))
        progress.change(.streaming)
        #expect(progress.arrive() == .flowing)
        #expect(progress.arrive() == nil)
        progress.change(.paused)
        // Samples from before the pause.
        #expect(progress.arrive() == nil)
        progress.change(.streaming)
        #expect(progress.arrive() == .flowing)
        #expect(progress.feed(.source("mic")) == nil)
        #expect(progress.feed(.source("other")) == .linked("other"))
    }

    @Test func reportsAStallOnce() {
        var progress = CaptureProgress()
        #expect(progress.stall() == .stalled)
        #expect(progress.stall() == nil)
        _ = progress.feed(.source("mic"))
        progress.change(.streaming)
        #expect(progress.arrive() == .flowing)
        #expect(progress.stall() == .stalled)
    }

    @Test func otherNodesDoNotFlow() {
        var progress = CaptureProgress()
        progress.change(.streaming)
        #expect(progress.arrive() == nil)
        #expect(progress.feed(.other) == .stalled)
        #expect(progress.arrive() == nil)
        #expect(!progress.isMicrophone)
        // Between two sources the last one counts.
        #expect(progress.feed(.none) == nil)
        #expect(!progress.isMicrophone)
        #expect(progress.feed(.source("mic")) == .linked("mic"))
        #expect(progress.feed(.none) == nil)
        #expect(progress.isMicrophone)
    }
}

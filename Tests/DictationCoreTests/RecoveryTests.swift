import DictationCore
import Testing

@Suite struct RecoveryTests {
    @Test func reopensAStalledStream() {
        var scenario = Scenario()
        let session = scenario.listen()
        scenario.handle(.capture(CaptureID(rawValue: 1), .stalled))
        #expect(scenario.captures.isEmpty)
        scenario.wait(.milliseconds(50))
        scenario.flow(session)
        #expect(scenario.story(session) == ["starting (route)", "listening (flowing)"])
    }

    @Test func retriesWithBackoffAndReportsOneError() {
        var scenario = Scenario()
        let session = scenario.listen()
        var openings: [Duration] = []
        for _ in 1...40 {
            guard let capture = scenario.capture(of: session) else { break }
            openings.append(scenario.now)
            scenario.handle(.capture(capture, .failed(.refused("busy"))))
            scenario.wait(.seconds(5))
        }
        #expect(openings.count == 40)
        let story = scenario.story(session)
        #expect(story.filter { $0.hasPrefix("Error") } == ["Error routeChangeFailed"])
        #expect(story.filter { $0.hasPrefix("Interrupted") } == ["Interrupted no-source"])
    }

    @Test func retriesBetween50MillisecondsAnd5Seconds() {
        var scenario = Scenario()
        let session = scenario.listen()
        var waits: [Duration] = []
        for _ in 1...10 {
            guard let capture = scenario.capture(of: session) else { break }
            scenario.handle(.capture(capture, .failed(.noSource)))
            let before = scenario.now
            guard let deadline = scenario.machine.nextDeadline else { break }
            waits.append(deadline - before)
            scenario.wait(deadline - before)
        }
        #expect(
            waits == [50, 100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000].map { Duration.milliseconds($0) })
    }

    @Test func aSilentOpenStreamTimesOut() {
        var scenario = Scenario()
        let session = scenario.start()
        scenario.wait(scenario.machine.settings.openTimeout)
        #expect(scenario.story(session).contains("Interrupted no-source"))
        scenario.wait(.milliseconds(50))
        scenario.flow(session)
        #expect(scenario.story(session).last == "listening (flowing)")
    }

    @Test func changedSourcesRetryAtOnce() {
        var scenario = Scenario()
        let session = scenario.listen()
        for _ in 1...8 {
            guard let capture = scenario.capture(of: session) else { break }
            scenario.handle(.capture(capture, .failed(.noSource)))
            if scenario.capture(of: session) == nil { scenario.wait(.seconds(4)) }
        }
        #expect(scenario.captures.isEmpty)
        scenario.handle(.audio(.facts([.builtIn, .usb], default: .usb)))
        #expect(scenario.capture(of: session) != nil)
    }

    @Test func doesNotOpenASecondStream() {
        var scenario = Scenario()
        _ = scenario.listen()
        scenario.call(.resume)
        scenario.handle(.tick)
        #expect(scenario.captures.count == 1)
    }

    @Test func lossesCountForTheirBlockAndTheirSession() {
        var scenario = Scenario()
        let session = scenario.listen()
        guard let capture = scenario.capture(of: session) else {
            Issue.record("no stream")
            return
        }
        scenario.handle(.capture(capture, .dropped(frames: 320)))
        scenario.call(.commit)
        scenario.handle(.capture(capture, .dropped(frames: 160)))
        scenario.handle(.recognition(session, .overrun(1, frames: 80)))
        scenario.handle(.recognition(session, .blockEnded(1, duration: 1)))
        #expect(scenario.finals(session).map(\.droppedFrames) == [400])
        scenario.call(.commit)
        scenario.handle(.recognition(session, .blockEnded(2, duration: 1)))
        #expect(scenario.finals(session).map(\.droppedFrames) == [400, 160])
        #expect(scenario.state()?.droppedFrames == 560)
    }

    @Test func aLostEngineIsReplacedAndTheTextKept() {
        var scenario = Scenario()
        let session = scenario.listen()
        scenario.say("one", in: session)
        scenario.handle(.recognition(session, .engineLost(.failed, message: "gone")))
        #expect(scenario.captures.isEmpty)
        #expect(
            scenario.story(session) == [
                "Interrupted engine-lost", "Error engineFailed", "interrupted (engine-lost)",
            ])
        scenario.clear()
        scenario.wait(.milliseconds(50))
        #expect(
            scenario.effects.contains {
                if case .openTranscription(session, _, 1) = $0 { true } else { false }
            }
        )
        scenario.handle(.recognition(session, .ready))
        scenario.flow(session)
        scenario.say("two", in: session)
        #expect(scenario.story(session).contains("Resumed engine-lost"))
        #expect(scenario.state()?.text == "one two")
    }

    /// The next engine's passages replace its own previews only.
    @Test func aLostEnginesPreviewsAreNotReplacedLater() {
        var scenario = Scenario()
        let session = scenario.listen()
        scenario.handle(.recognition(session, .preview(1, Segment(text: ""))))
        scenario.handle(.recognition(session, .engineLost(.failed, message: "gone")))
        scenario.wait(.milliseconds(50))
        scenario.handle(.recognition(session, .ready))
        scenario.flow(session)
        scenario.handle(.recognition(session, .preview(1, Segment(text: "to"))))
        let passage = PassageText(replaces: 1, segment: Segment(text: "two"), engine: "better")
        scenario.handle(.recognition(session, .passage(1, passage)))
        #expect(scenario.state()?.text == "two")
    }

    @Test func commitsGetTheTextSoFarWhenTheEngineIsLost() {
        var scenario = Scenario()
        let session = scenario.listen()
        scenario.say("half", in: session)
        scenario.handle(.recognition(session, .hypothesis(1, "a loaf")))
        let heard = scenario.call(.commit)
        scenario.handle(.captured(session, frames: 1600))
        let unheard = scenario.call(.commit)
        scenario.handle(.recognition(session, .engineLost(.failed, message: "gone")))
        #expect(scenario.answers(to: heard).map(\.committed) == ["1 half a loaf"])
        #expect(scenario.answers(to: unheard) == [.refused(.engineFailed)])
        #expect(scenario.finals(session).map(\.problems) == [["segment-lost"]])
    }

    /// Nobody waits for a reply.
    @Test func speechThatIsLostAtTheEndIsReported() {
        var scenario = Scenario()
        let session = scenario.listen()
        scenario.handle(.recognition(session, .speechBegan(1, at: 0)))
        scenario.handle(.captured(session, frames: 1600))
        scenario.handle(.shutdown)
        scenario.handle(.recognition(session, .engineLost(.failed, message: "gone")))
        #expect(scenario.story(session).suffix(2) == ["Error engineFailed", "Stopped shutdown"])
    }

    @Test func commitWithoutAnEngineGivesTheTextSoFar() {
        var scenario = Scenario()
        let session = scenario.listen()
        scenario.say("so far", in: session)
        scenario.handle(.recognition(session, .engineLost(.failed, message: "gone")))
        scenario.clear()
        let commit = scenario.call(.commit)
        #expect(scenario.answers(to: commit).map(\.committed) == ["1 so far"])
        let empty = scenario.call(.commit)
        #expect(scenario.answers(to: empty).map(\.committed) == ["2 "])
        #expect(!scenario.effects.contains { if case .transcription = $0 { true } else { false } })
    }

    @Test func textResetsTheEngineBackoff() {
        var scenario = Scenario()
        let session = scenario.listen()
        for _ in 1...3 {
            scenario.handle(.recognition(session, .engineLost(.failed, message: "gone")))
            scenario.wait(.seconds(1))
        }
        scenario.handle(.recognition(session, .ready))
        scenario.flow(session)
        scenario.say("one", in: session)
        scenario.handle(.recognition(session, .engineLost(.failed, message: "gone")))
        scenario.clear()
        scenario.wait(.milliseconds(50))
        #expect(scenario.effects.contains { if case .openTranscription = $0 { true } else { false } })
    }

    @Test func replacesAnEngineBetween50MillisecondsAnd5Seconds() {
        var scenario = Scenario()
        let session = scenario.listen()
        for milliseconds in [50, 100, 200, 400, 800, 1600, 3200, 5000, 5000] {
            scenario.handle(.recognition(session, .engineLost(.failed, message: "gone")))
            scenario.clear()
            func isReplaced() -> Bool {
                scenario.effects.contains { if case .openTranscription = $0 { true } else { false } }
            }
            scenario.wait(.milliseconds(milliseconds - 1))
            #expect(!isReplaced(), "\(milliseconds)")
            scenario.wait(.milliseconds(1))
            #expect(isReplaced(), "\(milliseconds)")
        }
    }

    @Test func retriesAFailingEngineWithBackoff() {
        var scenario = Scenario()
        let session = scenario.listen()
        for _ in 1...20 {
            scenario.handle(.recognition(session, .engineLost(.failed, message: "gone")))
            scenario.wait(.seconds(5))
        }
        #expect(scenario.story(session).filter { $0.hasPrefix("Error") } == ["Error engineFailed"])
        #expect(
            scenario.effects.filter { if case .openTranscription = $0 { true } else { false } }.count == 20)
    }

    @Test func aLostEngineIsNotReplacedWhilePaused() {
        var scenario = Scenario()
        let session = scenario.listen()
        scenario.call(.pause)
        scenario.clear()
        scenario.handle(.recognition(session, .engineLost(.failed, message: "gone")))
        scenario.wait(.seconds(60))
        #expect(scenario.story(session) == ["Error engineFailed"])
        #expect(!scenario.effects.contains { if case .openTranscription = $0 { true } else { false } })
        scenario.call(.resume)
        #expect(scenario.effects.contains { if case .openTranscription = $0 { true } else { false } })
        scenario.handle(.recognition(session, .ready))
        scenario.flow(session)
        #expect(scenario.story(session).last == "listening (flowing)")
    }

    @Test func anEngineThatNeverBecomesReadyIsReplaced() {
        var scenario = Scenario()
        let session = scenario.start()
        scenario.flow(session)
        scenario.wait(.seconds(60))
        #expect(scenario.story(session).contains("Interrupted engine-lost"))
    }

    @Test func countsLossesThatAreReportedLate() {
        var scenario = Scenario()
        let session = scenario.listen()
        scenario.handle(.capture(CaptureID(rawValue: 1), .dropped(frames: 100)))
        scenario.call(.pause)
        scenario.handle(.capture(CaptureID(rawValue: 1), .dropped(frames: 20)))
        scenario.handle(.recognition(session, .overrun(1, frames: 3)))
        #expect(scenario.state()?.droppedFrames == 123)
    }

    @Test func countsLossesOfAReplacedStream() {
        var scenario = Scenario(audio: .facts([.builtIn, .usb], default: .builtIn))
        let session = scenario.listen()
        scenario.call(.selectRoute(.usb))
        #expect(scenario.capture(of: session) == CaptureID(rawValue: 2))
        scenario.handle(.capture(CaptureID(rawValue: 1), .dropped(frames: 100)))
        scenario.flow(session, from: .usb)
        scenario.handle(.capture(CaptureID(rawValue: 2), .dropped(frames: 20)))
        #expect(scenario.state()?.droppedFrames == 120)
    }

    @Test func aClientErrorEndsTheSessionOnce() {
        var scenario = Scenario()
        let session = scenario.start()
        scenario.flow(session)
        let commit = scenario.call(.commit)
        scenario.clear()
        scenario.handle(.recognition(session, .engineLost(.clientMistake, message: "no such word")))
        #expect(scenario.captures.isEmpty)
        #expect(scenario.story(session).filter { $0.hasPrefix("Error") } == ["Error invalidArguments"])
        #expect(scenario.story(session).last == "Stopped error")
        #expect(scenario.answers(to: commit) == [.refused(.invalidArguments)])
        scenario.wait(.seconds(60))
        let opened = scenario.effects.contains { if case .openTranscription = $0 { true } else { false } }
        #expect(!opened)
        #expect(!scenario.machine.hasSessions)
    }

    @Test func aClientErrorLeavesCommittedText() {
        var scenario = Scenario()
        let session = scenario.listen()
        scenario.say("one", in: session)
        let commit = scenario.call(.commit)
        scenario.clear()
        scenario.handle(.recognition(session, .engineLost(.clientMistake, message: "no such word")))
        #expect(scenario.answers(to: commit).first?.committed == "1 one")
        #expect(scenario.finals(session).map(\.text) == ["one"])
        #expect(scenario.story(session) == ["Error invalidArguments", "Stopped error"])
    }

    @Test func reportsTheKindOfAnEngineLoss() {
        for (loss, kind) in [
            (EngineLoss.notInstalled, Refusal.Kind.engineUnavailable), (.failed, .engineFailed),
            (.tooSlow, .timeout),
        ] {
            var scenario = Scenario()
            let session = scenario.listen()
            scenario.handle(.recognition(session, .engineLost(loss, message: "gone")))
            #expect(scenario.story(session).contains("Error \(kind)"))
            #expect(scenario.machine.hasSessions)
        }
    }

    @Test func aCommitIsAnsweredAlsoIfNoDecoderComesFree() {
        var scenario = Scenario()
        let session = scenario.start()
        scenario.flow(session)
        scenario.handle(.recognition(session, .queued))
        let commit = scenario.call(.commit)
        scenario.wait(.seconds(121))
        #expect(scenario.answers(to: commit) == [.refused(.timeout)])
    }

    @Test func waitingForADecoderIsNotStuck() {
        var scenario = Scenario()
        let session = scenario.start()
        scenario.flow(session)
        scenario.handle(.recognition(session, .queued))
        scenario.wait(.seconds(600))
        #expect(!scenario.story(session).contains { $0.hasPrefix("Error") })
        let commit = scenario.call(.commit)
        scenario.wait(.seconds(100))
        #expect(scenario.answers(to: commit).isEmpty)
        scenario.handle(.recognition(session, .ready))
        scenario.wait(.seconds(61))
        #expect(scenario.answers(to: commit) == [.refused(.timeout)])
    }

    @Test func aPauseForgetsEarlierFailures() {
        var scenario = Scenario()
        scenario.start()
        for _ in 0..<6 {
            for capture in scenario.captures.keys { scenario.handle(.capture(capture, .stalled)) }
            scenario.wait(.seconds(5))
        }
        scenario.call(.pause)
        scenario.call(.resume)
        #expect(scenario.captures.count == 1)
        for capture in scenario.captures.keys { scenario.handle(.capture(capture, .stalled)) }
        scenario.wait(.milliseconds(50))
        #expect(scenario.captures.count == 1)
    }
}

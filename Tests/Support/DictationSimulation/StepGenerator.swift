/// Random steps. Steps that advance dictation are more frequent than disturbances, so that sequences get far.
struct StepGenerator {
    var random: SeededGenerator
    /// The options of every other session of the sequence.
    private let usualStart: StartStep
    /// The next steps.
    private var next: [Step] = []

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        usualStart = [.plain, .written, .secondPass][Int(seed % 3)]
    }

    mutating func step() -> Step {
        if !next.isEmpty { return next.removeFirst() }
        if random.below(100) == 0 { next = revocation() }
        guard random.below(3) == 0 else { return anyStep() }
        return usualStart == .plain ? desk() : .recogniser(session: random.below(2), speech())
    }

    /// A commit whose permission is lost before or after its text is complete, and mostly returns; or whose session was allowed
    /// once, before the user decides about the microphone.
    private mutating func revocation() -> [Step] {
        let client = random.below(2)
        let session = random.below(2)
        if random.below(4) == 0 {
            return [
                .permission(client: client, .forgotten), .permission(client: client, .once),
                .call(client: client, .start(usualStart)), .recogniser(session: 0, .ready),
                .recogniser(session: 0, .segment(1)), .call(client: client, .commit),
                .permission(client: client, .microphoneGranted), .recogniser(session: 0, .blockEnd),
            ]
        }
        let end = Step.recogniser(session: session, .blockEnd)
        let lost: [PermissionStep] = [.denied, .speechDenied, .forgotten]
        var steps: [Step] = [
            .call(client: client, .start(usualStart)), .recogniser(session: session, .ready),
            .recogniser(session: session, .segment(1)), .call(client: client, .commit),
            .permission(client: client, lost[random.below(lost.count)]),
            .permission(client: client, .granted),
        ]
        steps.insert(end, at: 4 + random.below(3))
        if random.below(4) == 0 { steps.insert(anyStep(), at: 3 + random.below(4)) }
        return steps
    }

    /// Steps of sequences about microphones.
    private mutating func desk() -> Step {
        switch random.below(12) {
        case 0..<3: .audio(.source(random.below(Sources.count), present: true))
        case 3: .audio(.source(random.below(Sources.count), present: false))
        case 4: .audio(.defaultSource(source()))
        case 5: .audio(.defaultSource(nil))
        case 6: .call(client: random.below(Clients.count), .selectRoute(source()))
        case 7..<11: .capture(.flow)
        default: .wait(.seconds(2))
        }
    }

    /// Steps of sequences about text.
    private mutating func speech() -> RecogniserStep {
        let steps: [RecogniserStep] =
            usualStart == .written
            ? [
                .spoken(.scratch), .spoken(.scratch), .spoken(.newBlock), .spoken(.newBlock),
                .spoken(.phrase),
            ]
            : [.passage(random.below(3)), .passage(1), .passageFallback(1), .passageLost(1), .preview]
        switch random.below(12) {
        case 0..<3: return .segment(1)
        case 3: return .hypothesis
        case 4, 5: return .blockEnd
        case 6: return usualStart == .written && random.below(4) == 0 ? .spoken(.stop) : .segment(1)
        default: return steps[random.below(steps.count)]
        }
    }

    private mutating func anyStep() -> Step {
        switch random.below(100) {
        case 0..<26: .call(client: random.below(Clients.count), call())
        case 26..<28: .vanish(client: random.below(Clients.count))
        case 28: .stopReading(client: random.below(Clients.count))
        case 29..<38: .audio(audio())
        case 38..<41: .lock(random.below(3) == 0)
        case 41..<43: .sleep(random.below(3) == 0)
        case 43..<45: .seat(active: random.below(3) != 0)
        case 45..<48: .permission(client: random.below(Clients.count), permission())
        case 48..<62: .capture(capture())
        case 62: .staleCapture(back: random.below(4), capture())
        case 63: .lateCapture(fails: random.below(3) == 0)
        case 64..<68: .sound(session: random.below(3), frames: [160, 1600, 20_000][random.below(3)])
        case 68..<85: .recogniser(session: random.below(3), recogniser())
        case 85..<86: .input(session: random.below(3), fails: random.below(2) == 0)
        case 86..<87: .level(session: random.below(3))
        case 87..<89: .congestion(random.below(2) == 0)
        case 89..<90: .restored(source: source())
        case 90..<94: .player(random.below(2), player())
        case 95 where random.below(3) == 0: .settings(UInt64(random.below(30)))
        case 94: random.below(8) == 0 ? .shutdown : .audio(.same)
        default: .wait(wait())
        }
    }

    private mutating func call() -> CallStep {
        switch random.below(20) {
        case 0..<3: .start(usualStart)
        case 3..<6: .start(StartStep.allCases[random.below(StartStep.allCases.count)])
        case 6..<8: .pause
        case 8..<10: .resume
        case 10..<13: .commit
        case 13: .cancel
        case 14: random.below(6) == 0 ? .stopAll : .stop
        case 15, 16: .getSession
        case 17: .subscribe(text: random.below(2) == 0)
        case 18: .selectRoute(source())
        default: random.below(2) == 0 ? .listRoutes : .checkPermission
        }
    }

    private mutating func audio() -> AudioStep {
        switch random.below(12) {
        case 0: .server(false)
        case 1, 2: .server(true)
        case 3: .source(random.below(Sources.count), present: false)
        case 4, 5: .source(random.below(Sources.count), present: true)
        case 6: .defaultSource(source())
        case 7: .muted(random.below(Sources.count), random.below(3) == 0)
        case 8: .headsetProfile(random.below(Sources.count), random.below(2) == 0)
        case 9, 10: .call(random.below(3) == 0)
        default: .recorder(random.below(2) == 0)
        }
    }

    private mutating func source() -> Int? {
        let index = random.below(Sources.count + 1)
        return index == Sources.count ? nil : index
    }

    private mutating func permission() -> PermissionStep {
        random.below(2) == 0 ? .granted : PermissionStep.allCases[random.below(PermissionStep.allCases.count)]
    }

    private mutating func capture() -> CaptureStep {
        switch random.below(12) {
        case 0..<6: .flow
        case 6: .link(random.below(Sources.count))
        case 7: .stall
        case 8: .noSource
        case 9: .serverLost
        case 10: .refuse
        default: .drop(100)
        }
    }

    private mutating func recogniser() -> RecogniserStep {
        switch random.below(32) {
        case 26..<28: .spoken(SpokenStep.allCases[random.below(SpokenStep.allCases.count)])
        case 28, 29: .preview
        case 30: .passage(random.below(3))
        case 31:
            [RecogniserStep.passageFallback(1), .passageLost(1), .finalEngineFailed][random.below(3)]
        case 24: random.below(8) == 0 ? .mistake : .queued
        case 25: .silence
        case 0..<4: .ready
        case 4..<7: .hypothesis
        case 7..<12: .segment(random.below(8))
        case 12..<16: .blockEnd
        case 16: .speechBegan
        case 17: .speechEnded
        case 18: .segmentFailed
        case 19: .lost
        case 20: [RecogniserStep.lag, .overrun][random.below(2)]
        case 21: .hostileSegment(block: random.below(5))
        case 22: .hostileEnd(block: random.below(5))
        default: .segment(1)
        }
    }

    private mutating func player() -> PlayerStep {
        [.plays, .obeys, .obeys, .pauses, .stops, .restarts, .dies][random.below(7)]
    }

    private mutating func wait() -> Duration {
        [.milliseconds(10), .milliseconds(50), .milliseconds(500), .seconds(2), .seconds(5), .seconds(61)][
            random.below(6)]
    }
}

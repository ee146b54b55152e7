import DictationCore
import DictationTestKit
import Glibc
import Microphone
import Testing

@Suite struct RouteTests {
    @Test func followsTheDefault() async throws {
        let pipewire = try await PrivatePipeWire()
        let one = try DriverMicrophone("one", of: pipewire)
        try await withListener(to: pipewire) { listener in
            for attempt in 1...3 {
                let two = try DriverMicrophone("two", of: pipewire)
                try await pipewire.choose(defaultSource: "one")
                try await listener.facts("the chosen one") {
                    $0.sources.count == 2 && $0.defaultSource == "one"
                }
                let before = one.abandoned
                let recording = try await listener.openAndFlow()
                try await pipewire.choose(defaultSource: "two")
                try await recording.flowsSteadily(from: "two")
                let said = noise(3200)
                two.play(said)
                try await recording.find(said)
                let abandoned = two.abandoned
                two.unplug()
                try await recording.flows(from: "one")
                await recording.close()
                // A microphone that stood still itself was a stall.
                if attempt < 3, abandoned > 0 || one.abandoned > before {
                    try await listener.facts("it is gone") { $0.sources.count == 1 }
                    continue
                }
                #expect(!recording.events.contains(.stalled))
                break
            }
        }
        one.unplug()
    }

    @Test func countsFramesLostBetweenMicrophones() async throws {
        let pipewire = try await PrivatePipeWire()
        let pace = DriverMicrophone.Pace.cycle(every: .milliseconds(20))
        let plus = try DriverMicrophone("plus", of: pipewire, pace: pace)
        let minus = try DriverMicrophone("minus", of: pipewire, pace: pace)
        plus.count(.plus)
        minus.count(.minus)
        try await pipewire.choose(defaultSource: "plus")
        try await withListener(to: pipewire) { listener in
            try await listener.facts("both are there") {
                $0.sources.count == 2 && $0.defaultSource == "plus"
            }
            // Both continue while the other is captured.
            for source: NodeName in ["plus", "minus"] {
                try await listener.open(CaptureRequest(target: source, name: "keeper")).flows(from: source)
            }
            // A microphone that stopped does not count the time meanwhile.
            for attempt in 1... {
                let abandoned = plus.abandoned + minus.abandoned
                try await pipewire.choose(defaultSource: "plus")
                let recording = try await listener.openAndFlow()
                try await recording.flows(from: "plus")
                for round in 1...10 {
                    let next: NodeName = round.isMultiple(of: 2) ? "plus" : "minus"
                    try await pipewire.choose(defaultSource: next.rawValue)
                    try await recording.flows(from: next)
                    // The first buffers may be the former microphone's.
                    let sign: Int16 = next == "plus" ? 1 : -1
                    try await eventually("\(next) is heard") {
                        recording.samples.last { $0 != 0 }?.signum() == sign
                    }
                }
                await recording.close()
                if attempt < 3, plus.abandoned + minus.abandoned > abandoned { continue }
                let (changes, lost) = lostFrames(of: recording.samples)
                #expect(changes == 10)
                // The numbers begin again after two seconds, and a busy machine may stand still for longer.
                let difference = recording.dropped - lost.reduce(0, +)
                #expect(difference % DriverMicrophone.countLimit == 0, "\(recording.dropped): \(lost)")
                break
            }
        }
        plus.unplug()
        minus.unplug()
    }

    @Test func resumesASourceThatReturns() async throws {
        let pipewire = try await PrivatePipeWire()
        let microphone = try DriverMicrophone("mic", of: pipewire)
        try await withListener(to: pipewire) { listener in
            let recording = try await listener.openAndFlow()
            microphone.unplug()
            try await recording.events("it stalls") { $0.withoutDrops.last == .stalled }
            let returned = try DriverMicrophone("mic", of: pipewire)
            try await recording.flowsSteadily(from: "mic")
            let said = noise(3200)
            returned.play(said)
            try await recording.find(said)
            #expect(recording.events.withoutDrops == [.linked("mic"), .flowing, .stalled, .flowing])
        }
    }

    @Test func aCaptureOpenedWithoutASourceWaitsForOne() async throws {
        let pipewire = try await PrivatePipeWire()
        try await withListener(to: pipewire) { listener in
            try await listener.facts("the server is there") { $0.isServerAvailable }
            let recording = await listener.open()
            try await recording.events("it waits") { $0 == [.stalled] }
            let microphone = try DriverMicrophone("mic", of: pipewire)
            try await recording.flows(from: "mic")
            #expect(recording.events.withoutDrops == [.stalled, .linked("mic"), .flowing])
            microphone.unplug()
        }
    }

    @Test func aWantedSourceIsUsedWhileItIsThere() async throws {
        let pipewire = try await PrivatePipeWire()
        let common = try DriverMicrophone("common", of: pipewire, ["priority.session": "9000"])
        let wanted = try DriverMicrophone("wanted", of: pipewire)
        try await eventually("the session manager knows them") {
            let graph = try await pipewire.graph()
            return ["common", "wanted"].allSatisfy { graph.nodes(named: $0).contains { $0.ports > 0 } }
        }
        try await withListener(to: pipewire) { listener in
            try await listener.facts("both are there") { $0.sources.count == 2 }
            let recording = try await listener.openAndFlow(CaptureRequest(target: "wanted"))
            #expect(recording.events.withoutDrops == [.linked("wanted"), .flowing])
            wanted.unplug()
            try await recording.flows(from: "common")
            let returned = try DriverMicrophone("wanted", of: pipewire)
            try await listener.facts("it is back") { $0.sources.count == 2 }
            await recording.close()
            try await listener.openAndFlow(CaptureRequest(target: "wanted")).flows(from: "wanted")
            returned.unplug()
        }
        common.unplug()
    }

    /// PipeWire loses such changes: see ``ConnectionState/DefaultMismatch``.
    @Test func noticesAQuickChangeOfDefault() async throws {
        let pipewire = try await PrivatePipeWire()
        for name in ["one", "two"] { try await pipewire.addSource(name) }
        try await withListener(to: pipewire) { listener in
            let recording = try await listener.openAndFlow()
            let asking = Task {
                while !Task.isCancelled { _ = try await pipewire.defaultSource() }
            }
            defer { asking.cancel() }
            for round in 1...20 {
                let chosen: NodeName = round.isMultiple(of: 2) ? "one" : "two"
                try await pipewire.choose(defaultSource: chosen.rawValue)
                try await recording.flows(from: chosen)
                try await listener.facts("round \(round)") { $0.defaultSource == chosen }
            }
        }
    }

    /// PipeWire reports no more changes of metadata after a client has disconnected before its bind of it has ended, here
    /// because the session manager is stopped.
    @Test func followsTheDefaultAfterPipeWireStoppedReportingIt() async throws {
        let pipewire = try await PrivatePipeWire()
        for name in ["one", "two"] { try await pipewire.addSource(name) }
        let sessionManager = try #require(pipewire.sessionManager)
        try await withListener(to: pipewire) { listener in
            let recording = try await listener.openAndFlow()
            try sessionManager.stop()
            let client = try ChildProcess(["pw-metadata", "--monitor"], environment: pipewire.environment)
            _ = try await client.line(of: .output) { $0.contains("Found") }
            client.kill()
            _ = try await client.exitStatus()
            sessionManager.send(SIGCONT)
            for chosen: NodeName in ["two", "one", "two"] {
                try await pipewire.choose(defaultSource: chosen.rawValue)
                try await recording.flows(from: chosen)
                try await listener.facts("\(chosen) is the default") { $0.defaultSource == chosen }
            }
        }
    }

    /// See ``noticesAQuickChangeOfDefault()``. A stream that is linked to a monitor is closed before the default can be
    /// queried again.
    @Test func noticesThatAMonitorBecameTheDefault() async throws {
        let pipewire = try await PrivatePipeWire()
        try await pipewire.addSource("microphone")
        try await pipewire.addSink("speakers")
        try await withListener(to: pipewire) { listener in
            let asking = Task {
                while !Task.isCancelled { _ = try await pipewire.defaultSource() }
            }
            defer { asking.cancel() }
            for round in 1...20 {
                try await pipewire.choose(defaultSource: "microphone")
                try await listener.openAndFlow().close()
                try await pipewire.choose(defaultSource: "speakers")
                try await eventually("round \(round)") {
                    let recording = await listener.open()
                    try await recording.events("it has begun") { !$0.isEmpty }
                    await recording.close()
                    return listener.facts.defaultSource == nil
                }
            }
        }
    }

    @Test func neverCapturesPlayback() async throws {
        let pipewire = try await PrivatePipeWire()
        try await pipewire.addSink("speakers")
        let player = try pipewire.play([Int16](repeating: 12345, count: 60 * 16000), to: "speakers")
        try await withListener(to: pipewire) { listener in
            try await listener.facts("the server is there") { $0.isServerAvailable }
            let recording = await listener.open()
            try await eventually("the session manager links the monitor") {
                try await pipewire.graph().links("speakers", to: "dictation.capture")
            }
            let microphone = try DriverMicrophone("mic", of: pipewire)
            try await recording.flowsSteadily(from: "mic")
            let said = noise(3200).map { -abs($0) }
            microphone.play(said)
            try await recording.find(said)
            microphone.unplug()
            try await eventually("the session manager links the monitor again") {
                try await pipewire.graph().links("speakers", to: "dictation.capture")
            }
            try await recording.events("it stalls") { $0.withoutDrops.last == .stalled }
            #expect(recording.samples.allSatisfy { $0 <= 0 })
        }
        player.kill()
    }

    @Test func theWatchdogWaitsForAMovedStream() async throws {
        let pipewire = try await PrivatePipeWire()
        try await pipewire.addSource("silent")
        try await withListener(to: pipewire) { listener in
            let recording = try await listener.openAndFlow()
            for round in 1...20 {
                try await pipewire.addSource("extra", ["priority.session": "9000"])
                try await recording.events("round \(round)") { $0.last(where: \.isLink) == .linked("extra") }
                try await pipewire.removeNode("extra")
                try await recording.flows(from: "silent")
            }
            #expect(!recording.events.contains(.stalled))
        }
    }
}

/// How often two counting microphones took turns, and the frames that were lost each time some were, less whole rounds of
/// their numbers. Where both were heard for a while, none were lost.
private func lostFrames(of samples: [Int16]) -> (changes: Int, lost: [Int]) {
    let heard = samples.filter { $0 != 0 }
    let limit = DriverMicrophone.countLimit
    let pairs = zip(heard, heard.dropFirst())
    let lost = pairs.compactMap { last, next -> Int? in
        let forward = (abs(Int(next)) - abs(Int(last)) + limit) % limit
        // Ten cycles of the graph.
        let isOverlap = last.signum() != next.signum() && (forward == 0 || forward > limit - 3200)
        return isOverlap || forward == 1 ? nil : forward - 1
    }
    return (pairs.count { $0.signum() != $1.signum() }, lost)
}

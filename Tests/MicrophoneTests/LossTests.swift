import DictationCore
import DictationTestKit
import EventLoop
import Foundation
import Microphone
import Testing

@Suite struct LossTests {
    @Test func aServerThatDiesIsToldAtOnceAndFoundAgain() async throws {
        let pipewire = try await PrivatePipeWire()
        try await pipewire.addSource("mic")
        try await withListener(to: pipewire) { listener in
            let recording = try await listener.openAndFlow()
            try await pipewire.kill()
            try await recording.events("it failed") { $0.last == .failed(.serverLost) }
            try await listener.facts("the server is lost") { $0 == .serverLost }
            try await pipewire.start()
            // The news comes complete: a server without sources, then what is plugged in.
            try await listener.facts("the server is back") { $0 == AudioFacts(isServerAvailable: true) }
            try await pipewire.addSource("mic")
            try await listener.openAndFlow().flows(from: "mic")
            #expect(listener.troubles.first?.code == .disconnected)
            #expect(listener.troubles.dropFirst().allSatisfy { $0.code == .cannotConnect })
        }
    }

    @Test func aServerThatIsNotThereYetIsWaitedFor() async throws {
        let pipewire = try await PrivatePipeWire()
        try await pipewire.kill()
        try await withListener(to: pipewire) { listener in
            try await eventually("it has tried") { listener.troubles.count >= 2 }
            #expect(try await listener.open().failedAtOnce())
            #expect(listener.history.isEmpty)
            try await pipewire.start()
            try await listener.facts("the server is there") { $0.isServerAvailable }
        }
    }

    @Test func aServerThatHangsIsLostUntilItAnswers() async throws {
        let pipewire = try await PrivatePipeWire()
        try await pipewire.addSource("mic")
        var timing = AudioServer.Timing()
        timing.stall = .milliseconds(300)
        timing.answer = .milliseconds(500)
        try await withListener(to: pipewire, timing: timing) { listener in
            let recording = try await listener.openAndFlow()
            pipewire.pause()
            try await recording.events("it failed") { $0.last == .failed(.serverLost) }
            #expect(recording.events.withoutDrops.dropFirst(2) == [.stalled, .failed(.serverLost)])
            try await listener.facts("the server is lost") { $0 == .serverLost }
            try await eventually("further tries time out") {
                listener.troubles.count { $0.code == .noAnswer } >= 3
            }
            pipewire.resume()
            try await listener.facts("the server is back") { $0.defaultSource == "mic" }
            try await listener.openAndFlow()
        }
    }

    @Test func aClosedCaptureIsReleasedEvenByAServerThatDies() async throws {
        let pipewire = try await PrivatePipeWire()
        try await pipewire.addSource("mic")
        try await withListener(to: pipewire) { listener in
            let recording = try await listener.openAndFlow()
            pipewire.pause()
            let closing = Task { await recording.close() }
            try await pipewire.kill()
            await closing.value
        }
    }

    @Test func aSessionManagerThatDiesTakesTheDefaultWithIt() async throws {
        let pipewire = try await PrivatePipeWire()
        let microphone = try DriverMicrophone("mic", of: pipewire)
        try await withListener(to: pipewire) { listener in
            try await listener.openAndFlow()
            try await pipewire.killSessionManager()
            try await listener.facts("there is no default") { $0.defaultSource == nil }
            #expect(listener.facts.sources.count == 1)
            try await pipewire.startSessionManager()
            try await listener.openAndFlow(CaptureRequest(name: "another"))
            #expect(listener.history.allSatisfy { $0.isServerAvailable })
        }
        microphone.unplug()
    }

    @Test func aSocketThatIsNoServerDoesNoHarm() async throws {
        let (reading, writing) = try Descriptor.pipe()
        let listener = try await Listener { reading }
        try await eventually("it has tried") { listener.troubles.count >= 3 }
        #expect(listener.history.isEmpty)
        await listener.stop()
        withExtendedLifetime(writing) {}
    }

    /// In a process of its own, whose descriptors and threads are nobody else's.
    @Test func losingTheServerAgainAndAgainLeavesNothingBehind() async {
        await #expect(processExitsWith: .success) {
            try await loseTheServer(rounds: rounds("DICTATION_SERVER_LOSSES", 8))
        }
    }

    @Test func sourcesThatComeAndGoLeaveNothingBehind() async {
        await #expect(processExitsWith: .success) {
            try await churn(rounds: rounds("DICTATION_SOURCE_CHURNS", 20))
        }
    }
}

/// How often to repeat; more when somebody has time.
private func rounds(_ variable: String, _ few: Int) -> Int {
    ProcessInfo.processInfo.environment[variable].flatMap { Int($0) } ?? few
}

private func loseTheServer(rounds: Int) async throws {
    let pipewire = try await PrivatePipeWire()
    try await withListener(to: pipewire) { listener in
        var first: Resources?
        for round in 1...rounds {
            try await listener.facts("the server is there") { $0.isServerAvailable }
            try await pipewire.addSource("mic")
            let recording = try await listener.openAndFlow()
            let now = try Resources.ofThisProcess()
            if round == 2 { first = now }
            if let first, first != now { throw TestFailure("round \(round): \(now), was \(first)") }
            try await pipewire.kill()
            try await recording.events("it failed") { $0.last == .failed(.serverLost) }
            try await listener.facts("the server is lost") { !$0.isServerAvailable }
            try await pipewire.start()
        }
    }
}

private func churn(rounds: Int) async throws {
    let pipewire = try await PrivatePipeWire()
    try await pipewire.addSource("last")
    try await withListener(to: pipewire) { listener in
        let recording = try await listener.openAndFlow()
        var first: Resources?
        for round in 1...rounds {
            try await pipewire.addSource("mic \(round)", ["priority.session": "9000"])
            try await listener.facts("it is there") { $0.sources.count == 2 }
            try await pipewire.removeNode("mic \(round)")
            try await listener.facts("it is gone") { $0.sources.count == 1 }
            let now = try Resources.ofThisProcess()
            if round == 2 { first = now }
            if let first, first != now { throw TestFailure("round \(round): \(now), was \(first)") }
        }
        try await recording.flows(from: "last")
        #expect(!recording.events.contains(.stalled))
    }
}

/// What a process holds.
private struct Resources: Equatable {
    var descriptors: Int
    var threads: Int

    static func ofThisProcess() throws -> Resources {
        let files = FileManager.default
        return Resources(
            descriptors: try files.contentsOfDirectory(atPath: "/proc/self/fd").count,
            threads: try files.contentsOfDirectory(atPath: "/proc/self/task").count)
    }
}

extension Recording {
    /// Whether the capture was refused because there is no server.
    fileprivate func failedAtOnce() async throws -> Bool {
        try await events("it failed") { $0 == [.failed(.serverLost)] }
        return true
    }
}

import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import EventLoop
import Foundation
import Glibc
import Testing

/// The process that dictates fails, and the one with the name on the bus goes on.
@Suite struct WorkerFailureTests {
    /// The session returns without a call, paused, with its text, and goes on.
    @Test func theSessionOfAWorkerThatFailsReturns() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient.listening(on: rig)
            let subscriber = try await TestClient(on: rig)
            try await subscriber.dictation.subscribe(options: [SubscribeOption.text: .bool(true)])
            try await rig.speak(into: microphone)
            let owner = try await client.connection.owner(of: DictationInterface.busName)
            client.forget()
            subscriber.forget()
            try await rig.killWorker()

            try await client.signal("the session returns") { signal in
                if case .stateChanged(1, "paused", "service-restarted", _) = signal { true } else { nil }
            }
            try await client.signal("its text, from its beginning") { signal in
                if case .partial(1, 1, 0, _, _, _) = signal {
                    client.text(of: 1) == "t500" ? true : nil
                } else {
                    nil
                }
            }
            #expect(try await client.connection.owner(of: DictationInterface.busName) == owner)
            #expect(try await client.dictation.getSession().text == "t500")
            #expect(!client.story.contains { $0.hasPrefix("Stopped") })
            try await client.dictation.resume()
            client.beginStep()
            try await rig.say(Speech.tones(600), into: microphone)
            #expect(try await client.dictation.commit().text == "t500 t600")
        }
    }

    /// Signals still reach those who have subscribed before, also if the worker has ended on purpose, as it does when the user
    /// changes its options.
    @Test(arguments: [SIGKILL, SIGTERM]) func subscriptionsOutliveAWorker(signal: Int32) async throws {
        try await withRig(tones + "history: 7 days\n") { rig in
            let microphone = try await rig.plugIn()
            let subscriber = try await TestClient(on: rig, listensToAll: false)
            try await subscriber.connection.listen(MatchRule(interface: DictationInterface.name)) { _ in }
            try await subscriber.dictation.subscribe(options: [:])
            _ = try await DictationHistoryProxy(
                connection: subscriber.connection, destination: DictationInterface.busName
            ).list(options: [HistoryOption.changes: .bool(true)])
            let changes = try await subscriber.connection.signals(
                MatchRule(interface: DictationHistoryInterface.name))
            let states = try await subscriber.connection.signals(
                MatchRule(interface: DictationInterface.name, member: "StateChanged"))
            try await rig.endWorker(by: signal)
            let client = try await TestClient.listening(on: rig)
            for await signal in states {
                if signal.body.contains(.string("listening")) { break }
            }
            try await rig.say(Speech.tones(500), into: microphone)
            _ = try await client.dictation.commit()
            for await _ in changes { break }
        }
    }

    @Test func aSessionThatCannotReturnIsOver() async throws {
        try await withRig(tones) { rig in
            let (reading, writing) = try Descriptor.pipe()
            let client = try await TestClient(on: rig)
            let session = try await client.dictation.start(options: ["input": .descriptor(reading)])
            try await rig.killWorker()
            try await client.signal("its error") { signal in
                if case .error(session, _, _, _) = signal { true } else { nil }
            }
            try await client.story("Stopped shutdown")
            #expect(try await client.dictation.getSession().state == "idle")
            _ = writing
        }
    }

    /// Except for the user's own filter.
    @Test(arguments: [("", "2"), ("filter: cat\n", "0")])
    func theWorkerCannotStartPrograms(setting: String, mode: String) async throws {
        try await withRig(tones + setting) { rig in
            _ = try await rig.gdbus("GetSession")
            let status = try String(contentsOfFile: "/proc/\(rig.workerPid())/status", encoding: .utf8)
            let daemon = try String(contentsOfFile: "/proc/\(rig.daemon.pid)/status", encoding: .utf8)
            // The filters of the machine that runs the tests come on top of that.
            if !daemon.contains("Seccomp:\t2") {
                #expect(status.contains("Seccomp:\t\(mode)\n"), "\(status)")
            }
        }
    }

    /// First the broker fails, and then the next worker.
    @Test func aSessionThatHasReturnedReturnsAgain() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient.listening(on: rig)
            try await rig.speak(into: microphone)
            try await rig.crash()
            try await rig.replaceDaemon()
            #expect(try await client.dictation.getSession().text == "t500")
            client.forget()
            try await client.dictation.resume()
            try await client.state("listening")
            try await rig.speak(600, into: microphone)
            try await eventually("it is understood") {
                try await client.dictation.getSession().text == "t500 t600"
            }
            client.forget()
            try await rig.killWorker()
            try await client.signal("the session returns") { signal in
                if case .stateChanged(_, "paused", "service-restarted", _) = signal { true } else { nil }
            }
            #expect(try await client.dictation.getSession().text == "t500 t600")
        }
    }

    @Test func callsInProgressFailAtOnce() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient.listening(on: rig)
            try await rig.say(Speech.tones(500), into: microphone)
            try stopProcess(rig.workerPid())
            let calls = (0..<3).map { _ in
                Task { @EventLoopActor in try await client.dictation.getSession() }
            }
            // They have reached the worker when the broker has answered a later call.
            try await eventually("the calls are sent") {
                try await client.dictation.checkPermission().ready
            }
            try await rig.killWorker()
            for call in calls {
                let error = await #expect(throws: DBusError.self) { _ = try await call.value }
                #expect(error?.name == .noReply)
            }
            #expect(try await client.dictation.getSession()["state"] != nil, "the next one works")
        }
    }

    /// Calls are not kept waiting by a worker that stands still, and it is replaced.
    @Test func aWorkerThatStandsStillIsReplaced() async throws {
        try await withRig(tones) { rig in
            let client = try await TestClient(on: rig)
            let worker = try rig.workerPid()
            try stopProcess(worker)
            let begin = ContinuousClock.now
            await #expect(throws: DBusError.self) { try await client.dictation.getSession() }
            #expect(ContinuousClock.now - begin < .seconds(25))
            #expect(try await client.dictation.getSession().state == "idle")
            #expect(try rig.workerPid() != worker)
        }
    }

    @Test func aWorkerThatFailsAgainAndAgainIsNotStartedForAWhile() async throws {
        try await withRig(tones) { rig in
            let client = try await TestClient(on: rig)
            for _ in 0..<5 {
                try await rig.killWorker()
                // One that was killed while it started is neither.
                try await eventually("another one works, or none is started for a while") {
                    do {
                        _ = try await client.dictation.getSession()
                        return true
                    } catch let error as DBusError {
                        return error.message.contains("is started again in")
                    }
                }
            }
            let error = await #expect(throws: DBusError.self) { try await client.dictation.getSession() }
            #expect(error?.name == DictationInterface.errorName(.engineFailed))
            #expect(error?.message.contains("is started again in") == true)
            // What concerns permission needs no worker.
            #expect(try await client.dictation.checkPermission().ready)
        }
    }

    @Test func aWorkerThatStandsStillDoesNotKeepTheServiceFromEnding() async throws {
        try await withRig(tones) { rig in
            let client = try await TestClient(on: rig)
            _ = try await client.dictation.getSession()
            try stopProcess(rig.workerPid())
            let begin = ContinuousClock.now
            try await rig.end()
            #expect(ContinuousClock.now - begin < .seconds(10))
            try await rig.replaceDaemon()
        }
    }

    /// As at a logout, which reaches the worker before the broker.
    @Test func aWorkerThatIsAskedToEndCommits() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient.listening(on: rig)
            try await rig.speak(into: microphone)
            kill(try rig.workerPid(), SIGTERM)
            #expect(try await client.final(1) == "t500")
            try await client.story("Stopped shutdown")
            // The next call starts another one.
            #expect(try await client.dictation.getSession().state == "idle")
            #expect(!rig.daemon.text(of: .errors).contains("a worker has failed"))
        }
    }

    /// A broker that fails takes its worker with it, which closes the microphone.
    @Test func nothingIsLeftOfAServiceWhoseBrokerFails() async throws {
        try await withRig(tones) { rig in
            try await rig.plugIn()
            let client = try await TestClient.listening(on: rig)
            let worker = try rig.workerPid()
            rig.daemon.kill()
            _ = try await rig.daemon.exitStatus()
            try await eventually("the microphone is closed") { try await !rig.isCapturing() }
            try await eventually("the worker has ended") { kill(worker, 0) != 0 }
            try await rig.replaceDaemon()
            _ = client
        }
    }
}

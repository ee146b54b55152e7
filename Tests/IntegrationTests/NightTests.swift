import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import Testing

/// The computer sleeps for a night: CLOCK_BOOTTIME counts it, and CLOCK_MONOTONIC does not.
@Suite struct NightTests {
    @Test func sleepDoesNotCountTowardsTimeouts() async throws {
        let clock = try await SleepClock()
        let folder = try TemporaryDirectory()
        let engine = try await ScriptedEngineServer(at: "unix:\(folder.path)/engine.sock")
        let configuration = secondPass(at: engine.address, preview: "scripted", fallback: "wait")
        let rig = try await Rig(configuration, daemonEnvironment: clock.environment)
        let microphone = try await rig.plugIn()
        let client = try await TestClient.listening(on: rig, ["linger": .bool(true)])
        let logind = try await rig.logind(steeredBy: client)
        try await engine.become("hold")
        try await rig.say(Speech.tones(500), into: microphone)
        let commit = Task { try await client.dictation.commit() }
        try await client.signal("the commit is in progress") { signal in
            if case .stateChanged(_, _, "committed", _) = signal { true } else { nil }
        }
        try await logind.prepareForSleep(true)
        try await client.comes("Interrupted suspend")
        try clock.sleep(seconds: 8 * 3600)
        try await logind.prepareForSleep(false)
        let details = try await client.signal("Resumed") { signal in
            if case .resumed(_, "suspend", let details) = signal { details } else { nil }
        }
        let duration = try #require(details[DetailKey.duration].flatMap { Double($0) })
        #expect(duration >= 8 * 3600 && duration < 9 * 3600)
        try await rig.say(Speech.tones(600), into: microphone)
        let session = try await client.dictation.getSession()
        #expect(session["state"] == .string("listening"))
        #expect(session["pending"] == .uint32(1), "The commit waits for the engine.")
        #expect(client.finals.isEmpty)
        try await engine.become("answer")
        #expect(try await !commit.value.text.isEmpty)
        #expect(client.finals == [1])
        try await rig.end()
        try await rig.audio.kill()
    }
}

/// A clock that counts sleep, for a program that is started with ``environment``.
private struct SleepClock {
    private let folder: TemporaryDirectory

    init() async throws {
        folder = try TemporaryDirectory()
        let source = try folder.write(Self.source, to: "clock.c")
        let compiler = try await ChildProcess.run([
            "clang", "-shared", "-fPIC", "-o", folder.path(of: "clock.so"), source,
        ])
        guard compiler.status == .exited(0) else { throw TestFailure("clang: \(compiler.errors)") }
    }

    var environment: [String: String] {
        ["LD_PRELOAD": folder.path(of: "clock.so"), "SLEPT": folder.path(of: "slept")]
    }

    func sleep(seconds: Int) throws {
        try folder.write(String(repeating: "z", count: seconds), to: "slept")
    }

    /// The file has a byte for each second of sleep.
    private static let source = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <stdlib.h>
        #include <sys/stat.h>
        #include <time.h>

        int clock_gettime(clockid_t clock, struct timespec *time) {
            int (*real)(clockid_t, struct timespec *) = dlsym(RTLD_NEXT, "clock_gettime");
            int result = real(clock, time);
            struct stat slept;
            if (result == 0 && clock == CLOCK_BOOTTIME && stat(getenv("SLEPT"), &slept) == 0)
                time->tv_sec += slept.st_size;
            return result;
        }
        """
}

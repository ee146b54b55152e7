import DictationCore
import DictationTestKit
import EventLoop
import Glibc
import Testing

@testable import Wyoming

/// The client with a server of another program, correct or faulty.
@Suite(.serialized) struct EngineTests {
    private let folder: TemporaryDirectory
    private var place: String { "unix:\(folder.path)/engine.sock" }

    init() throws {
        folder = try TemporaryDirectory()
    }

    private func engine(_ address: String, mayBeRemote: Bool = false) throws -> WyomingEngine {
        WyomingEngine(
            name: "scripted", address: try #require(WyomingAddress(address)), uid: getuid(),
            mayBeRemote: mayBeRemote)
    }

    @Test func recognisesAPassage() async throws {
        let server = try await ScriptedEngineServer(at: place, text: "{samples} samples.")
        let engine = try engine(server.address)
        #expect(try await engine.describe().get().languages == ["en", "de"])
        #expect(try await engine.recognize(seconds: 1).get() == "16000 samples.")
        // A passage of no audio still has one audio message.
        #expect(try await engine.recognize(seconds: 0).get() == "0 samples.")
        #expect(try await engine.recognize(seconds: 28).get() == "448000 samples.")
    }

    /// The error's code may hold dictated text, or signs that control a terminal.
    @Test func anErrorSaysNothingOfTheEngine() async throws {
        let server = try await ScriptedEngineServer(at: place, mode: "error", text: "secret words")
        let result = try await engine(server.address).recognize(seconds: 1)
        #expect(throws: EngineFailure(.failed, "The engine reported an error.")) { try result.get() }
    }

    @Test func aServerMayNameNoLanguages() async throws {
        let server = try await ScriptedEngineServer(at: place, detectsSpeech: false, namesLanguages: false)
        let description = try await engine(server.address).describe().get()
        #expect(description.languages.isEmpty)
        #expect(!description.detectsSpeech)
        #expect(description.code(for: "de-AT") == "de")
    }

    @Test func sendsTheFirstTwentyWordsOfTheVocabulary() async throws {
        let server = try await ScriptedEngineServer(at: place)
        let engine = try engine(server.address)
        let words = (1...25).map { "word\($0)" }
        let result: Result<String, EngineFailure> = await withCheckedContinuation { continuation in
            engine.recognize(
                [0], PassageOptions(languages: ["en"], vocabulary: words), timeout: .seconds(20)
            ) { continuation.resume(returning: $0.map(\.text)) }
        }
        _ = try result.get()
        let sent = words.prefix(20).joined(separator: ",")
        try await server.waitFor("transcribe en \(sent) \(sent)")
    }

    @Test func recognisesOverLoopback() async throws {
        let server = try await ScriptedEngineServer(at: "tcp:0")
        #expect(try await engine(server.address).recognize().get() == "Hello from the engine.")
    }

    @Test(arguments: [
        ("stop-first", "Hello from the engine."), ("deltas-stop", "Hello from the engine."),
        ("nothing-stop", ""),
    ])
    func understandsStreamingServers(_ mode: String, text: String) async throws {
        let server = try await ScriptedEngineServer(at: place, mode: mode)
        #expect(try await engine(server.address).recognize().get() == text)
    }

    @Test(arguments: [
        ("close", EngineFailure.Kind.closed), ("close-mid-audio", .closed), ("error", .failed),
        ("garbage", .malformed), ("no-newline", .malformed), ("negative", .malformed),
        ("huge", .malformed), ("deltas", .malformed), ("pings", .malformed),
        ("hang", .tooSlow), ("slow", .tooSlow),
        ("killed-mid-audio", .closed), ("killed-after-stop", .closed), ("killed-mid-answer", .closed),
        ("stopped-mid-audio", .tooSlow), ("stopped-after-stop", .tooSlow), ("stopped-mid-answer", .tooSlow),
    ])
    func reportsFailuresByKind(_ mode: String, kind: EngineFailure.Kind) async throws {
        let server = try await ScriptedEngineServer(at: place, mode: mode)
        let start = ContinuousClock.now
        let timeout = Duration.seconds(kind == .tooSlow ? 3 : 20)
        let result = await (try engine(server.address)).recognize(seconds: 20, timeout: timeout)
        let took = ContinuousClock.now - start
        let failure = #expect(throws: EngineFailure.self) { try result.get() }
        let isReset = kind == .closed && failure?.kind == .failed
        #expect(failure?.kind == kind || isReset, "\(mode): \(failure?.message ?? "")")
        #expect(took < DictationTestKit.timeout)
        if kind == .tooSlow { #expect(took >= timeout) }
        // Messages do not contain the text.
        #expect(failure?.message.contains("Hello") == false)
        server.process.kill()
    }

    @Test func aStoppedServerIsTooSlow() async throws {
        let server = try await ScriptedEngineServer(at: place)
        try server.process.stop()
        let result = await (try engine(server.address)).recognize(timeout: .milliseconds(300))
        #expect(throws: EngineFailure.self) { try result.get() }
    }

    @Test func aKilledServerIsUnreachable() async throws {
        let server = try await ScriptedEngineServer(at: place)
        server.process.kill()
        _ = try await server.process.exitStatus()
        let result = await (try engine(server.address)).recognize()
        let failure = #expect(throws: EngineFailure.self) { try result.get() }
        #expect(failure?.kind == .unreachable)
        let missing = await (try engine("unix:\(folder.path)/none.sock")).describe()
        #expect(throws: EngineFailure.self) { try missing.get() }
    }

    @Test func anUnreachableServerOfTCPIsReportedByItsError() async throws {
        let server = try await ScriptedEngineServer(at: "tcp:0")
        server.process.kill()
        _ = try await server.process.exitStatus()
        let result = try await engine(server.address).recognize()
        let failure = #expect(throws: EngineFailure.self) { try result.get() }
        #expect(failure?.message == "No engine answers at \(server.address): Connection refused")
    }

    /// RestrictAddressFamilies of systemd makes socket(2) fail with this error.
    @Test func whereTCPIsNotAllowedTheErrorNamesTheSetting() throws {
        let address = try #require(WyomingAddress("tcp://127.0.0.1:10300"))
        let message = Dialer.unreachable(address, EAFNOSUPPORT).message
        #expect(message.contains("RestrictAddressFamilies=AF_INET AF_INET6"))
    }

    @Test func cancellingClosesTheConnection() async throws {
        let server = try await ScriptedEngineServer(at: place, mode: "hang")
        let engine = try engine(server.address)
        let result: Result<String, EngineFailure> = await withCheckedContinuation { continuation in
            let cancel = engine.recognize(
                [Int16](repeating: 0, count: 16000), PassageOptions(languages: ["en"]), timeout: .seconds(20)
            ) { continuation.resume(returning: $0.map(\.text)) }
            Task {
                try await server.waitFor("audio")
                cancel()
                cancel()
            }
        }
        let failure = #expect(throws: EngineFailure.self) { try result.get() }
        #expect(failure?.kind == .cancelled)
        try await eventually("the server sees the end") { try await server.count(of: "audio") == 1 }
    }

    /// Root starts another user's server; its socket must not get audio.
    @Test func serversOfOtherUsersAreNotTrusted() async throws {
        try #require(getuid() == 0)
        chmod(folder.path, 0o777)
        for place in [place, "tcp:0"] {
            let server = try await ScriptedEngineServer(at: place, uid: 65534)
            let result = try await engine(server.address).recognize()
            let failure = #expect(throws: EngineFailure.self) { try result.get() }
            #expect(failure?.kind == .notTrusted)
            #expect(try await server.count(of: "audio") == 0)
        }
    }

    @Test func otherMachinesNeedTheAdministrator() async throws {
        let result = await (try engine("tcp://192.0.2.1:10300")).recognize()
        let failure = #expect(throws: EngineFailure.self) { try result.get() }
        #expect(failure?.kind == .notTrusted)
    }

    @Test(arguments: [false, true]) func requestsLeaveNoDescriptor(isLent: Bool) async throws {
        let server = try await ScriptedEngineServer(at: place)
        let engine = try engine(server.address)
        _ = await engine.recognize()
        let before = try await openSockets()
        for _ in 0..<50 { _ = await engine.recognize() }
        try await server.become("close")
        for _ in 0..<50 { _ = await engine.recognize() }
        try await eventually("connections are closed") { try await openSockets() <= before }
    }
}

extension WyomingEngine {
    fileprivate func describe() async -> Result<EngineDescription, EngineFailure> {
        await withCheckedContinuation { continuation in
            describe { continuation.resume(returning: $0) }
        }
    }

    fileprivate func recognize(
        seconds: Int = 1, timeout: Duration = .seconds(20)
    ) async -> Result<String, EngineFailure> {
        await withCheckedContinuation { continuation in
            recognize(
                [Int16](repeating: 100, count: seconds * 16000), PassageOptions(languages: ["en"]),
                timeout: timeout
            ) { continuation.resume(returning: $0.map(\.text)) }
        }
    }
}

/// The number of open sockets; the test kit's own pipes vary.
private func openSockets() async throws -> Int {
    try await openDescriptors().count { $0.hasPrefix("socket:") }
}

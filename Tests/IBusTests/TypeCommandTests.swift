import DBus
import DictationInterface
import DictationTestKit
import Foundation
import Glibc
import ScriptedService
import Testing

/// How `dictation-cli type` begins, ends and is suspended, with a real IBus daemon and a real window.
@Suite(.serialized) struct TypeCommandTests {
    @Test func firstTextIsNotGluedToTheWordBefore() async throws {
        let desk = try await IBusDesk()
        let window = try await desk.open("gtk3")
        try await window.command("set 0 word")
        let program = try await desk.type()
        // The window has reported its text when it shows live text with a space before it.
        try await desk.partial("x")
        try await window.preedit(" x")
        try await desk.final("hello")
        try await window.text("word hello")
        #expect(try await desk.end(program) == .exited(0))
    }

    @Test func settingsDecideAboutCapitals() async throws {
        let desk = try await IBusDesk()
        await desk.service.report([
            SessionKey.formatting: Value("dictation"), SessionKey.language: Value("en-US"),
        ])
        let window = try await desk.open("gtk3")
        try await window.command("set 0 the")
        let program = try await desk.type()
        #expect(try #require(await desk.service.session).options["commands"] == Value(true))
        try await desk.partial("Market")
        try await window.preedit(" market")
        #expect(try await desk.end(program) == .exited(0))
    }

    @Test func controlZReleasesTheInputMethodAndPauses() async throws {
        let desk = try await IBusDesk()
        let window = try await desk.open("gtk3")
        _ = try await desk.output(of: "ibus", "engine", "xkb:fr::fra")
        let program = try await desk.type()
        try await desk.partial("one")
        try await window.preedit("one")
        program.send(SIGTSTP)
        try await eventually("it is suspended") { program.isStopped }
        #expect(await desk.service.session?.state == "paused")
        #expect(try await desk.output(of: "ibus", "engine") == "xkb:fr::fra")
        _ = try await desk.output(of: "xdotool", "key", "z")
        try await window.text("z")
        // Another one may type meanwhile.
        program.send(SIGCONT)
        try await eventually("it listens again") {
            guard program.isRunning else { throw TestFailure(program.text(of: .errors)) }
            return await desk.service.session?.state == "listening"
        }
        #expect(try await desk.output(of: "ibus", "engine") == "dictation")
        try await desk.final("two", block: 2)
        try await window.text("z two")
        #expect(try await desk.end(program) != .exited(130))
        #expect(try await desk.output(of: "ibus", "engine") == "xkb:fr::fra")
    }

    @Test func secondProgramIsRefused() async throws {
        let desk = try await IBusDesk()
        let window = try await desk.open("gtk3")
        let program = try await desk.type()
        let second = try await ChildProcess.run(
            [try IBusDesk.program(), "type"], environment: desk.environment)
        #expect(second.status == .exited(1))
        #expect(second.errors.contains("is running already (process \(program.pid))"), "\(second.errors)")
        try await desk.final("hello")
        try await window.text("hello")
        #expect(try await desk.end(program) == .exited(0))
        let next = try await desk.type()
        #expect(try await desk.end(next) == .exited(0))
    }

    @Test func secondInterruptWritesTheTextSoFar() async throws {
        let desk = try await IBusDesk()
        _ = try await desk.open("gtk3")
        await desk.service.leaveUnanswered(.commit)
        await desk.service.leaveUnanswered(.stop)
        let program = try await desk.type()
        try await desk.partial("half a sentence")
        program.send(SIGINT)
        program.send(SIGHUP)
        try await eventually("the session ends") {
            await desk.service.requests.contains { $0.method == .stop }
        }
        #expect(program.isRunning)
        try await eventually("it gives up") {
            program.send(SIGINT)
            return !program.isRunning
        }
        #expect(try await program.exitStatus() == .exited(130))
        #expect(program.text(of: .output) == "half a sentence\n")
        #expect(try await desk.output(of: "ibus", "engine") != "dictation")
    }

    @Test func sessionContinuesAfterACrashOfTheService() async throws {
        let desk = try await IBusDesk()
        let window = try await desk.open("gtk3")
        let program = try await desk.type()
        try await desk.partial("half a")
        try await window.preedit("half a")
        let next = try await ScriptedService(after: desk.service, at: desk.bus.address)
        await desk.service.vanish()
        try await eventually("it listens again") { await next.session?.state == "listening" }
        #expect(await !next.requests.contains { $0.method == .start })
        try await next.emit(
            .final(session: 1, block: 1, text: "half a sentence", details: [:]))
        try await window.text("half a sentence")
        program.send(SIGINT)
        #expect(try await program.exitStatus() == .exited(0))
        #expect(program.text(of: .output) == "")
        await next.vanish()
    }

    @Test func newSessionBeginsWhenTheServiceHasForgottenTheOld() async throws {
        let desk = try await IBusDesk()
        let window = try await desk.open("gtk3")
        let program = try await desk.type()
        try await desk.partial("half a sentence")
        try await window.preedit("half a sentence")
        await desk.service.vanish()
        _ = try await program.line(of: .output) { $0 == "half a sentence" }
        let next = try await ScriptedService(at: desk.bus.address)
        try await eventually("a session begins") { await next.session != nil }
        try await next.emit(.final(session: 1, block: 1, text: "hello", details: [:]))
        try await window.text("hello")
        program.send(SIGINT)
        #expect(try await program.exitStatus() == .exited(69))
        #expect(program.text(of: .output) == "half a sentence\n")
        await next.vanish()
    }
}

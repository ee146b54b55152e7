import DictationRig
import DictationTestKit
import Foundation
import Glibc
import Testing
import TypingRig

/// How `dictation-cli type` begins, ends and is suspended, with a real service, a real IBus daemon and a real window.
@Suite(.serialized, .timeLimit(.minutes(2))) struct TypeCommandTests {
    @Test func firstTextIsNotGluedToTheWordBefore() async throws {
        let desk = try await IBusDesk()
        let window = try await desk.open("gtk3")
        try await window.command("set 0 word")
        let dictation = try await DeskDictation(desk.environment)
        let program = try await dictation.type()
        #expect(try await program.line(of: .errors) == "Typing by IBus.")
        try await dictation.say(500)
        // The window has reported its text when it shows live text with a space before it.
        try await window.preedit(" t500")
        try await dictation.pause()
        try await window.text("word t500")
        #expect(try await dictation.end(program) == .exited(0))
        #expect(program.text(of: .output) == "")
        try await dictation.end()
    }

    @Test func settingsDecideAboutCapitals() async throws {
        let desk = try await IBusDesk()
        let window = try await desk.open("gtk3")
        let dictation = try await DeskDictation(desk.environment, "formatting: dictation\n")
        let program = try await dictation.type()
        try await dictation.say(500)
        try await window.preedit("T500")
        try await dictation.pause()
        try await window.text("T500")
        try await dictation.say(600)
        try await window.preedit(" t600")
        #expect(try await dictation.end(program) == .exited(0))
        try await dictation.end()
    }

    @Test func controlZReleasesTheInputMethodAndPauses() async throws {
        let desk = try await IBusDesk()
        let window = try await desk.open("gtk3")
        _ = try await desk.output(of: "ibus", "engine", "xkb:fr::fra")
        let dictation = try await DeskDictation(desk.environment)
        let program = try await dictation.type()
        try await dictation.say(500)
        try await window.preedit("t500")
        program.send(SIGTSTP)
        try await eventually("it is suspended") { program.isStopped }
        try await dictation.state("paused")
        try await eventually("the engine is the user's") {
            try await desk.output(of: "ibus", "engine") == "xkb:fr::fra"
        }
        // What was said is typed.
        try await window.text("t500")
        _ = try await desk.output(of: "xdotool", "key", "z")
        try await window.text("t500z")
        program.send(SIGCONT)
        try await dictation.state("listening")
        try await eventually("the engine is ours") {
            try await desk.output(of: "ibus", "engine") == "dictation"
        }
        try await dictation.say(600)
        #expect(try await dictation.end(program) != .exited(130))
        try await window.wait("the text") { _ in window.text().hasSuffix("t600") }
        #expect(try await desk.output(of: "ibus", "engine") == "xkb:fr::fra")
        try await dictation.end()
    }

    @Test func secondProgramIsRefused() async throws {
        let desk = try await IBusDesk()
        let window = try await desk.open("gtk3")
        let dictation = try await DeskDictation(desk.environment)
        let program = try await dictation.type()
        let second = try await dictation.run("type")
        #expect(second.status == .exited(1))
        #expect(second.errors.contains("is running already"), "\(second.errors)")
        try await dictation.say(500)
        try await dictation.pause()
        try await window.text("t500")
        #expect(try await dictation.end(program) == .exited(0))
        let next = try await dictation.type("--once")
        // It ends in the pause.
        dictation.microphone.play(Speech.tones(600) + Speech.silence(1.5))
        #expect(try await next.exitStatus() == .exited(0))
        try await window.text("t500 t600")
        try await dictation.end()
    }

    @Test func secondInterruptWritesTheTextSoFar() async throws {
        let desk = try await IBusDesk()
        let window = try await desk.open("gtk3")
        let dictation = try await DeskDictation(desk.environment)
        let program = try await dictation.type()
        try await dictation.say(500)
        try await window.preedit("t500")
        let worker = try dictation.rig.workerPid()
        try stopProcess(worker)
        // The first requests wait for the service.
        let start = ContinuousClock.now
        program.send(SIGINT)
        program.send(SIGHUP)
        try await eventually("it gives up") {
            program.send(SIGINT)
            return !program.isRunning
        }
        #expect(ContinuousClock.now - start >= .milliseconds(300))
        #expect(try await program.exitStatus() == .exited(130))
        #expect(program.text(of: .output) == "t500\n")
        kill(worker, SIGCONT)
        try await eventually("the engine is the user's") {
            try await desk.output(of: "ibus", "engine") != "dictation"
        }
        try await dictation.end()
    }

    /// What was said before is printed: another window may have the focus by then.
    @Test func sessionContinuesAfterACrashOfTheWorker() async throws {
        let desk = try await IBusDesk()
        let window = try await desk.open("gtk3")
        let dictation = try await DeskDictation(desk.environment)
        let program = try await dictation.type()
        try await dictation.say(500)
        try await window.preedit("t500")
        kill(try dictation.rig.workerPid(), SIGKILL)
        _ = try await program.line(of: .errors) { $0.contains("was restarted") }
        _ = try await program.line(of: .errors) { $0.hasPrefix("Not typed: dictation failed") }
        _ = try await program.line(of: .output) { $0 == "t500" }
        try await dictation.state("listening")
        try await dictation.say(600)
        try await dictation.pause()
        try await window.text("t600")
        #expect(try await dictation.end(program) == .exited(69))
        #expect(program.text(of: .output) == "t500\n")
        try await dictation.end()
    }

    @Test func newSessionBeginsWhenTheServiceHasForgottenTheOld() async throws {
        let desk = try await IBusDesk()
        let window = try await desk.open("gtk3")
        let dictation = try await DeskDictation(desk.environment)
        let program = try await dictation.type()
        try await dictation.say(500)
        try await window.preedit("t500")
        let worker = try dictation.rig.workerPid()
        try stopProcess(dictation.rig.daemon.pid)
        kill(worker, SIGKILL)
        dictation.rig.daemon.kill()
        let folder = dictation.rig.environment["XDG_RUNTIME_DIR"].map { "\($0)/dictation" } ?? ""
        try? FileManager.default.removeItem(atPath: folder)
        try await dictation.rig.replaceDaemon()
        _ = try await program.line(of: .output) { $0 == "t500" }
        try await dictation.state("listening")
        try await dictation.say(600)
        try await dictation.pause()
        try await window.text("t600")
        #expect(try await dictation.end(program) == .exited(69))
        #expect(program.text(of: .output) == "t500\n")
        try await dictation.end()
    }
}

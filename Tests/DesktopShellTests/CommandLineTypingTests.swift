import DictationRig
import DictationTestKit
import EventLoop
import Foundation
import Glibc
import Testing

/// The command line types through the extension.
extension DesktopShellTests {
    @Test func theCommandLineTypesThroughTheExtension() async throws {
        try await withDesk { desk in
            let window = try await desk.open("gtk4-form")
            let program = try desk.start([executable("dictation-cli"), "type", "--auto-commit", "0"])
            _ = try await program.line(of: .errors) { $0.contains("Typing by the Dictation extension.") }
            try await eventually("it listens") { try await desk.isCapturing() }
            try await desk.say(500, 600)
            try await window.preedit("t500 t600")
            #expect(window.text() == "")
            // The focus moves to the field for passwords in the middle of a sentence.
            try await window.command("focus 2")
            try await eventually("the field is known") {
                try await desk.evaluate("Main.inputMethod.content_hints & 192") != "0"
            }
            program.send(SIGINT)
            _ = try await program.exitStatus()
            #expect(program.text(of: .errors).contains("Not typed: another field has the focus"))
            #expect(program.text(of: .output).contains("t500 t600"))
            for field in 0..<4 { #expect(window.text(of: field) == "") }
            try await window.preedit("")
            try await window.close()
        }
    }

    @Test func anEditIsRefusedWhenTheFieldHasChanged() async throws {
        try await withDesk { desk in
            let window = try await desk.open("gtk4-form")
            let worker = try FieldsClient(on: desk, named: "dictation-worker")
            #expect(try await worker.call("Edit", 0, "typed").contains("AccessDenied"))
            let field = try await worker.call("Open")
            let visit = try #require(field.firstMatch(of: /"visit": (\d+)/).flatMap { Int($0.1) })
            try await window.command("focus 1")
            try await eventually("another field is known") {
                try await desk.evaluate("global.extension()._dictation._fields.current?.visit")
                    != "\(visit)"
            }
            #expect(try await worker.call("Edit", visit, "typed") == "[]")
            try await window.command("focus 0")
            try await eventually("the field is visited again") {
                try await desk.evaluate("global.extension()._dictation._fields.current?.visit")
                    != "\(visit)"
            }
            #expect(try await worker.call("Edit", visit, "typed") == "[]")
            #expect(window.everything(in: 0) == [])
            #expect(window.everything(in: 1) == [])
            #expect(try await worker.call("Close") == "[]")
            try await window.close()
        }
    }

    @Test func noTextIsReplacedByOneThatFollowsAtOnce() async throws {
        try await withDesk { desk in
            let window = try await desk.open("gtk4-form")
            let worker = try FieldsClient(on: desk, named: "dictation-worker")
            let field = try await worker.call("Open")
            let visit = try #require(field.firstMatch(of: /"visit": (\d+)/).flatMap { Int($0.1) })
            #expect(try await worker.call("Edit", visit, "one ", "two ", "three") == "[]")
            try await window.text("one two three")
            #expect(try await worker.call("Close") == "[]")
            try await window.close()
        }
    }

    /// They would read every text field, and type without the permission for it.
    @Test func otherProgramsGetNoField() async throws {
        try await withDesk { desk in
            let window = try await desk.open("gtk4-form")
            let other = try FieldsClient(on: desk, named: "python3")
            #expect(try await other.call("Open").contains("AccessDenied"))
            #expect(try await other.call("Edit", 0, "typed").contains("AccessDenied"))
            #expect(window.everything(in: 0) == [])
            try await window.close()
        }
    }

    /// `fields.py`, run by a copy of the interpreter with this name.
    private final class FieldsClient: Sendable {
        private let process: ChildProcess
        private let replies = Lock(0)

        init(on desk: ShellDesk, named name: String) throws {
            let program = desk.files.path(of: name)
            let python = URL(filePath: "/usr/bin/python3").resolvingSymlinksInPath()
            if !FileManager.default.fileExists(atPath: program) {
                try FileManager.default.copyItem(at: python, to: URL(filePath: program))
            }
            process = try desk.start(["env", "PYTHONHOME=/usr", program, desk.files.path(of: "fields.py")])
        }

        /// Calls a method, and returns the reply or the name of the error, as JSON.
        func call(_ values: Any...) async throws -> String {
            let line = try JSONSerialization.data(withJSONObject: values)
            try process.write(String(decoding: line, as: UTF8.self) + "\n")
            let index = replies.withLock { index in
                index += 1
                return index - 1
            }
            try await eventually("reply \(index)") { process.lines(of: .output).count > index }
            return process.lines(of: .output)[index]
        }
    }
}

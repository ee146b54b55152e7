import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import Foundation
import Testing

/// A program that asks often causes no more questions than others.
@Suite(.serialized) struct PromptFloodTests {
    /// `DICTATION_SOAK_CYCLES` is the number of abandoned requests.
    private static let cycles =
        ProcessInfo.processInfo.environment["DICTATION_SOAK_CYCLES"].flatMap { Int($0) } ?? 50
    private static let both = #"[["microphone", "speech"], {}]"#

    private var request: InterfaceMethods.Method {
        get throws { try CallMatrixTests.method("RequestPermission") }
    }

    @Test func oneProgramIsOneQuestion() async throws {
        try await withRig(allowsEveryone: false) { rig in
            let agent = try await TestAgent(on: rig)
            let program = try await OtherProgram(.program("crowd"), on: rig)
            let check = try CallMatrixTests.method("CheckPermission")
            for number in 1...100 {
                try await program.call(request, Self.both, on: "\(number)", waits: false)
                // Answered after the connection's earlier calls.
                try await program.call(check, on: "\(number)")
            }
            try await agent.answer("allow-once")
            let start = try CallMatrixTests.method("Start")
            for number in [1, 50, 100] {
                try await eventually("\(number) may dictate") {
                    try await program.call(start, "[{}]", on: "\(number)").error.isEmpty
                }
            }
            #expect(agent.asked == 1)
            // Permission for one time holds only for the callers that asked.
            let refusal = try await program.call(start, "[{}]", on: "stranger").error
            #expect(refusal == DictationInterface.errorName(.permissionRequired).rawValue)
        }
    }

    @Test func refusesTheSeventeenthQuestion() async throws {
        try await withRig(allowsEveryone: false) { rig in
            let agent = try await TestAgent(on: rig)
            var programs: [OtherProgram] = []
            for number in 1...17 {
                programs.append(try await OtherProgram(.program("program\(number)"), on: rig))
            }
            for (index, program) in programs.prefix(16).enumerated() {
                try await program.call(request, Self.both, waits: false)
                try await eventually("question \(index)") { agent.asked == index + 1 }
            }
            let refusal = try await programs[16].call(request, Self.both).error
            #expect(refusal == DictationInterface.errorName(.limitExceeded).rawValue)
            try await agent.answer("deny", 3)
            // A slot is free when the answer is on the disk.
            let list = Decisions(agent.connection)
            try await eventually("it is stored") { try await list.permissions.list().count == 1 }
            try await eventually("the seventeenth") {
                try await programs[16].call(request, Self.both, waits: false)
                return agent.asked == 17
            }
        }
    }

    @Test func pendingRequestsOfOneProgramBlockNoOtherCalls() async throws {
        try await withRig(allowsEveryone: false) { rig in
            let agent = try await TestAgent(on: rig)
            let program = try await OtherProgram(.program("flood"), on: rig)
            for _ in 1...300 { try await program.call(request, Self.both, on: "flood", waits: false) }
            let limit = DictationInterface.errorName(.limitExceeded).rawValue
            try await eventually("it may not wait for more") {
                try await program.call(request, Self.both, on: "flood").error == limit
            }
            let other = try await OtherProgram(.program("other"), on: rig)
            let calls = [
                ("GetSession", "[]"), ("ListRoutes", "[]"), ("CheckPermission", "[]"), ("StopAll", "[{}]"),
                ("Stop", "[]"), ("Pause", "[]"), ("Cancel", "[]"),
            ]
            for (name, arguments) in calls {
                let method = try CallMatrixTests.method(name)
                #expect(try await other.call(method, arguments).error != limit, "\(name)")
                #expect(try await program.call(method, arguments, on: "flood").error != limit, "\(name)")
            }
            #expect(agent.asked == 1)
            try await other.call(request, Self.both, waits: false)
            try await eventually("the user is asked about the other program") { agent.asked == 2 }
        }
    }

    @Test func abandonedRequestsLeakNothing() async throws {
        try await withRig(allowsEveryone: false) { rig in
            let agent = try await TestAgent(on: rig)
            let program = try await OtherProgram(.program("restless"), on: rig)
            var rounds = 0
            func round() async throws {
                rounds += 1
                try await program.call(request, Self.both, on: "c", waits: false)
                try await eventually("question \(rounds)") { agent.asked == rounds }
                try await program.close("c")
                try await eventually("withdrawal \(rounds)") { agent.withdrawals == rounds }
            }
            for _ in 0..<20 { try await round() }
            let before = try await rig.usageAtRest()
            for _ in 0..<Self.cycles { try await round() }
            try await rig.expectAsBefore(before)
            let after = try rig.usage()
            #expect(isSanitized || after.kibibytes - before.kibibytes <= 1024, "\(before) … \(after)")
            print("\(Self.cycles) requests made and left: \(before) … \(after)")
        }
    }
}

import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import Testing

/// Every method of the interface's description, in every state of somebody's session, by everybody: a service that is
/// asked has one answer, and it is the one in this table.
@Suite(.serialized) struct CallMatrixTests {
    enum State: String, CaseIterable {
        case noSession, starting, listening, paused, interrupted, stopping
    }

    enum Caller: String, CaseIterable {
        /// The connection whose session it is.
        case owner
        case sameProgramsOtherConnection, otherProgram, otherAgent
        /// Whom the administrator does not let dictate.
        case restrictedProgram
        case sandboxed, unknown
        /// Another user, on a bus that lets others in.
        case stranger
    }

    /// What is said to a call.
    private struct Row {
        /// As JSON.
        var arguments = "[]"
        /// To the owner, in the order of ``State``.
        var owner = [String](repeating: "", count: State.allCases.count)
        /// To anybody else who may call it. The session is not theirs: it makes no difference.
        var others = ""
        /// To those whom the administrator does not let dictate.
        var restricted: String?
        /// Sandboxed and unknown callers may call it.
        var isForEveryone = true
    }

    private static let running = "AlreadyRunning"
    private static let none = "NotRunning"
    private static let ok = ""
    /// A call on the session, which there is while it is neither missing nor about to end.
    private static let driving = Row(owner: [none, ok, ok, ok, ok, none], others: none)
    private static let client = #"{"kind": "executable", "id": "/matrix"}"#

    private static let rows: [String: Row] = [
        "Start": Row(
            arguments: "[{}]", owner: [ok, running, running, running, running, ok],
            restricted: "PermissionDenied"),
        "Pause": driving, "Resume": driving, "Commit": driving, "Cancel": driving,
        "Stop": Row(owner: [none, ok, ok, ok, ok, ok], others: none),
        "StopAll": Row(arguments: "[{}]", isForEveryone: false),
        "Subscribe": Row(arguments: "[{}]"),
        "GetSession": Row(),
        "RequestPermission": Row(arguments: #"[["speech"], {}]"#),
        "CheckPermission": Row(),
        "ListRoutes": Row(),
        "SelectRoute": Row(
            arguments: #"["", {}]"#, restricted: "PermissionDenied", isForEveryone: false),
        "Permissions.List": Row(isForEveryone: false),
        // The administrator has decided about everybody here.
        "Permissions.Set": Row(
            arguments: "[\(client), \"speech\", \"denied\"]",
            owner: [String](repeating: "PermissionDenied", count: State.allCases.count),
            others: "PermissionDenied", isForEveryone: false),
        "Permissions.Forget": Row(arguments: "[\(client)]", isForEveryone: false),
        "Permissions.Log": Row(arguments: "[1]", isForEveryone: false),
        "AgentManager.Register": Row(arguments: #"["/matrix", ["prompt"], {}]"#, isForEveryone: false),
        "AgentManager.Unregister": Row(
            arguments: #"["/matrix/nowhere"]"#,
            owner: [String](repeating: none, count: State.allCases.count), others: none, isForEveryone: false),
        "AgentManager.SetScreenSavers": Row(
            arguments: #"["/matrix/nowhere", {}]"#,
            owner: [String](repeating: none, count: State.allCases.count), others: none, isForEveryone: false),
    ]

    private static func expected(_ row: Row, _ caller: Caller, _ state: State) -> String {
        let word: String
        switch caller {
        case .stranger: return "org.freedesktop.DBus.Error.AccessDenied"
        case .sandboxed, .unknown:
            guard row.isForEveryone else { return "org.freedesktop.DBus.Error.AccessDenied" }
            word = row.others
        case .owner: word = row.owner[State.allCases.firstIndex(of: state) ?? 0]
        case .restrictedProgram: word = row.restricted ?? row.others
        case .sameProgramsOtherConnection, .otherProgram, .otherAgent: word = row.others
        }
        return word.isEmpty ? "" : "org.example.Dictation.Error.\(word)"
    }

    private static let methods = InterfaceMethods().methods

    @Test func everyMethodOfTheDescriptionIsInTheTable() {
        #expect(Set(Self.methods.map(\.description)) == Set(Self.rows.keys))
    }

    @Test(arguments: State.allCases)
    func everyCellOfTheTable(state: State) async throws {
        let engine = state == .stopping ? "" : tones
        let rules = "permissions:\n  allow: [\"*\"]\n  deny: [\"executable:*/restricted\"]\n"
        try await withRig(engine + rules, allowsEveryone: false) { rig in
            let stage = try await Stage(rig, state)
            for caller in Caller.allCases {
                let program = try await stage.program(caller)
                if caller == .otherAgent {
                    let path = #"["/matrix/agent", ["prompt"], {}]"#
                    _ = try await program.call(Self.method("AgentManager.Register"), path)
                }
                var isUntouched = false
                for method in Self.methods {
                    guard let row = Self.rows[method.description] else { continue }
                    // What others do leaves the session as it is, but that they have the microphone when they start.
                    if !isUntouched { try await stage.enter() }
                    isUntouched =
                        caller != .owner && method.name != "Start" && method.name != "StopAll"
                    let outcome = try await program.call(
                        method, row.arguments, on: caller == .owner ? stage.owner : "first")
                    #expect(
                        outcome.error == Self.expected(row, caller, state),
                        "\(method) by \(caller) in \(state)")
                    // A session that came of it must not be in the way of the next cell.
                    if caller != .owner, outcome.error.isEmpty, method.name == "Start" {
                        try await program.close("first")
                    }
                }
            }
            try await stage.leave()
        }
    }

    static func method(_ name: String) throws -> InterfaceMethods.Method {
        guard let method = methods.first(where: { $0.description == name }) else {
            throw TestFailure("There is no method \(name).")
        }
        return method
    }

    /// Brings the owner's session into its state, again for every cell.
    private actor Stage {
        private let rig: Rig
        private let state: State
        private let microphone: DriverMicrophone?
        private let program: OtherProgram
        private var programs: [Caller: OtherProgram] = [:]
        private var connections = 0
        /// The connection whose session it is.
        private(set) var owner = ""

        init(_ rig: Rig, _ state: State) async throws {
            self.rig = rig
            self.state = state
            microphone = state == .interrupted ? nil : try await rig.plugIn()
            program = try await OtherProgram(.program("owner"), on: rig)
        }

        func program(_ caller: Caller) async throws -> OtherProgram {
            switch caller {
            case .owner, .sameProgramsOtherConnection: program
            case .otherProgram: try await OtherProgram(.program("other"), on: rig)
            case .otherAgent: try await OtherProgram(.program("agent"), on: rig)
            case .restrictedProgram: try await OtherProgram(.program("restricted"), on: rig)
            case .sandboxed: try await OtherProgram(.sandboxed("org.example.Sandboxed"), on: rig)
            case .unknown: try await OtherProgram(.unknown, on: rig)
            case .stranger: try await OtherProgram(.stranger, on: rig)
            }
        }

        func enter() async throws {
            try await leave()
            connections += 1
            owner = "owner\(connections)"
            switch state {
            case .noSession: return
            case .starting:
                rig.audio.pause()
                try await start()
                try await becomes("starting")
            case .listening:
                try await start()
                try await becomes("listening")
            case .paused:
                try await start()
                try await call("Pause")
                try await becomes("paused")
            case .interrupted:
                try await start()
                try await becomes("interrupted")
            case .stopping:
                try await start()
                try await becomes("listening")
                guard let microphone else { return }
                // Fast as it comes, recognising takes longer: Stop waits for the commit.
                let speech = try Speech.john()
                for _ in 0..<4 { try await rig.say(speech, into: microphone) }
                try await call("Commit", waits: false)
                try await call("Stop", waits: false)
            }
        }

        /// The session ends with its connection.
        func leave() async throws {
            if !owner.isEmpty { try await program.close(owner) }
            rig.audio.resume()
        }

        private func start() async throws { try await call("Start", "[{}]") }

        private func call(_ name: String, _ arguments: String = "[]", waits: Bool = true) async throws {
            let outcome = try await program.call(
                CallMatrixTests.method(name), arguments, on: owner, waits: waits)
            guard outcome.error.isEmpty else { throw TestFailure("\(name): \(outcome.error)") }
        }

        private func becomes(_ state: String) async throws {
            let getSession = try CallMatrixTests.method("GetSession")
            try await eventually("the state \(state)") {
                try await program.call(getSession, on: owner).state == state
            }
        }
    }
}

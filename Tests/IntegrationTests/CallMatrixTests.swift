import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import Testing

/// Every method of the interface in every state of a session, by every kind of caller: each call has the reply in this
/// table.
@Suite(.serialized) struct CallMatrixTests {
    enum State: String, CaseIterable {
        case noSession, starting, listening, paused, interrupted, stopping
    }

    enum Caller: String, CaseIterable {
        /// The connection that owns the session.
        case owner
        case sameProgramsOtherConnection, otherProgram, otherAgent
        /// A program that the administrator denies.
        case restrictedProgram
        case sandboxed, unknown
        /// Another user, on a bus that allows other users.
        case stranger
    }

    /// The reply to a call.
    private struct Row {
        /// As JSON.
        var arguments = "[]"
        /// For the owner, in the order of ``State``.
        var owner = [String](repeating: "", count: State.allCases.count)
        /// For other permitted callers. They do not control the session, so its state makes no difference.
        var others = ""
        /// For programs that the administrator denies.
        var restricted: String?
        /// Whether sandboxed and unknown callers may call it.
        var isForEveryone = true
        /// Whether unknown callers may call it.
        var isForUnknown = true
    }

    private static let running = "AlreadyRunning"
    private static let none = "NotRunning"
    private static let ok = ""
    /// A call that acts on the session, which must exist and not be ending.
    private static let driving = Row(owner: [none, ok, ok, ok, ok, none], others: none)
    /// No caller has the permission to type.
    private static func typing(
        _ arguments: String, _ word: String = "PermissionRequired", restricted: String? = "PermissionDenied"
    ) -> Row {
        Row(
            arguments: arguments, owner: [String](repeating: word, count: State.allCases.count), others: word,
            restricted: restricted, isForUnknown: false)
    }
    /// Nothing types.
    private static func key(_ arguments: String = "[]", _ word: String = none) -> Row {
        Row(
            arguments: arguments, owner: [String](repeating: word, count: State.allCases.count), others: word,
            restricted: word == none ? nil : "PermissionDenied", isForEveryone: false)
    }
    private static let unknownTextError = "org.freedesktop.DBus.Error.InvalidArgs"
    private static let unknownText = [String](repeating: unknownTextError, count: State.allCases.count)
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
        // The administrator has decided about all programs here.
        "Permissions.Set": Row(
            arguments: "[\(client), \"speech\", \"denied\"]",
            owner: [String](repeating: "PermissionDenied", count: State.allCases.count),
            others: "PermissionDenied", isForEveryone: false),
        "Permissions.Forget": Row(arguments: "[\(client)]", isForEveryone: false),
        "Permissions.Check": Row(arguments: "[\(client)]", isForEveryone: false),
        "Typing.BeginField": typing("[{}]"), "Typing.Show": typing(#"[1, "text"]"#),
        "Typing.Insert": typing(#"[1, "text"]"#), "Typing.ReplaceLast": typing(#"[1, "text"]"#),
        "Typing.Release": typing("[1]", none, restricted: nil),
        "Typing.Toggle": key("[{}]", "PermissionRequired"),
        "Typing.Finish": key(), "Typing.Pause": key(), "Typing.Resume": key(), "Typing.Commit": key(),
        "Typing.Undo": key(),
        "Permissions.Log": Row(arguments: "[1]", isForEveryone: false),
        "History.List": Row(arguments: "[{}]", restricted: "PermissionDenied", isForEveryone: false),
        "History.Get": Row(
            arguments: "[1]", owner: unknownText, others: unknownTextError, restricted: "PermissionDenied",
            isForEveryone: false),
        "History.Forget": Row(arguments: "[[]]", isForEveryone: false),
        "History.Clear": Row(isForEveryone: false),
        "History.Again": Row(
            arguments: "[1, {}]", owner: unknownText, others: unknownTextError,
            restricted: "PermissionDenied", isForEveryone: false),
        "History.Keep": Row(arguments: "[true]", owner: [none, ok, ok, ok, ok, none], others: none),
        "AgentManager.Register": Row(arguments: #"["/matrix", ["prompt"], {}]"#, isForEveryone: false),
        "AgentManager.Unregister": Row(
            arguments: #"["/matrix/nowhere"]"#,
            owner: [String](repeating: none, count: State.allCases.count), others: none, isForEveryone: false),
    ]

    private static func expected(_ row: Row, _ caller: Caller, _ state: State) -> String {
        let word: String
        switch caller {
        case .stranger: return "org.freedesktop.DBus.Error.AccessDenied"
        case .sandboxed, .unknown:
            guard row.isForEveryone, row.isForUnknown || caller == .sandboxed else {
                return "org.freedesktop.DBus.Error.AccessDenied"
            }
            word = row.others
        case .owner: word = row.owner[State.allCases.firstIndex(of: state) ?? 0]
        case .restrictedProgram: word = row.restricted ?? row.others
        case .sameProgramsOtherConnection, .otherProgram, .otherAgent: word = row.others
        }
        if word.contains(".") { return word }
        return word.isEmpty ? "" : "org.example.Dictation.Error.\(word)"
    }

    private static let methods = InterfaceMethods().methods

    @Test func everyMethodOfTheDescriptionIsInTheTable() {
        #expect(Set(Self.methods.map(\.description)) == Set(Self.rows.keys))
    }

    /// The calls that may change a session in this state.
    private static func driving(_ caller: Caller, _ state: State) -> Set<String> {
        switch (caller, state) {
        // The owner starts another one, or waits for the end.
        case (.owner, .stopping): ["Start", "Stop"]
        case (_, .stopping): []
        case (.owner, _): ["Start", "Pause", "Resume", "Commit", "Cancel", "Stop", "StopAll"]
        // Others take the microphone when they start, and may stop all sessions.
        default: ["Start", "StopAll"]
        }
    }

    @Test func everyCellOfTheTable() async throws {
        let folder = try TemporaryDirectory()
        let engine = try await ScriptedEngineServer(at: "unix:\(folder.path)/engine.sock")
        // A commit waits while the engine does not answer.
        let configuration = secondPass(at: engine.address, preview: "scripted", fallback: "wait")
        let rules = "permissions:\n  allow: [\"*\"]\n  deny: [\"executable:*/restricted\"]\n"
        try await withRig(configuration + rules, allowsEveryone: false) { rig in
            let stage = try await Stage(rig, engine)
            for state in State.allCases {
                for caller in Caller.allCases { try await expectRow(of: caller, in: state, on: stage) }
                try await stage.leave()
            }
        }
    }

    /// Makes every call as this caller while the owner's session is in this state.
    private func expectRow(of caller: Caller, in state: State, on stage: Stage) async throws {
        let program = try await stage.program(caller)
        if caller == .otherAgent {
            let path = #"["/matrix/agent", ["prompt"], {}]"#
            _ = try await program.call(Self.method("AgentManager.Register"), path)
        }
        let drives = Self.driving(caller, state)
        var before: String?
        for method in Self.methods {
            guard let row = Self.rows[method.description] else { continue }
            if await stage.isLate(in: state) { before = nil }
            if before == nil { before = try await stage.enter(state) }
            // Stop is answered after the commit.
            let isWaitingForEngine = state == .stopping && caller == .owner && method.name == "Stop"
            async let engineAnswers: Void = isWaitingForEngine ? stage.answer(true) : ()
            let outcome = try await program.call(
                method, row.arguments, on: caller == .owner ? await stage.owner : "first")
            try await engineAnswers
            #expect(
                outcome.error == Self.expected(row, caller, state), "\(method) by \(caller) in \(state)")
            // A session that was started must not affect the next cell.
            if caller != .owner, outcome.error.isEmpty, method.name == "Start" {
                try await program.close("first")
            }
            if drives.contains(method.description) {
                before = nil
            } else {
                let now = try await stage.session()
                #expect(now == before, "\(method) by \(caller) changes a session in \(state)")
                if now != before { before = nil }
            }
        }
        if caller != .owner { try await program.close("first") }
    }

    static func method(_ name: String) throws -> InterfaceMethods.Method {
        guard let method = methods.first(where: { $0.description == name }) else {
            throw TestFailure("There is no method \(name).")
        }
        return method
    }

    /// Brings the owner's session into a state, and waits for a subscriber's signals.
    private actor Stage {
        private let rig: Rig
        private let engine: ScriptedEngineServer
        private var microphone: DriverMicrophone
        private let watcher: TestClient
        private let program: OtherProgram
        private var programs: [Caller: OtherProgram] = [:]
        private var connections = 0
        private var isUnplugged = false
        private var isHeld = false
        /// When the state was entered.
        private var entry = ContinuousClock.now
        /// The connection that owns the session.
        private(set) var owner = ""
        private var number: UInt64 = 0

        init(_ rig: Rig, _ engine: ScriptedEngineServer) async throws {
            self.rig = rig
            self.engine = engine
            microphone = try await rig.plugIn()
            watcher = try await TestClient(on: rig)
            try await watcher.dictation.subscribe(options: [:])
            program = try await OtherProgram(.program("owner"), on: rig)
        }

        func program(_ caller: Caller) async throws -> OtherProgram {
            if let known = programs[caller] { return known }
            let new =
                switch caller {
                case .owner, .sameProgramsOtherConnection: program
                case .otherProgram: try await OtherProgram(.program("other"), on: rig)
                case .otherAgent: try await OtherProgram(.program("agent"), on: rig)
                case .restrictedProgram: try await OtherProgram(.program("restricted"), on: rig)
                case .sandboxed: try await OtherProgram(.sandboxed("org.example.Sandboxed"), on: rig)
                case .unknown: try await OtherProgram(.unknown, on: rig)
                case .stranger: try await OtherProgram(.stranger, on: rig)
                }
            programs[caller] = new
            return new
        }

        /// A session is starting while the audio server does not answer, and stopping while the engine does not. It gives
        /// up waiting after 10 and 60 seconds. On a busy machine the calls of one caller take longer.
        func isLate(in state: State) -> Bool {
            let limit: Duration? =
                switch state {
                case .starting: .seconds(3)
                case .stopping: .seconds(20)
                default: nil
                }
            return limit.map { entry.duration(to: .now) > $0 } ?? false
        }

        /// Returns the session from ``session()`` in this state.
        func enter(_ state: State) async throws -> String {
            try await leave()
            connections += 1
            owner = "owner\(connections)"
            try await plugIn(state != .interrupted)
            try await answer(state != .stopping)
            entry = .now
            switch state {
            case .noSession: break
            case .starting:
                // The server must have answered what the daemon has asked before.
                try await eventually("the last stream is gone") { try await !rig.isCapturing() }
                try rig.audio.pause()
                entry = .now
                try await start(becoming: "starting")
            case .listening:
                try await start(becoming: "listening")
            case .paused:
                try await start(becoming: "listening")
                try await call("Pause")
                try await becomes("paused")
            case .interrupted:
                try await start(becoming: "interrupted")
            case .stopping:
                try await start(becoming: "listening")
                try await rig.say(Speech.tones(500), into: microphone)
                try await call("Commit", waits: false)
                try await call("Stop", waits: false)
                try await eventually("the session is stopping") { last(of: number) == "paused stopped" }
            }
            return try await session()
        }

        /// The session ends with its connection.
        func leave() async throws {
            if !owner.isEmpty { try await program.close(owner) }
            owner = ""
            number = 0
            rig.audio.resume()
        }

        /// The owner's and a subscriber's view of the session, without its age.
        func session() async throws -> String {
            let report = try await program.call(CallMatrixTests.method("GetSession"), on: owner)
            return "\(report.session) \(last(of: number) ?? "-")"
        }

        private func plugIn(_ isWanted: Bool) async throws {
            if isWanted, isUnplugged { microphone = try await rig.plugIn() }
            if !isWanted, !isUnplugged { microphone.unplug() }
            isUnplugged = !isWanted
        }

        /// Whether the engine answers.
        func answer(_ isWanted: Bool) async throws {
            if isWanted == isHeld { try await engine.become(isWanted ? "answer" : "hold") }
            isHeld = !isWanted
        }

        /// The last StateChanged that the subscriber got.
        private func last(of number: UInt64) -> String? {
            watcher.signals.lazy.compactMap { signal in
                switch signal {
                case .stateChanged(number, let state, let cause, _): "\(state) \(cause)"
                case .stopped(number, let reason, _): "over: \(reason)"
                default: nil
                }
            }.last
        }

        private func start(becoming state: String) async throws {
            number = try UInt64(await call("Start", "[{}]").session) ?? 0
            try await becomes(state)
        }

        @discardableResult
        private func call(_ name: String, _ arguments: String = "[]", waits: Bool = true) async throws
            -> OtherProgram.Outcome
        {
            let outcome = try await program.call(
                CallMatrixTests.method(name), arguments, on: owner, waits: waits)
            guard outcome.error.isEmpty else { throw TestFailure("\(name): \(outcome.error)") }
            return outcome
        }

        private func becomes(_ state: String) async throws {
            let getSession = try CallMatrixTests.method("GetSession")
            try await eventually("the state \(state)") {
                let told = try await program.call(getSession, on: owner).state
                return told == state && last(of: number)?.hasPrefix(state) == true
            }
        }
    }
}

import DictationCore
import Testing

@Suite struct PreemptionTests {
    static let orders = [
        [0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0],
    ]
    static let clients = [Client.editor, .terminal, .player]

    /// The client whose session captures, as a number in `clients`.
    private func holder(_ scenario: Scenario, _ sessions: [SessionID]) -> Int? {
        scenario.captures.values.first.flatMap { sessions.firstIndex(of: $0) }
    }

    @Test(arguments: orders, orders)
    func latestStartGetsTheMicrophone(starts: [Int], ends: [Int]) {
        var scenario = Scenario()
        var sessions = [SessionID](repeating: SessionID(rawValue: 0), count: 3)
        for client in starts {
            sessions[client] = scenario.start(by: Self.clients[client])
            scenario.flow(sessions[client])
            #expect(holder(scenario, sessions) == client)
            #expect(scenario.captures.count == 1)
        }
        var wanting = starts
        for client in ends {
            scenario.call(client == 0 ? .pause : .stop, by: Self.clients[client])
            wanting.removeAll { $0 == client }
            #expect(holder(scenario, sessions) == wanting.last)
            if let next = wanting.last { scenario.flow(sessions[next]) }
        }
        #expect(scenario.captures.isEmpty)
    }

    @Test(arguments: orders)
    func resumeTakesTheMicrophoneBack(order: [Int]) {
        var scenario = Scenario()
        let sessions = Self.clients.map { scenario.start(by: $0) }
        for client in order {
            scenario.call(.resume, by: Self.clients[client])
            #expect(holder(scenario, sessions) == client)
        }
    }

    /// Every sequence of three calls of three clients, from all three having begun.
    /// Neither has the microphone: somebody is in a call.
    @Test(arguments: [false, true]) func thePropertiesAreThoseOfASessionThatWantsToListen(isFirst: Bool) {
        var scenario = Scenario(audio: .inCall)
        scenario.start(by: .editor)
        scenario.start(by: .terminal)
        // The latest Resume counts among those that want to listen.
        scenario.call(.resume, by: isFirst ? .terminal : .editor)
        scenario.call(.pause, by: isFirst ? .terminal : .editor)
        #expect(scenario.machine.properties.state == .interrupted)
    }

    @Test func latestRequestGetsTheMicrophoneAfterAnySequence() {
        var scenario = Scenario()
        for client in Self.clients { scenario.flow(scenario.start(by: client)) }
        var count = 0
        follow(scenario, Wishes(running: [0, 1, 2], wanting: [0, 1, 2]), calls: 3, &count)
        #expect(count == 12 + 12 * 12 + 12 * 12 * 12)
    }

    /// What the clients have asked for.
    private struct Wishes {
        var running: Set<Int>
        /// The latest last.
        var wanting: [Int]

        mutating func take(_ call: Call, of client: Int) {
            guard (call == .start) != running.contains(client) else { return }
            wanting.removeAll { $0 == client }
            switch call {
            case .start, .resume:
                running.insert(client)
                wanting.append(client)
            case .pause: break
            case .stop: running.remove(client)
            }
        }

        func state(of client: Int) -> SessionState {
            if wanting.last == client { return .listening }
            if wanting.contains(client) { return .interrupted }
            return running.contains(client) ? .paused : .idle
        }
    }

    private enum Call: CaseIterable { case start, resume, pause, stop }

    private func follow(_ scenario: Scenario, _ preferences: Wishes, calls: Int, _ count: inout Int) {
        guard calls > 0 else { return }
        for client in 0..<3 {
            for call in Call.allCases {
                var next = scenario
                var wished = preferences
                next.clear()
                switch call {
                case .start: next.start(by: Self.clients[client])
                case .resume: next.call(.resume, by: Self.clients[client])
                case .pause: next.call(.pause, by: Self.clients[client])
                case .stop: next.call(.stop, by: Self.clients[client])
                }
                wished.take(call, of: client)
                if let session = next.captures.values.first { next.flow(session) }
                count += 1
                let states = Self.clients.map { next.state(of: $0)?.state }
                if states != (0..<3).map({ wished.state(of: $0) })
                    || next.captures.count != (wished.wanting.isEmpty ? 0 : 1)
                    || next.machine.properties.isInUse == wished.wanting.isEmpty
                {
                    Issue.record("\(preferences), then \(call) of \(client): \(states), \(next.captures)")
                }
                follow(next, wished, calls: calls - 1, &count)
            }
        }
    }

    @Test func thePreemptedSessionIsInterruptedAndResumed() {
        var scenario = Scenario()
        let first = scenario.listen(by: .editor)
        let second = scenario.start(by: .terminal)
        #expect(scenario.story(first) == ["Interrupted preempted", "interrupted (preempted)"])
        scenario.clear()
        scenario.flow(second)
        scenario.call(.stop, by: .terminal)
        scenario.flow(first)
        #expect(scenario.story(first).suffix(2) == ["Resumed preempted", "listening (flowing)"])
    }

    @Test func anInterruptedSessionDoesNotBlockTheMicrophone() {
        var scenario = Scenario()
        let first = scenario.listen(by: .editor)
        let second = scenario.start(by: .terminal)
        scenario.handle(.permission(Client.terminal.identity, .notDetermined))
        #expect(scenario.capture(of: first) != nil)
        scenario.handle(.permission(Client.terminal.identity, .granted))
        #expect(scenario.capture(of: second) != nil)
    }

    @Test func theOwnerLeavingFreesTheMicrophone() {
        var scenario = Scenario()
        let first = scenario.listen(by: .editor)
        _ = scenario.start(by: .terminal)
        scenario.handle(.clientVanished(Client.terminal.name))
        #expect(scenario.capture(of: first) != nil)
    }

    @Test func theLatestSessionResumesAfterACall() {
        var scenario = Scenario()
        let first = scenario.listen(by: .editor)
        let second = scenario.start(by: .terminal)
        scenario.handle(.audio(.inCall))
        #expect(scenario.captures.isEmpty)
        scenario.handle(.audio(.desk))
        #expect(scenario.capture(of: second) != nil)
        #expect(scenario.capture(of: first) == nil)
    }

    @Test func inputTakesNoMicrophone() {
        var scenario = Scenario()
        let first = scenario.listen(by: .editor)
        let file = scenario.start(by: .terminal) { $0.hasInput = true }
        #expect(scenario.capture(of: first) != nil)
        #expect(scenario.effects.contains(.runInput(file, true)))
        #expect(scenario.machine.properties.state == .listening)
    }

    @Test func propertiesMatchTheState() {
        var scenario = Scenario()
        #expect(scenario.machine.properties == .idle)
        let session = scenario.listen()
        #expect(scenario.machine.properties.isInUse)
        #expect(scenario.machine.properties.state == .listening)
        #expect(scenario.machine.properties.route?.source.name == .builtIn)
        scenario.handle(.audio(.inCall))
        #expect(scenario.machine.properties.state == .interrupted)
        #expect(!scenario.machine.properties.isInUse)
        #expect(scenario.machine.properties.route == nil)
        scenario.handle(.clientVanished(Client.editor.name))
        #expect(scenario.machine.properties == .idle)
        #expect(scenario.captures[CaptureID(rawValue: 1)] != session)
    }
}

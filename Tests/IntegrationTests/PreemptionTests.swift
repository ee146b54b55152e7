import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import Testing

/// Three programs of one user want the microphone: the latest to ask gets it.
@Suite struct PreemptionTests {
    private enum Action: Hashable {
        case start, resume, pause, stop
    }

    private static let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]

    @Test func latestRequestGetsTheMicrophoneInAnyOrder() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            var clients: [TestClient] = []
            for _ in 0..<3 { clients.append(try await TestClient(on: rig)) }
            var told = Expectation()

            func act(_ action: Action, _ number: Int) async throws {
                let dictation = clients[number].dictation
                switch action {
                case .start: _ = try await dictation.start(options: [:])
                case .resume: try await dictation.resume()
                case .pause: try await dictation.pause()
                case .stop: try await dictation.stop()
                }
                told.expect(action, number)
                try await expect(told, of: clients, rig)
            }

            for (index, order) in Self.orders.enumerated() {
                for number in order { try await act(.start, number) }
                let back = Self.orders[(index + 3) % 6]
                try await act(.resume, back[0])
                try await act(.pause, back[1])
                try await act(.pause, back[2])
                try await act(.resume, back[1])
                if let holder = told.wanting.last {
                    try await rig.say(Speech.tones(500 + index * 100), into: microphone)
                    let text = try await clients[holder].dictation.commit().text
                    #expect(text == "t\(500 + index * 100)")
                }
                for number in Self.orders[(index + 4) % 6] { try await act(.stop, number) }
            }
            // No client got another client's text.
            #expect(clients.flatMap(\.finals).count == Self.orders.count)
        }
    }

    /// The expected state, independent of how it is reached.
    private struct Expectation {
        /// The clients that want to listen, the latest last.
        var wanting: [Int] = []
        var paused: Set<Int> = []

        mutating func expect(_ action: Action, _ number: Int) {
            wanting.removeAll { $0 == number }
            paused.remove(number)
            switch action {
            case .start, .resume: wanting.append(number)
            case .pause: paused.insert(number)
            case .stop: break
            }
        }

        func state(of number: Int) -> String {
            if wanting.last == number { return "listening" }
            if wanting.contains(number) { return "interrupted" }
            return paused.contains(number) ? "paused" : "idle"
        }
    }

    private func expect(_ told: Expectation, of clients: [TestClient], _ rig: Rig) async throws {
        for (number, client) in clients.enumerated() {
            let wanted = told.state(of: number)
            try await eventually("\(number) is \(wanted), \(told)") {
                try await client.dictation.getSession()["state"] == .string(wanted)
            }
            let reasons = try await client.dictation.getSession()["reasons"]
            let expected: [String]? =
                wanted == "idle" ? nil : wanted == "interrupted" ? ["preempted"] : []
            #expect(reasons == expected.map { Value($0) }, "\(number) is \(wanted)")
        }
        let isWanted = !told.wanting.isEmpty
        try await eventually("the streams are as wanted") {
            try await rig.audio.graph().nodes(named: "dictation.capture").count == (isWanted ? 1 : 0)
        }
        try await rig.expectMicrophone(isOpen: isWanted, according: clients[0])
    }
}

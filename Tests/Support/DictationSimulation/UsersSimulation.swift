public import DictationCore

/// Several users of one computer, each with a machine, as in the service. They share time and the seat, at which one is
/// active.
public struct UsersSimulation: Hashable, Sendable {
    /// A step of one user, or of the computer.
    public enum Step: Hashable, Sendable {
        case user(Int, DictationSimulation.Step)
        /// Another user gets the seat, or none, as at the login screen.
        /// - Parameter newFirst: the new one's event comes before the other's.
        case activate(Int?, newFirst: Bool)
        case wait(Duration)
        case sleep(Bool)
    }

    private var users: [Simulation]
    private var active: Int?

    public var eventCount: Int { users.reduce(0) { $0 + $1.eventCount } }

    public init(count: Int, settings: Settings) throws(Violation) {
        users = []
        for _ in 0..<count { users.append(try Simulation(settings: settings, isActive: false)) }
    }

    public mutating func perform(_ step: Step) throws(Violation) {
        switch step {
        case .user(let index, let step): try users[index].perform(step)
        case .activate(let next, let newFirst): try activate(next, newFirst: newFirst)
        case .wait(let duration):
            for index in users.indices { try users[index].perform(.wait(duration)) }
        case .sleep(let isAsleep):
            for index in users.indices { try users[index].perform(.sleep(isAsleep)) }
        }
        try check()
    }

    private mutating func activate(_ next: Int?, newFirst: Bool) throws(Violation) {
        guard next != active else { return }
        let sent = [next.map { ($0, true) }, active.map { ($0, false) }].compactMap { $0 }
        active = next
        for (index, isActive) in newFirst ? sent : sent.reversed() {
            try users[index].perform(.seat(active: isActive))
        }
    }

    private func check() throws(Violation) {
        for index in users.indices where users[index].isCapturing {
            try require(index == active, .oneUserListens, "user \(index) listens, \(active as Any) is active")
        }
    }

    /// At the end each user in turn becomes active, and the world is calm.
    public mutating func settle() throws(Violation) {
        for index in users.indices {
            try activate(index, newFirst: false)
            try users[index].settle()
            try check()
        }
    }
}

extension StepGenerator {
    /// A step of one of the users. Steps of the whole computer apply to all.
    mutating func step(users: Int) -> UsersSimulation.Step {
        switch random.below(12) {
        case 0:
            let next = random.below(users + 1)
            return .activate(next == users ? nil : next, newFirst: random.below(2) == 0)
        case 1: return .activate(0, newFirst: false)
        default:
            switch step() {
            case .wait(let duration): return .wait(duration)
            case .sleep(let isAsleep): return .sleep(isAsleep)
            case .seat(let isActive): return .activate(isActive ? 0 : nil, newFirst: true)
            case let step: return .user(random.below(users), step)
            }
        }
    }
}

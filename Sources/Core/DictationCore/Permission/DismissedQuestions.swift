/// Applications whose questions the user has dismissed or left unanswered, and when each may be asked about again.
///
/// The pause is short at first, because a question may be dismissed by mistake, and grows with each that follows. All
/// unidentified connections of a user are one application: a program could open a new connection for each question.
struct DismissedQuestions: Sendable {
    private struct Entry {
        var count: Int
        var end: Duration
    }

    private var entries: [Identity: Entry] = [:]

    /// The pause after the first, the second… dismissed question.
    static let pauses: [Duration] = [.seconds(2), .seconds(10), .seconds(60), .seconds(600)]
    /// An application that was not asked about for so long after its pause begins anew.
    private static let memory: Duration = .seconds(3600)
    /// Of all users.
    private static let limit = 1024

    func mayAsk(_ identity: Identity, at now: Duration) -> Bool {
        entries[identity].map { $0.end <= now } ?? true
    }

    mutating func add(_ identity: Identity, at now: Duration) {
        if entries.count >= Self.limit {
            entries = entries.filter { now < $0.value.end + Self.memory }
            if entries.count >= Self.limit, let first = entries.min(by: { $0.value.end < $1.value.end }) {
                entries[first.key] = nil
            }
        }
        let former = entries[identity].flatMap { now < $0.end + Self.memory ? $0 : nil }
        let count = (former?.count ?? 0) + 1
        entries[identity] = Entry(
            count: count, end: now + Self.pauses[min(count, Self.pauses.count) - 1])
    }

    /// The user has decided.
    mutating func forget(_ identity: Identity) { entries[identity] = nil }
}

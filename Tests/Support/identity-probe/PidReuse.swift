import CLinux
import ClientIdentity
import DictationCore
import EventLoop
import Glibc

/// Attacks the resolution of an identity: a client's process ends during it, and another program gets its number. Must
/// run in a pid namespace, where numbers can be chosen.
struct PidReuse: Sendable {
    /// The programs. They must keep running when started with the argument 1000.
    let attacker: String
    let victim: String

    struct Tally: CustomStringConvertible {
        var trials = 0
        var wrong = 0
        var attacker = 0
        var unknown = 0

        var description: String {
            "trials \(trials), wrong \(wrong), attacker \(attacker), unknown \(unknown)"
        }
    }

    /// When the number is reused: at the last of these calls, or any time after the resolution began.
    enum Moment: CaseIterable {
        case beforeResolving, beforeConfirming, afterConfirming, whileReading
    }

    /// How the connection stays known to the bus.
    enum Connection: CaseIterable {
        /// Only the attacker has it: it ends with the attacker.
        case ownSocket
        /// Another process inherited the socket, so that the bus notices nothing.
        case inheritedSocket
        /// The same, and the bus took a pidfd at the connection.
        case inheritedSocketAndProcessFD
    }

    func run(trials: Int) async throws -> Tally {
        // Without a pidfd from the bus, it cannot be known that a connection was handed on before the process was held.
        let kinds = Connection.allCases.flatMap { connection in
            Moment.allCases.map { (connection, $0) }
        }.filter { $0 != (.inheritedSocket, .beforeResolving) }
        let resolver = try IdentityResolver()
        var tally = Tally()
        for trial in 0..<trials {
            let (connection, moment) = kinds[trial % kinds.count]
            let finding = try await attack(resolver, connection, moment)
            tally.trials += 1
            switch (finding.identity.kind, finding.identity.id.rawValue) {
            case (.unknown, _): tally.unknown += 1
            case (.executable, attacker): tally.attacker += 1
            default:
                tally.wrong += 1
                print("wrong:", connection, moment, finding)
            }
        }
        return tally
    }

    private func attack(
        _ resolver: IdentityResolver, _ connection: Connection, _ moment: Moment
    ) async throws -> IdentityFinding {
        let socket = try Socket()
        let client = try Subprocess.probe(attacker, inheriting: socket.client)
        let heir = connection == .ownSocket ? nil : try Subprocess.probe(attacker, inheriting: socket.client)
        socket.closeClient()
        defer { heir?.killAndWait() }
        let pidfd = connection == .inheritedSocketAndProcessFD ? pidfd_open(client.pid, 0) : -1
        let credentials = BusCredentials(
            uid: getuid(), pid: UInt32(client.pid), process: pidfd < 0 ? nil : Descriptor(owning: pidfd))

        let change = Change(of: client, to: victim)
        if moment == .beforeResolving { try change.make() }
        let meanwhile = Lock<Task<Void, any Error>?>(nil)
        let begin = {
            guard moment == .whileReading else { return }
            let task = Task.detached {
                for _ in 0..<UInt32.random(in: 0..<20) { sched_yield() }
                try change.make()
            }
            meanwhile.withLock { $0 = task }
        }
        if connection != .inheritedSocket { begin() }
        let finding = await resolver.finding(credentials) {
            if connection == .inheritedSocket { begin() }
            if moment == .beforeConfirming { try change.make() }
            guard socket.isConnected else { throw NameHasNoOwner() }
            if moment == .afterConfirming { try change.make() }
            return (credentials.uid, credentials.pid)
        }
        try await meanwhile.withLock({ $0 })?.value
        // A bus with a pidfd is not asked again, so those calls do not occur.
        try change.make()
        change.end()
        return finding
    }

    private struct NameHasNoOwner: Error {}
}

package import DBus
import DictationCore
package import EventLoop

/// The calls of each connection, carried out in the order of their arrival. A call that must wait for something keeps those
/// behind it waiting: its caller is not identified yet, a session is restored first, a Start is prepared.
/// During the idle exit the calls of all connections wait.
@EventLoopActor
package final class Mailboxes {
    /// What the calls of a connection wait for.
    package enum Hold: Hashable, Sendable {
        /// Its program is being identified.
        case identification
        /// The user's worker is being started.
        case worker
        /// Its Start is being prepared or checked.
        case start
        /// A session is being restored that its next call concerns.
        case restoring
    }

    /// What became of a call.
    package enum Progress {
        /// It is being carried out.
        case taken
        /// It is first again when the connection's calls continue.
        case waits(for: Hold)
    }

    /// A call, without its arguments.
    package struct Letter {
        package let sender: BusName
        /// Bytes of its arguments.
        package let size: Int
        /// Descriptors in its arguments.
        package let descriptors: Int
        /// Called once or, if it returns ``Progress/waits(for:)``, again.
        package let perform: @EventLoopActor () -> Progress
        /// Called instead, if too much waits or its caller is not identified.
        package let fail: @EventLoopActor (DBusError) -> Void

        package init(
            sender: BusName, size: Int, descriptors: Int, perform: @escaping @EventLoopActor () -> Progress,
            fail: @escaping @EventLoopActor (DBusError) -> Void
        ) {
            self.sender = sender
            self.size = size
            self.descriptors = descriptors
            self.perform = perform
            self.fail = fail
        }
    }

    private struct Waiting {
        let letter: Letter
        /// Counts the calls of all connections.
        let number: UInt64
        /// Its part of the budgets.
        var leases: [Budgets.Lease]
    }

    private final class Mailbox {
        var holds: Set<Hold> = []
        var waiting: [Waiting] = []
        /// Its first call is being carried out.
        var isBusy = false
    }

    private let budgets: Budgets
    /// Whose budget the waiting calls of a connection use.
    private let payer: @EventLoopActor (BusName) -> Budgets.Payer
    /// Only of connections that have something to wait for.
    private var mailboxes: [BusName: Mailbox] = [:]
    private var lastNumber: UInt64 = 0
    /// All calls wait.
    private var isHeld = false

    package init(budgets: Budgets, payer: @escaping @EventLoopActor (BusName) -> Budgets.Payer) {
        self.budgets = budgets
        self.payer = payer
    }

    /// No call waits.
    package var isIdle: Bool { mailboxes.values.allSatisfy(\.waiting.isEmpty) }

    /// Carries out a call now, or after those of its connection that wait.
    package func deliver(_ letter: Letter) {
        let mailbox = mailboxes[letter.sender] ?? Mailbox()
        mailboxes[letter.sender] = mailbox
        lastNumber += 1
        do throws(Refusal) {
            // Calls that are carried out at once use no budget.
            let isFirst = mailbox.waiting.isEmpty && mailbox.holds.isEmpty && !mailbox.isBusy && !isHeld
            mailbox.waiting.append(
                Waiting(letter: letter, number: lastNumber, leases: isFirst ? [] : try leases(for: letter)))
        } catch {
            letter.fail(DBusError(error))
        }
        carryOn(letter.sender)
    }

    /// The calls of this connection wait until ``resume(_:_:)``.
    package func suspend(_ name: BusName, _ hold: Hold) {
        let mailbox = mailboxes[name] ?? Mailbox()
        mailboxes[name] = mailbox
        mailbox.holds.insert(hold)
    }

    /// What the calls of this connection have waited for is there.
    package func resume(_ name: BusName, _ hold: Hold) {
        guard mailboxes[name]?.holds.remove(hold) != nil else { return }
        carryOn(name)
    }

    /// The calls of this connection that wait cannot be carried out.
    package func fail(_ name: BusName, _ error: DBusError) {
        let waiting = mailboxes.removeValue(forKey: name)?.waiting ?? []
        for call in waiting { call.letter.fail(error) }
    }

    /// The connection has gone: its calls are dropped.
    package func forget(_ name: BusName) { mailboxes[name] = nil }

    /// The payer of this connection's calls has changed. Calls that do not fit are refused.
    package func charge(_ name: BusName) {
        guard let mailbox = mailboxes[name] else { return }
        let waiting = mailbox.waiting
        mailbox.waiting = []
        for var call in waiting {
            for lease in call.leases { lease.end() }
            do throws(Refusal) {
                call.leases = try leases(for: call.letter)
                mailbox.waiting.append(call)
            } catch {
                call.letter.fail(DBusError(error))
            }
        }
    }

    // MARK: The idle exit

    /// All calls wait until ``release()``.
    package func hold() { isHeld = true }

    /// The calls that have waited are carried out in the order of their arrival.
    package func release() {
        isHeld = false
        while let next = mailboxes.filter({ isReady($0.value) }).min(by: { first($0.value) < first($1.value) }
        ) {
            takeFirst(of: next.key, next.value)
        }
        for name in Array(mailboxes.keys) { removeIfEmpty(name) }
    }

    private func first(_ mailbox: Mailbox) -> UInt64 { mailbox.waiting.first?.number ?? .max }

    // MARK: One mailbox

    private func isReady(_ mailbox: Mailbox) -> Bool {
        !mailbox.waiting.isEmpty && mailbox.holds.isEmpty && !mailbox.isBusy && !isHeld
    }

    private func carryOn(_ name: BusName) {
        while let mailbox = mailboxes[name], isReady(mailbox) { takeFirst(of: name, mailbox) }
        removeIfEmpty(name)
    }

    private func takeFirst(of name: BusName, _ mailbox: Mailbox) {
        var call = mailbox.waiting.removeFirst()
        for lease in call.leases { lease.end() }
        mailbox.isBusy = true
        let progress = call.letter.perform()
        mailbox.isBusy = false
        guard case .waits(let hold) = progress else { return }
        mailbox.holds.insert(hold)
        do throws(Refusal) {
            call.leases = try leases(for: call.letter)
            mailbox.waiting.insert(call, at: 0)
        } catch {
            call.letter.fail(DBusError(error))
        }
    }

    private func removeIfEmpty(_ name: BusName) {
        guard let mailbox = mailboxes[name], mailbox.waiting.isEmpty, mailbox.holds.isEmpty, !mailbox.isBusy
        else { return }
        mailboxes[name] = nil
    }

    private func leases(for letter: Letter) throws(Refusal) -> [Budgets.Lease] {
        do throws(Refusal) {
            return try budgets.leases(
                forCallOf: letter.size, letter.descriptors, by: payer(letter.sender))
        } catch {
            guard isHeld else { throw error }
            throw Refusal(
                .limitExceeded, "The service is about to end, and too many calls wait: call again.")
        }
    }
}

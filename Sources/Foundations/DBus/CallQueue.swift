/// Calls that wait to be handled. Senders take turns, and the calls of each stay in order.
///
/// While others call, a sender with several waiting calls gets an eighth of the time, after a short reserve. So neither the
/// number of its calls nor what they cost is paid for by the others. A sender that waits for each reply is never held back,
/// unless its calls are larger than their methods take: the bus delivers them faster than they can be read.
struct CallQueue<Sender: Hashable, Element> {
    /// What waits at most. The first call of a sender is accepted whatever its size, unless too much waits in all.
    struct Limits {
        /// Calls of one sender.
        var calls = 1024
        /// Bytes of one sender's calls.
        var senderBytes = 4 << 20
        /// Bytes of all calls.
        var bytes = 64 << 20
        /// Descriptors in all calls.
        var descriptors = 1024
    }

    struct Size {
        var bytes = 0
        var descriptors = 0
        /// Larger than its method takes. It is refused in its turn, and its bytes are not kept.
        var isExcessive = false
    }

    typealias Instant = SuspendingClock.Instant

    private struct Entry {
        let element: Element
        let size: Size
    }

    private struct Lane {
        var entries: [Entry] = []
        var bytes = 0
        /// Until when its share pays for the time that its calls have taken.
        var busyUntil: Instant
        /// Its sender has left the bus, so no more calls will come.
        var isEnding = false
    }

    private let limits: Limits
    private var lanes: [Sender: Lane] = [:]
    /// Senders with waiting calls, in the order of their turns.
    private var turns: [Sender] = []
    private var size = Size()
    /// The latest two senders that have called, the last one first.
    private var callers: [(sender: Sender, time: Instant)] = []

    /// One part in so many of the time.
    private static var share: Int { 8 }
    /// Time that a sender may use at once.
    private static var reserve: Duration { .milliseconds(20) }
    /// No sender is held back longer at a time, whatever its calls have cost.
    private static var longestHold: Duration { .milliseconds(100) }
    /// The same after excessive calls. One of 32 MiB costs a quarter of a second on its way, also in the bus.
    private static var longestExcessiveHold: Duration { .seconds(5) }
    /// Calls of a sender that is held back continue in batches, so that the loop is not woken for each.
    private static var pause: Duration { .milliseconds(2) }
    /// How long a sender counts as calling after its last call.
    private static var memory: Duration { .seconds(1) }
    /// Lanes without calls that are kept.
    private static var emptyLanes: Int { 64 }
    /// A sender that has no call waiting may add one of this size even if too much waits in all.
    private static var smallBytes: Int { 64 << 10 }

    init(_ limits: Limits = Limits()) {
        self.limits = limits
    }

    var isEmpty: Bool { turns.isEmpty }

    func hasCalls(of sender: Sender) -> Bool { lanes[sender]?.entries.isEmpty == false }

    /// Returns false if too much waits already.
    mutating func append(_ call: Element, of sender: Sender, _ size: Size, at now: Instant) -> Bool {
        recordCaller(sender, now)
        guard fits(size, of: sender) else { return false }
        add(Entry(element: call, size: size), of: sender, at: now)
        return true
    }

    /// Appends what is no call, and is handled after the calls of its sender. Returns false if too much waits already.
    mutating func follow(_ element: Element, _ sender: Sender, _ size: Size, at now: Instant) -> Bool {
        guard fits(size, of: sender) else { return false }
        add(Entry(element: element, size: size), of: sender, at: now)
        return true
    }

    /// Appends what is handled after all calls of a sender that has left the bus. It is no longer held back.
    mutating func end(_ element: Element, _ sender: Sender, at now: Instant) {
        add(Entry(element: element, size: Size()), of: sender, at: now)
        lanes[sender]?.isEnding = true
    }

    /// The next element, if no sender with waiting calls is held back.
    mutating func next(at now: Instant) -> (sender: Sender, element: Element)? {
        if lanes.count > turns.count + Self.emptyLanes {
            lanes = lanes.filter { !$0.value.entries.isEmpty || $0.value.busyUntil > now }
        }
        guard let turn = turns.firstIndex(where: { isFree($0, at: now) }) else { return nil }
        let sender = turns.remove(at: turn)
        guard let entry = lanes[sender]?.entries.removeFirst() else { return nil }
        lanes[sender]?.bytes -= entry.size.bytes
        size.bytes -= entry.size.bytes
        size.descriptors -= entry.size.descriptors
        if hasCalls(of: sender) {
            turns.append(sender)
        } else if lanes[sender]?.isEnding == true {
            lanes[sender] = nil
        }
        return (sender, entry.element)
    }

    /// A call of this sender has taken so long.
    mutating func charge(_ sender: Sender, _ cost: Duration, at now: Instant, isExcessive: Bool = false) {
        guard let lane = lanes[sender] else { return }
        let until = max(lane.busyUntil, now) + cost * Self.share
        let hold = isExcessive ? Self.longestExcessiveHold : Self.longestHold
        lanes[sender]?.busyUntil = max(lane.busyUntil, min(until, now + Self.reserve * Self.share + hold))
    }

    /// When to call `next` again, if it returned nothing although calls wait.
    func resumption(after now: Instant) -> Instant? {
        turns.compactMap { lanes[$0]?.busyUntil }.min().map { $0 - Self.reserve * Self.share }
            .map { max($0, now) + Self.pause }
    }

    /// Removes everything that waits, in the order of the turns.
    mutating func removeAll() -> [Element] {
        defer { self = CallQueue(limits) }
        return turns.flatMap { lanes[$0]?.entries.map(\.element) ?? [] }
    }

    private mutating func add(_ entry: Entry, of sender: Sender, at now: Instant) {
        if !hasCalls(of: sender) { turns.append(sender) }
        lanes[sender, default: Lane(busyUntil: now)].entries.append(entry)
        lanes[sender]?.bytes += entry.size.bytes
        size.bytes += entry.size.bytes
        size.descriptors += entry.size.descriptors
    }

    private func fits(_ new: Size, of sender: Sender) -> Bool {
        let isFirst = !hasCalls(of: sender)
        let (count, bytes) = lanes[sender].map { ($0.entries.count, $0.bytes) } ?? (0, 0)
        let fitsSender = isFirst || (count < limits.calls && bytes + new.bytes <= limits.senderBytes)
        let fitsAll = size.bytes + new.bytes <= limits.bytes || (isFirst && new.bytes <= Self.smallBytes)
        let fitsDescriptors =
            new.descriptors == 0 || size.descriptors == 0
            || size.descriptors + new.descriptors <= limits.descriptors
        return fitsSender && fitsAll && fitsDescriptors
    }

    private func isFree(_ sender: Sender, at now: Instant) -> Bool {
        guard let lane = lanes[sender], let first = lane.entries.first, !lane.isEnding,
            lane.entries.count > 1 || first.size.isExcessive
        else { return true }
        return lane.busyUntil <= now + Self.reserve * Self.share || !othersCall(than: sender, at: now)
    }

    private func othersCall(than sender: Sender, at now: Instant) -> Bool {
        callers.contains { $0.sender != sender && now - $0.time < Self.memory }
    }

    private mutating func recordCaller(_ sender: Sender, _ now: Instant) {
        callers.removeAll { $0.sender == sender }
        callers.insert((sender, now), at: 0)
        if callers.count > 2 { callers.removeLast() }
    }
}

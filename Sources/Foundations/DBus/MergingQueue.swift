/// An element of a ``MergingQueue``.
public protocol Mergeable: Sendable {
    associatedtype Kind: Hashable, Sendable

    /// Waiting elements of one kind are merged into one. Nil: never merged.
    var kind: Kind? { get }
    /// Elements of these kinds that come later are not merged with those that came before this one.
    var separated: Separated<Kind> { get }

    /// Merges this element with an earlier one of the same kind.
    func merged(with earlier: Self) -> Self
}

/// The kinds that an element separates.
public enum Separated<Kind: Hashable & Sendable>: Hashable, Sendable {
    case none
    case kinds(Set<Kind>)
    case all

    public static func kind(_ kind: Kind) -> Self { .kinds([kind]) }
}

/// Elements that wait, in order. One that is merged with an earlier one has the later one's place.
public struct MergingQueue<Element: Mergeable>: Sendable {
    /// A removed element leaves a gap until the next compaction.
    private var slots: [Element?] = []
    /// Index of the next slot to read.
    private var first = 0
    private var positions: [Element.Kind: Int] = [:]
    public private(set) var count = 0

    public init() {}

    public var isEmpty: Bool { count == 0 }
    /// Slots in memory.
    package var capacity: Int { slots.count }
    public var last: Element? { slots[first...].last { $0 != nil } ?? nil }

    public func contains(where isWanted: (Element) -> Bool) -> Bool {
        slots[first...].contains { $0.map(isWanted) ?? false }
    }

    /// Removes the element that this one replaces, for ``Mergeable/merged(with:)``.
    public mutating func removeReplaced(by element: Element) -> Element? {
        guard let kind = element.kind, let index = positions[kind], let earlier = slots[index] else {
            return nil
        }
        remove(earlier, at: index)
        return earlier
    }

    /// Adds an element as it is.
    public mutating func append(_ element: Element) {
        switch element.separated {
        case .none: break
        case .kinds(let kinds): for kind in kinds { positions[kind] = nil }
        case .all: positions = [:]
        }
        if let kind = element.kind { positions[kind] = slots.count }
        slots.append(element)
        count += 1
        if slots.count > 64, slots.count > 4 * count { compact() }
    }

    public mutating func popFirst() -> Element? {
        while first < slots.count {
            let index = first
            first += 1
            guard let element = slots[index] else { continue }
            remove(element, at: index)
            if first > slots.count / 2, first > 32 || isEmpty { compact() }
            return element
        }
        return nil
    }

    /// Removes the first of those that are not wanted.
    /// - Returns: how many were removed.
    @discardableResult
    public mutating func removeFirst(_ limit: Int = .max, where isUnwanted: (Element) -> Bool) -> Int {
        var removed = 0
        for index in slots.indices[first...] where removed < limit {
            guard let element = slots[index], isUnwanted(element) else { continue }
            remove(element, at: index)
            removed += 1
        }
        compact()
        return removed
    }

    private mutating func remove(_ element: Element, at index: Int) {
        slots[index] = nil
        count -= 1
        if let kind = element.kind, positions[kind] == index { positions[kind] = nil }
    }

    private mutating func compact() {
        var moved: [Int: Int] = [:]
        var kept: [Element?] = []
        kept.reserveCapacity(count)
        for index in slots.indices[first...] where slots[index] != nil {
            moved[index] = kept.count
            kept.append(slots[index])
        }
        slots = kept
        first = 0
        positions = positions.compactMapValues { moved[$0] }
    }
}

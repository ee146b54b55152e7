import DictationCore
import EventLoop

/// What a session gives its recogniser, in order: audio, and marks between the audio. Filled by any thread
/// without waiting, emptied by the decoder's.
final class Inbox: Sendable {
    enum Item: Sendable {
        case audio([Int16])
        /// This much audio was lost: it came while decoding lagged by more than the bound.
        case gap(frames: Int)
        case cut
        case acoustics(AcousticKey)
        case endBlock(BlockNumber)
        case discardBlock(BlockNumber)
        case close
    }

    private struct State {
        var items: [Item] = []
        /// Where the first item not taken is.
        var next = 0
        var keptFrames = 0
        var framesIn = 0
        var isClosed = false
        /// Set while the decoder waits: quieter audio than this, in dBFS, need not wake it. See ``take(below:)``.
        var restLevel: Float?
    }

    private let state = Lock(State())
    private let bell = Bell()
    private let room = Bell()
    private let bound: Int
    /// More than this is not needed to keep the decoder busy: 10 s.
    private static let plenty = 160_000
    /// Audio in which nothing can begin is handed on in pieces of 0.2 s: waking a thread costs more than looking at it.
    private static let longestRest = 3200

    /// - Parameter bound: frames of audio kept at most.
    init(bound: Int) {
        self.bound = bound
    }

    /// Frames that wait to be decoded.
    var keptFrames: Int { state.withLock { $0.keptFrames } }

    /// A commit waits.
    var holdsEndOfBlock: Bool {
        state.withLock { state in
            state.items[state.next...].contains { if case .endBlock = $0 { true } else { false } }
        }
    }

    var framesIn: Int { state.withLock { $0.framesIn } }

    /// Returns when less audio waits than the decoder could want, or when closed. For readers of files, on
    /// a thread of their own; one at a time.
    func waitForRoom() {
        while state.withLock({ !$0.isClosed && $0.keptFrames > Self.plenty }) { room.wait() }
    }

    /// - Returns: false where it is closed.
    func put(_ samples: [Int16]) -> Bool {
        let (isTaken, isWanted) = state.withLock { state in
            guard !state.isClosed else { return (false, false) }
            state.framesIn += samples.count
            state.items.append(.audio(samples))
            state.keptFrames += samples.count
            dropOldest(&state)
            guard let level = state.restLevel, state.keptFrames < Self.longestRest else {
                return (true, true)
            }
            return (true, SpeechGate.loudness(of: samples) > level)
        }
        if isWanted { bell.ring() }
        return isTaken
    }

    func put(_ mark: Item) {
        state.withLock { state in
            guard !state.isClosed else { return }
            switch mark {
            case .close:
                state.items = []
                state.next = 0
                state.keptFrames = 0
                state.isClosed = true
            case .discardBlock:
                forgetCurrentBlock(&state)
            default:
                break
            }
            state.items.append(mark)
        }
        bell.ring()
        room.ring()
    }

    /// Waits for the next item.
    /// - Parameter level: dBFS below which audio may wait for more of it; nil where all is wanted at once.
    func take(below level: Float? = nil) -> Item {
        while true {
            let item = state.withLock { state in
                let item = takeFirst(&state)
                state.restLevel = item == nil ? level : nil
                return item
            }
            if let item {
                room.ring()
                return item
            }
            bell.wait()
        }
    }

    private func takeFirst(_ state: inout State) -> Item? {
        guard state.next < state.items.count else { return nil }
        let item = state.items[state.next]
        state.items[state.next] = .gap(frames: 0)
        state.next += 1
        if case .audio(let samples) = item { state.keptFrames -= samples.count }
        if state.next == state.items.count {
            state.items.removeAll(keepingCapacity: true)
            state.next = 0
        } else if state.next >= 1024 {
            state.items.removeFirst(state.next)
            state.next = 0
        }
        return item
    }

    /// A discarded block's audio need not be decoded first.
    private func forgetCurrentBlock(_ state: inout State) {
        for index in state.items[state.next...].indices.reversed() {
            switch state.items[index] {
            case .endBlock, .discardBlock:
                return
            case .audio(let samples):
                state.keptFrames -= samples.count
                state.items[index] = .gap(frames: 0)
            case .gap:
                state.items[index] = .gap(frames: 0)
            case .cut, .acoustics, .close:
                break
            }
        }
    }

    private func dropOldest(_ state: inout State) {
        var index = state.next
        while state.keptFrames > bound, index < state.items.count {
            if case .audio(let samples) = state.items[index] {
                state.items[index] = .gap(frames: samples.count)
                state.keptFrames -= samples.count
            }
            index += 1
        }
    }
}

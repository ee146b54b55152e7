import DictationCore

/// The queue of a session's segments and ends of blocks, in the order of the audio.
///
/// Pure. ``Transcription`` holds the lock. A decoder takes a segment and reports its outcome, and ``takeResults()``
/// returns outcomes and ends of blocks in the order of the audio, in whatever order the decoders finish.
struct SegmentQueue {
    typealias SegmentID = UInt64

    /// The end of a segment.
    struct End: Hashable {
        /// Frames on the block's clock.
        var frame: Int
        /// In the middle of speech: the segment reached its maximum length, or the audio after it was lost.
        var isCut: Bool
    }

    /// A segment that a decoder has taken.
    struct Taken {
        var id: SegmentID
        var block: BlockNumber
        var acoustics: AcousticKey
        /// Frames on the block's clock.
        var start: Int
        var run: PreviewRun?
    }

    /// A passage that the preview engine recognises because the engine in another process does not.
    struct PreviewRun: Hashable {
        var passage: PassageQueue.ID
        /// That of its ``PreviewWish``.
        var number: Int
    }

    /// The next part of a segment that a decoder has taken.
    enum More {
        case sound([Int16])
        case end(End)
        /// The segment has not ended, but no more audio has come yet.
        case nothingYet
        /// The segment's text is no longer wanted.
        case discarded
    }

    enum Result {
        case segment(BlockNumber, SegmentOutcome)
        case preview(PreviewRun, SegmentOutcome)
        /// All segments of the passage are recognised.
        case endOfPreview(PreviewRun)
        /// The segments since the last passage form a passage with this audio.
        case endOfPassage(BlockNumber, PassageBuilder.Sound)
        /// Frames of audio in the block.
        case endOfBlock(BlockNumber, frames: Int)
    }

    private struct Entry {
        enum Kind {
            case segment
            case endOfPassage(PassageBuilder.Sound)
            case endOfPreview(PreviewRun)
            case endOfBlock(frames: Int)
        }

        let id: SegmentID
        var kind: Kind
        let block: BlockNumber
        let acoustics: AcousticKey
        var run: PreviewRun?
        var start = 0
        /// Audio that no decoder has taken yet.
        var sound: [Int16] = []
        var takenFrames = 0
        /// Audio that a decoder has taken, and that the next one needs again, because the first gave the segment back.
        var heard: [Int16] = []
        /// What its sound shows of a voice so far.
        var voice = VoiceEvidence()
        var end: End?
        var isTaken = false
        var isDiscarded = false
        var outcome: SegmentOutcome?

        var isSegment: Bool { if case .segment = kind { true } else { false } }
        var isEndOfBlock: Bool { if case .endOfBlock = kind { true } else { false } }
        /// All audio has come, and no decoder has taken it.
        var isWholeAndWaiting: Bool { isSegment && end != nil && !isTaken }
        /// There is work for a decoder. A segment that was given back waits for its end, or for so much more audio that
        /// decoding the rest again is worth it.
        var isReady: Bool {
            guard isSegment, !isTaken else { return false }
            return heard.isEmpty || end != nil || sound.count >= min(max(heard.count / 2, 16000), 80000)
        }
    }

    private var entries: [Entry] = []
    private var lastID: SegmentID = 0
    /// Frames that no decoder has taken.
    private(set) var waitingFrames = 0

    /// Complete segments that no decoder has taken.
    var wholeSegments: Int { entries.count { $0.isWholeAndWaiting } }
    /// Frames of these segments.
    var wholeFrames: Int { entries.reduce(0) { $0 + ($1.isWholeAndWaiting ? $1.sound.count : 0) } }
    /// A segment for a decoder.
    var hasWaitingSegment: Bool { entries.contains(where: \.isReady) }
    /// A commit waits for everything before it.
    var holdsEndOfBlock: Bool { entries.contains(where: \.isEndOfBlock) }

    // MARK: Audio

    var isEmpty: Bool { entries.isEmpty }

    /// - Parameter run: the preview that it belongs to.
    mutating func begin(
        block: BlockNumber, at start: Int, acoustics: AcousticKey, run: PreviewRun? = nil
    ) {
        var entry = newEntry(.segment, block, acoustics)
        entry.start = start
        entry.run = run
        entries.append(entry)
    }

    /// A passage whose sound is complete, before the previews of later passages.
    mutating func insert(
        _ samples: ArraySlice<Int16>, block: BlockNumber, at start: Int, acoustics: AcousticKey,
        run: PreviewRun
    ) {
        var segment = newEntry(.segment, block, acoustics)
        segment.start = start
        segment.sound = Array(samples)
        segment.end = End(frame: start + samples.count, isCut: false)
        segment.run = run
        waitingFrames += samples.count
        var end = newEntry(.endOfPreview(run), block, acoustics)
        end.end = segment.end
        end.run = run
        let index =
            entries.firstIndex { $0.run.map { $0.passage > run.passage } ?? false } ?? entries.endIndex
        entries.insert(contentsOf: samples.isEmpty ? [end] : [segment, end], at: index)
    }

    /// The sound of a passage is complete.
    mutating func endPreview(_ run: PreviewRun, of block: BlockNumber, at frame: Int) {
        var entry = newEntry(.endOfPreview(run), block, .once(0))
        entry.end = End(frame: frame, isCut: false)
        entry.run = run
        entries.append(entry)
    }

    /// The preview is not needed any more.
    mutating func discardPreview(_ run: PreviewRun) {
        discard { $0.run == run }
    }

    /// Appends speech to the latest segment.
    /// - Parameter voice: what the segment shows of a voice so far.
    mutating func append(_ samples: ArraySlice<Int16>, voice: VoiceEvidence = VoiceEvidence()) {
        guard let last = entries.indices.last, entries[last].end == nil else { return }
        entries[last].sound.append(contentsOf: samples)
        entries[last].voice = voice
        waitingFrames += samples.count
    }

    mutating func end(at frame: Int, isCut: Bool) {
        guard let last = entries.indices.last, entries[last].end == nil else { return }
        entries[last].end = End(frame: frame, isCut: isCut)
    }

    mutating func endBlock(_ block: BlockNumber, frames: Int) {
        var entry = newEntry(.endOfBlock(frames: frames), block, .once(0))
        entry.end = End(frame: frames, isCut: false)
        entries.append(entry)
    }

    mutating func endPassage(of block: BlockNumber, _ sound: PassageBuilder.Sound) {
        var entry = newEntry(.endOfPassage(sound), block, .once(0))
        entry.end = End(frame: sound.cut.end, isCut: false)
        entries.append(entry)
        // Decoding is far behind: this passage gets only the preview.
        let waiting = entries.indices.filter {
            if case .endOfPassage = entries[$0].kind { true } else { false }
        }
        if waiting.count > Self.keptPassages, case .endOfPassage(var sound) = entries[waiting[0]].kind {
            sound.samples = []
            entries[waiting[0]].kind = .endOfPassage(sound)
        }
    }

    /// Maximum number of passages whose audio is kept while their segments wait. A passage takes less than a megabyte.
    private static let keptPassages = 32

    /// Discards the block. A decoder that works on it learns it from ``more(of:)`` and ``isWanted(_:)``.
    mutating func discard(_ block: BlockNumber) {
        discard { $0.block == block && !$0.isEndOfBlock }
    }

    private mutating func discard(_ isDiscarded: (Entry) -> Bool) {
        for index in entries.indices where isDiscarded(entries[index]) {
            waitingFrames -= entries[index].sound.count
            entries[index].sound = []
            entries[index].isDiscarded = true
        }
        entries.removeAll { $0.isDiscarded && !$0.isTaken }
    }

    private mutating func newEntry(
        _ kind: Entry.Kind, _ block: BlockNumber, _ acoustics: AcousticKey
    ) -> Entry {
        lastID += 1
        return Entry(id: lastID, kind: kind, block: block, acoustics: acoustics)
    }

    // MARK: Decoders

    /// Takes the first segment that no decoder has, complete or not. Its audio follows by ``more(of:)``.
    mutating func takeFirst() -> Taken? {
        take(entries.firstIndex(where: \.isReady))
    }

    /// Takes the first complete segment, with its audio.
    mutating func takeWhole() -> (segment: Taken, sound: [Int16], end: End)? {
        let index = entries.firstIndex { $0.isWholeAndWaiting }
        guard let taken = take(index), let index, let end = entries[index].end else { return nil }
        return (taken, takeSound(of: index), end)
    }

    mutating func more(of id: SegmentID) -> More {
        guard let index = index(of: id), !entries[index].isDiscarded else { return .discarded }
        if !entries[index].sound.isEmpty || !entries[index].heard.isEmpty {
            return .sound(takeSound(of: index))
        }
        return entries[index].end.map(More.end) ?? .nothingYet
    }

    /// Whether the sound of a segment shows a voice so far. The beginning of a preview was not examined, so it may have one.
    func hasVoice(_ id: SegmentID) -> Bool {
        index(of: id).map { entries[$0].voice.source == .voice || entries[$0].run != nil } ?? false
    }

    func isWanted(_ id: SegmentID) -> Bool {
        index(of: id).map { !entries[$0].isDiscarded } ?? false
    }

    /// The decoder has finished the segment.
    mutating func finish(_ id: SegmentID, _ outcome: SegmentOutcome) {
        guard let index = index(of: id) else { return }
        if entries[index].isDiscarded {
            entries.remove(at: index)
        } else {
            entries[index].outcome = outcome
        }
    }

    /// The decoder could not decode a segment that it took whole. Another may.
    mutating func putBack(_ id: SegmentID, _ sound: [Int16]) {
        guard let index = index(of: id) else { return }
        if entries[index].isDiscarded {
            entries.remove(at: index)
            return
        }
        entries[index].sound = sound
        entries[index].takenFrames = 0
        entries[index].isTaken = false
        waitingFrames += sound.count
    }

    /// The decoder gives a segment back whose audio has stopped in the middle.
    /// - Parameter heard: all audio that it took of the segment.
    /// - Returns: false if there is more to decode.
    mutating func putBackUnfinished(_ id: SegmentID, _ heard: [Int16]) -> Bool {
        guard let index = index(of: id), !entries[index].isDiscarded, entries[index].sound.isEmpty,
            entries[index].end == nil
        else { return false }
        entries[index].heard = heard
        entries[index].isTaken = false
        return true
    }

    /// The results so far, in the order of the audio, each once.
    mutating func takeResults() -> [Result] {
        var results: [Result] = []
        while let first = entries.first {
            switch first.kind {
            case .endOfBlock(let frames):
                results.append(.endOfBlock(first.block, frames: frames))
            case .endOfPassage(let sound):
                results.append(.endOfPassage(first.block, sound))
            case .segment:
                guard let outcome = first.outcome else { return results }
                results.append(first.run.map { .preview($0, outcome) } ?? .segment(first.block, outcome))
            case .endOfPreview(let run):
                results.append(.endOfPreview(run))
            }
            entries.removeFirst()
        }
        return results
    }

    private mutating func take(_ index: Int?) -> Taken? {
        guard let index else { return nil }
        entries[index].isTaken = true
        let entry = entries[index]
        return Taken(
            id: entry.id, block: entry.block, acoustics: entry.acoustics, start: entry.start, run: entry.run)
    }

    private mutating func takeSound(of index: Int) -> [Int16] {
        let (heard, sound) = (entries[index].heard, entries[index].sound)
        entries[index].heard = []
        entries[index].sound = []
        entries[index].takenFrames += sound.count
        waitingFrames -= sound.count
        return heard.isEmpty ? sound : heard + sound
    }

    private func index(of id: SegmentID) -> Int? { entries.firstIndex { $0.id == id } }

    // MARK: Losses

    /// Drops one contiguous stretch, the oldest that waits, so that at most this many frames are left.
    ///
    /// A segment that is being decoded ends where the stretch begins. Its rest behind the stretch becomes a segment of
    /// its own.
    /// - Returns: the dropped frames, by block.
    mutating func dropOldest(keeping frames: Int) -> [(block: BlockNumber, frames: Int)] {
        var losses: [(block: BlockNumber, frames: Int)] = []
        var index = 0
        while waitingFrames > frames, index < entries.count {
            let dropped = min(waitingFrames - frames, entries[index].sound.count)
            guard dropped > 0 else {
                index += 1
                continue
            }
            addLoss(dropped, of: entries[index].block, in: &losses)
            waitingFrames -= dropped
            index = drop(dropped, from: index)
        }
        return losses
    }

    /// Drops everything that waits.
    mutating func dropAll() -> [(block: BlockNumber, frames: Int)] {
        defer { self = SegmentQueue() }
        return dropOldest(keeping: 0)
    }

    private func addLoss(
        _ frames: Int, of block: BlockNumber, in losses: inout [(block: BlockNumber, frames: Int)]
    ) {
        if let last = losses.indices.last, losses[last].block == block {
            losses[last].frames += frames
        } else {
            losses.append((block, frames))
        }
    }

    /// - Returns: the index of the first entry with audio that can be dropped.
    private mutating func drop(_ frames: Int, from index: Int) -> Int {
        let entry = entries[index]
        let rest = entry.sound.dropFirst(frames)
        if !entry.isTaken, entry.heard.isEmpty {
            if rest.isEmpty && entry.end != nil {
                entries.remove(at: index)
                return index
            }
            entries[index].sound = Array(rest)
            entries[index].start += frames
            return index + 1
        }
        let holeStart = entry.start + entry.takenFrames
        entries[index].sound = []
        entries[index].end = End(frame: holeStart, isCut: true)
        if rest.isEmpty && entry.end != nil { return index + 1 }
        var continuation = newEntry(.segment, entry.block, entry.acoustics)
        continuation.run = entry.run
        continuation.start = holeStart + frames
        continuation.sound = Array(rest)
        continuation.end = entry.end
        continuation.voice = entry.voice
        entries.insert(continuation, at: index + 1)
        return index + 2
    }
}

/// The result of a segment.
enum SegmentOutcome: Sendable {
    case segment(Segment)
    /// The sound has no voice. The words that the engine made of it were dropped.
    case noise(Segment)
    /// The engine failed on it twice.
    case failed(message: String)
}

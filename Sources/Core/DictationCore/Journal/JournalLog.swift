/// A change of a journal's file.
public enum JournalStep: Hashable, Sendable {
    case append([JournalRecord])
    /// These become the contents. A crash leaves the old or the new ones.
    case replace([JournalRecord])
    /// Nothing is left.
    case clear
    /// The journal has reached its limit: further sound is not kept. Reported once until it is smaller.
    case full
}

/// What a session's journal has to hold: the texts of its uncommitted blocks, and the sound since the last finished segment.
///
/// Silence is not written: the last seconds are kept in memory, and written when speech begins.
public struct JournalLog: Sendable {
    /// Frames before the beginning of speech that the recogniser's detector needs to find it again: 1 s.
    private static let lead = 16_000
    /// Frames of silence in memory. The detector reports speech some tenths of a second after its beginning.
    private static let lookBack = 32_000
    /// Bytes in the file, beyond twice its contents, that are not needed any more.
    private static let wasteLimit = 1 << 20
    /// Longer names of fields are not kept. In bytes.
    private static let fieldLimit = 1000
    /// The end of a passage may be a little before the end of its last segment: 0.1 s.
    private static let tolerance = 1600

    private struct Chunk {
        var frame: Int
        var samples: [Int16]
        /// The sound before it ended in a pause or an interruption.
        var followsCut = false

        var end: Int { frame + samples.count }
    }

    private struct Part {
        var number: BlockNumber
        /// The texts' records.
        var texts: [JournalRecord] = []
        var dropped = 0
        /// Empty if it is not known.
        var field = ""
        /// In order.
        var chunks: [Chunk] = []
        /// So many of the first chunks are in the file.
        var written = 0
        /// The file has something of it.
        var isInFile = false
        /// Frames so far.
        var position = 0
        /// The recogniser's clock began at this frame.
        var base = 0
        var isSpeaking = false
        /// The end of the last speech.
        var speechEnd = 0
        /// All sound before this frame is in finished segments.
        var settled = 0
        /// The recogniser has looked for speech in all sound that was restored.
        var isHeard = true
        /// The ends of the preview's segments that no passage has replaced.
        var previewEnds: [Int] = []
        /// Nothing of it is kept.
        var isWithheld = false

        /// There is speech that no finished segment has.
        var isPending: Bool { !isHeard || isSpeaking || settled + JournalLog.tolerance < speechEnd }

        /// Drops the chunks that end before this frame, or at it.
        /// - Returns: whether there were any.
        @discardableResult mutating func drop(to frame: Int) -> Bool {
            let count = chunks.firstIndex { $0.end > frame } ?? chunks.count
            guard count > 0 else { return false }
            chunks.removeFirst(count)
            written = max(0, written - count)
            return true
        }

        /// Forgets its texts and its sound.
        mutating func removeContents() {
            texts = []
            chunks = []
            written = 0
            isSpeaking = false
            settled = position
            isHeard = true
        }

        /// A segment failed, whose end is not known: the speech so far gives no text.
        mutating func loseSpeech() {
            if !isSpeaking { settled = max(settled, speechEnd) }
        }

        func frame(_ seconds: Double) -> Int { base + Int((seconds * sampleRate).rounded()) }
    }

    private let session: JournalSession
    /// The last is the one that sound belongs to.
    private var parts: [Part]
    private var isFlowing = false
    private var isCut = false
    /// The session may not keep anything now.
    private var isSuspended = false
    private var attempts = 0

    // The file.

    private var isEmpty = true
    private var bytes = 0
    private var holdsSound = false
    /// It holds a block that is over.
    private var isOutdated = false
    private var wasteCheck = JournalLog.wasteLimit
    private var isFull = false
    /// How large the file may become.
    public var byteLimit: Int

    private var steps: [JournalStep] = []

    public init(_ session: JournalSession, byteLimit: Int = JournalContents.byteLimit) {
        self.session = session
        self.byteLimit = byteLimit
        parts = [Part(number: 1)]
    }

    /// Continues a journal whose session is being restored. The first step marks the attempt.
    public init(restoring contents: JournalContents, byteLimit: Int = JournalContents.byteLimit) {
        session = contents.session
        self.byteLimit = byteLimit
        let sound = contents.soundToDecode
        var part = Part(number: contents.block)
        part.base = contents.firstFrame
        part.position = part.base
        part.settled = part.base
        part.speechEnd = part.base
        part.field = contents.field
        for stretch in sound {
            part.chunks.append(
                Chunk(
                    frame: part.position, samples: stretch.samples, followsCut: !part.chunks.isEmpty))
            part.position += stretch.samples.count
        }
        for (number, text) in contents.texts.enumerated() {
            part.texts.append(
                JournalEntry.text(part.number, number: number, settled: part.base, text)
                    .record(of: session.id))
        }
        part.isHeard = sound.isEmpty
        parts = [part]
        attempts = contents.attempts + 1
        isEmpty = false
        isOutdated = true
    }

    public var id: SessionID { session.id }
    /// Bytes in the file after the steps so far.
    public var size: Int { bytes }

    /// The steps since the last call.
    public mutating func takeSteps() -> [JournalStep] {
        tidy()
        defer { steps = [] }
        return steps
    }

    // MARK: Sound

    /// Sound of the current block.
    public mutating func append(_ samples: [Int16]) {
        guard let last = parts.indices.last else { return }
        let frame = parts[last].position
        parts[last].position += samples.count
        guard !isSuspended, !parts[last].isWithheld else { return }
        parts[last].chunks.append(Chunk(frame: frame, samples: samples, followsCut: isCut))
        isCut = false
        if parts[last].isPending {
            writeSound(of: last)
        } else {
            forget(in: last)
        }
    }

    /// Whether sound flows. The speech before a break does not continue behind it.
    public mutating func setFlowing(_ flows: Bool) {
        guard flows != isFlowing else { return }
        isFlowing = flows
        if !flows { isCut = true }
        if !isEmpty { write([.flow(flows)]) }
    }

    /// See ``TranscriptionCommand/endBlock(_:)``.
    public mutating func endBlock(_ number: BlockNumber) { begin(number + 1) }

    /// See ``TranscriptionCommand/discardBlock(_:)``.
    public mutating func discardBlock(_ number: BlockNumber) {
        remove { $0.number == number }
        begin(number + 1)
    }

    private mutating func begin(_ number: BlockNumber) {
        guard number > parts.last?.number ?? 0 else { return }
        parts.append(Part(number: number))
        isCut = false
    }

    // MARK: Recognition

    /// A new recogniser: its clock begins here.
    public mutating func recogniserOpened() {
        guard let last = parts.indices.last, parts[last].isHeard else { return }
        parts[last].base = parts[last].position
    }

    /// The recogniser has got all sound that was restored, and has reported the speech in it.
    public mutating func restoredSoundWasHeard() {
        for index in parts.indices { parts[index].isHeard = true }
    }

    /// Call before ``follow(_:)``, with the blocks after the event.
    public mutating func record(_ event: RecognitionEvent) {
        switch event {
        case .speechBegan(let number, let second): beginSpeech(of: number, at: second)
        case .speechEnded(let number, let second):
            change(number) { part in
                part.isSpeaking = false
                part.speechEnd = max(part.speechEnd, part.frame(second))
            }
        case .segment(let number, let segment): finishText(number, to: segment.end)
        case .segmentFailed(let number, _):
            change(number) { $0.loseSpeech() }
        case .preview(let number, let segment):
            change(number) { $0.previewEnds.append($0.frame(segment.end)) }
        case .passage(let number, let text), .passageLost(let number, let text, _):
            finishText(number, text)
        case .engineLost:
            for index in parts.indices {
                parts[index].isSpeaking = false
                parts[index].isHeard = true
                parts[index].settled = parts[index].position
                parts[index].previewEnds = []
            }
        default: break
        }
    }

    private mutating func beginSpeech(of number: BlockNumber, at second: Double) {
        guard let index = parts.firstIndex(where: { $0.number == number }), !parts[index].isWithheld
        else { return }
        if !parts[index].isPending {
            let first = max(parts[index].settled, parts[index].frame(second) - Self.lead)
            parts[index].drop(to: first)
            parts[index].settled = first
        }
        parts[index].isSpeaking = true
        parts[index].speechEnd = max(parts[index].speechEnd, parts[index].frame(second) + 1)
        writeSound(of: index)
    }

    private mutating func finishText(_ number: BlockNumber, to second: Double) {
        change(number) { $0.settled = max($0.settled, $0.frame(second)) }
    }

    private mutating func finishText(_ number: BlockNumber, _ text: PassageText) {
        change(number) { part in
            let replaced = part.previewEnds.prefix(text.replaces)
            part.previewEnds.removeFirst(replaced.count)
            if let end = text.segment.map({ part.frame($0.end) }) ?? replaced.last {
                part.settled = max(part.settled, end)
            } else {
                part.loseSpeech()
            }
        }
    }

    private mutating func change(_ number: BlockNumber, _ body: (inout Part) -> Void) {
        guard let index = parts.firstIndex(where: { $0.number == number }), !parts[index].isWithheld
        else { return }
        body(&parts[index])
        forget(in: index)
    }

    // MARK: Blocks

    /// The journal holds these blocks and no others. None: it holds nothing.
    public mutating func follow(_ blocks: [UncommittedBlock]) {
        guard let last = blocks.last else { return suspend() }
        isSuspended = false
        remove { part in part.number <= last.number && !blocks.contains { $0.number == part.number } }
        begin(last.number)
        for block in blocks {
            guard let index = parts.firstIndex(where: { $0.number == block.number }) else { continue }
            if block.isWithheld {
                withhold(index)
                continue
            }
            if parts[index].dropped != block.droppedFrames {
                parts[index].dropped = block.droppedFrames
                if !isEmpty {
                    parts[index].isInFile = true
                    write(properties(of: parts[index]))
                }
            }
            for text in block.texts.dropFirst(parts[index].texts.count) {
                let entry = JournalEntry.text(
                    block.number, number: parts[index].texts.count, settled: parts[index].settled, text)
                parts[index].texts.append(entry.record(of: session.id))
                parts[index].isInFile = true
                write([entry])
            }
        }
    }

    /// The field into which a block is typed, by a name that no other field gets while the desktop runs; empty if there is none.
    public mutating func setField(_ field: String, of block: BlockNumber) {
        begin(block)
        guard let index = parts.firstIndex(where: { $0.number == block }), parts[index].field != field,
            field.utf8.count <= Self.fieldLimit
        else { return }
        parts[index].field = field
        guard !isEmpty, !parts[index].isWithheld else { return }
        parts[index].isInFile = true
        write([.field(block, field)])
    }

    private mutating func withhold(_ index: Int) {
        guard !parts[index].isWithheld else { return }
        parts[index].isWithheld = true
        if parts[index].isInFile { isOutdated = true }
        parts[index].isInFile = false
        parts[index].dropped = 0
        parts[index].field = ""
        parts[index].removeContents()
    }

    private mutating func suspend() {
        guard !isSuspended else { return }
        isSuspended = true
        for index in parts.indices { parts[index].removeContents() }
    }

    private mutating func remove(where isOver: (Part) -> Bool) {
        if parts.contains(where: { $0.isInFile && isOver($0) }) { isOutdated = true }
        parts.removeAll(where: isOver)
    }

    /// The service ends, and leaves the session to the next one. Call after ``follow(_:)``. The attempts to restore it so far
    /// have not failed.
    public mutating func leave() {
        guard attempts > 0 else { return }
        attempts = 0
        isOutdated = true
    }

    /// The file is lost: the next steps write everything again.
    public mutating func fileLost() {
        markUnwritten()
        isEmpty = parts.allSatisfy { $0.texts.isEmpty && !$0.isPending }
        isOutdated = !isEmpty
        isFull = false
        bytes = 0
        steps = []
    }

    // MARK: File

    /// Drops sound that is in finished segments, and old silence.
    private mutating func forget(in index: Int) {
        let part = parts[index]
        let first = part.isPending ? part.settled : max(part.settled, part.position - Self.lookBack)
        // There may be room again.
        if parts[index].drop(to: first), isFull { isOutdated = true }
    }

    private mutating func writeSound(of index: Int) {
        guard !isFull else { return }
        var entries: [JournalEntry] = []
        for chunk in parts[index].chunks[parts[index].written...] {
            entries += self.entries(of: chunk, in: parts[index])
        }
        parts[index].written = parts[index].chunks.count
        guard !entries.isEmpty else { return }
        holdsSound = true
        parts[index].isInFile = true
        write(entries)
    }

    private func entries(of chunk: Chunk, in part: Part) -> [JournalEntry] {
        let sound = JournalEntry.sound(part.number, frame: chunk.frame, chunk.samples)
        return chunk.followsCut ? [.flow(false), .flow(true), sound] : [sound]
    }

    private mutating func write(_ entries: [JournalEntry]) {
        var new: [JournalEntry] = []
        if isEmpty {
            new += [.session(session)] + parts.flatMap(properties) + [.flow(isFlowing)]
            for index in parts.indices where !properties(of: parts[index]).isEmpty {
                parts[index].isInFile = true
            }
        }
        let records = (new + entries).map { $0.record(of: session.id) }
        isEmpty = false
        bytes += records.reduce(0) { $0 + $1.size }
        steps.append(.append(records))
    }

    /// Other than texts and sound.
    private func properties(of part: Part) -> [JournalEntry] {
        var entries: [JournalEntry] = []
        if part.dropped > 0 { entries.append(.dropped(part.number, frames: part.dropped)) }
        if !part.field.isEmpty { entries.append(.field(part.number, part.field)) }
        return entries
    }

    /// Removes from the file what is not needed any more.
    private mutating func tidy() {
        let isPending = parts.contains(where: \.isPending)
        if !isPending, !isOutdated, attempts > 0 {
            attempts = 0
            isOutdated = true
        }
        if !isPending, parts.allSatisfy(\.texts.isEmpty) {
            if !isEmpty { clear() }
            return
        }
        guard !isEmpty else { return }
        let isTooLarge = bytes > byteLimit && !isFull
        if isTooLarge || bytes > wasteCheck || isOutdated || (holdsSound && !isPending) { replace() }
    }

    private mutating func clear() {
        // Nothing that came before matters.
        steps = [.clear]
        isEmpty = true
        bytes = 0
        markUnwritten()
        isOutdated = false
        isFull = false
        attempts = 0
        wasteCheck = Self.wasteLimit
    }

    private mutating func replace() {
        markUnwritten()
        var contents = [JournalEntry.session(session).record(of: session.id)]
        contents += Array(repeating: JournalEntry.attempt.record(of: session.id), count: attempts)
        for index in parts.indices {
            let new =
                parts[index].texts + properties(of: parts[index]).map { $0.record(of: session.id) }
            contents += new
            parts[index].isInFile = !new.isEmpty
        }
        bytes = contents.reduce(0) { $0 + $1.size }
        var isTooLarge = bytes > byteLimit
        for index in parts.indices where parts[index].isPending {
            for chunk in parts[index].chunks.indices where !isTooLarge {
                let new = entries(of: parts[index].chunks[chunk], in: parts[index])
                    .map { $0.record(of: session.id) }
                let size = new.reduce(0) { $0 + $1.size }
                isTooLarge = bytes + size > byteLimit
                if isTooLarge { break }
                contents += new
                bytes += size
                parts[index].written = chunk + 1
                parts[index].isInFile = true
                holdsSound = true
            }
        }
        var last = [JournalEntry.flow(isFlowing)]
        if isTooLarge { last.append(.full) }
        for entry in last {
            let record = entry.record(of: session.id)
            contents.append(record)
            bytes += record.size
        }
        // What was appended before is in it.
        steps = [.replace(contents)]
        if isTooLarge, !isFull { steps.append(.full) }
        isFull = isTooLarge
        wasteCheck = 2 * bytes + Self.wasteLimit
        isOutdated = false
    }

    private mutating func markUnwritten() {
        holdsSound = false
        for index in parts.indices {
            parts[index].written = 0
            parts[index].isInFile = false
        }
    }
}

import DictationCore

// Passages of a session whose text another process gives while they are spoken. The decoders work only on the passages that
// the ``PassageQueue`` wishes. Everything runs with the lock held.

extension Transcription {
    /// Whether the speech that comes now goes to a decoder.
    func isDecoded(_ state: State) -> Bool { !state.isLive || run(of: state.open, state) != nil }

    func beginSegment(at frame: Int, _ state: inout State) {
        guard isDecoded(state) else { return }
        state.queue.begin(
            block: state.block, at: frame, acoustics: state.acoustics, run: run(of: state.open, state))
    }

    func beginPassage(at frame: Int, overlaps: Bool, _ state: inout State) {
        guard let secondPass else { return }
        let mayChange = state.queue.isEmpty && !state.hasPreviews
        let id = secondPass.begin(
            block: state.block, at: frame, overlaps: overlaps, mayChange: mayChange)
        state.isLive = id != nil
        state.open = id.map { OpenPassage(id: $0, sentTo: frame) }
        state.front.use(state.isLive ? .live : PassageCutter.Rules())
        followWishes(&state)
    }

    /// Sends the open passage's sound to its engine.
    func sendSound(_ state: inout State) {
        guard let secondPass, let open = state.open else { return }
        let samples = state.front.passageSound(from: open.sentTo)
        guard !samples.isEmpty else { return }
        state.open?.sentTo += samples.count
        secondPass.append(open.id, samples, isSpeech: state.isSpeaking)
    }

    func endPassage(_ sound: PassageBuilder.Sound, _ state: inout State) {
        guard state.isLive else { return state.queue.endPassage(of: state.block, sound) }
        guard let secondPass, let open = state.open else { return }
        let run = run(of: open, state)
        state.open = nil
        secondPass.close(
            open.id,
            Passage(
                block: state.block, samples: sound.samples, start: Self.seconds(sound.cut.start),
                end: Self.seconds(sound.cut.end), overlaps: sound.cut.overlap > 0,
                isCut: sound.cut.isInSpeech,
                hasPreview: false, voice: sound.voice))
        if let run { state.queue.endPreview(run, of: state.block, at: sound.cut.end) }
    }

    /// Begins and ends previews, so that the decoders work on what the queue of passages wishes.
    func followWishes(_ state: inout State) {
        guard let secondPass, state.isLive || !state.runs.isEmpty else { return }
        let wishes = secondPass.wishes
        for (passage, number) in state.runs
        where !wishes.contains(where: { $0.passage == passage && $0.number == number }) {
            state.queue.discardPreview(SegmentQueue.PreviewRun(passage: passage, number: number))
            state.runs[passage] = nil
        }
        for wish in wishes where state.runs[wish.passage] != wish.number {
            state.runs[wish.passage] = wish.number
            begin(wish, secondPass.sound(for: wish), &state)
        }
    }

    /// The decoders cannot be used. The engine in another process goes on without them.
    func losePreviews(_ lease: DecoderLease, _ error: RecognitionError) {
        _ = change { state in
            state.leases.removeAll { $0 === lease }
            _ = state.queue.dropAll()
            state.runs = [:]
            secondPass?.previewEngineLost()
        }
    }

    private func begin(_ wish: PreviewWish, _ sound: ArraySlice<Int16>, _ state: inout State) {
        let run = SegmentQueue.PreviewRun(passage: wish.passage, number: wish.number)
        guard !wish.isClosed else {
            return state.queue.insert(
                sound, block: wish.block, at: wish.start, acoustics: state.acoustics, run: run)
        }
        guard state.isSpeaking || !sound.isEmpty else { return }
        state.queue.begin(block: wish.block, at: wish.start, acoustics: state.acoustics, run: run)
        state.queue.append(sound)
        if !state.isSpeaking { state.queue.end(at: wish.start + sound.count, isCut: false) }
    }

    private func run(of open: OpenPassage?, _ state: State) -> SegmentQueue.PreviewRun? {
        guard let open, let number = state.runs[open.id] else { return nil }
        return SegmentQueue.PreviewRun(passage: open.id, number: number)
    }
}

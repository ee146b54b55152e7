import DictationCore
import EventLoop

// The decoders' side of a session: leases and the work of a leased decoder. Everything but `leaseWhereNeeded` runs on a
// decoder's thread.

extension Transcription {
    /// Samples that are decoded between two checks whether the segment is still wanted: 0.1 s.
    private static let stride = 1600
    /// Audio between two hypotheses: 80 ms makes twelve a second.
    private static let hypothesisInterval = 1280
    /// Seconds without more audio of a segment after which its decoder is for others who need one.
    private static let longestWait = 0.5

    // MARK: Leases

    /// Requests a decoder if segments wait and none is at work or requested; for a recording, additional ones.
    func leaseWhereNeeded() {
        let wanted: DecoderLease? = state.withLock { state in
            guard !state.isClosed, needsLease(state) else { return nil }
            let lease = DecoderLease(
                isOptional: !state.leases.isEmpty,
                work: { lease, slot in self.serve(lease, slot) },
                ended: { lease in self.release(lease) },
                refused: { lease, error in self.end(lease, error) })
            state.leases.append(lease)
            return lease
        }
        guard let lease = wanted, !decoders.pool.request(lease, of: decoders) else { return }
        state.withLock { state in
            guard let index = state.leases.firstIndex(where: { $0 === lease }) else { return }
            if lease.isOptional {
                state.leases.remove(at: index)
            } else if !lease.hasBegun, !state.isClosed {
                state.hasReportedQueued = true
                sink(.queued)
            }
        }
    }

    private func needsLease(_ state: State) -> Bool {
        if state.leases.isEmpty {
            let hasWork = mode == .live ? state.queue.hasWaitingSegment : state.queue.wholeSegments > 0
            return hasWork || !state.isReady
        }
        return mode == .recorded && state.queue.wholeSegments > 1 && !state.hasTooManyHelpers
            && state.leases.count < decoders.pool.mostHelpers
    }

    /// The decoder is returned to the pool when this returns.
    private func serve(_ lease: DecoderLease, _ slot: DecoderSlot) {
        state.withLock { _ in lease.hasBegun = true }
        slot.vocabulary = decoders.settings.vocabulary
        do throws(RecognitionError) {
            _ = try slot.recognizer()
            state.withLock { state in
                if !state.isClosed, !state.isReady || state.hasReportedQueued { sink(.ready) }
                state.isReady = true
                state.hasReportedQueued = false
            }
            switch mode {
            case .live: try decodeWhileHeard(lease, slot)
            case .recorded: try decodeWhole(lease, slot)
            }
        } catch {
            end(lease, error)
        }
    }

    /// A request was refused. Without the first decoder recognition fails; without others it is slower.
    private func end(_ lease: DecoderLease, _ error: RecognitionError) {
        guard lease.isOptional else {
            return state.withLock({ $0.isLive }) ? losePreviews(lease, error) : lose(error)
        }
        state.withLock { state in
            state.hasTooManyHelpers = true
            state.leases.removeAll { $0 === lease }
        }
        leaseWhereNeeded()
    }

    /// Between segments: returns the decoder if other sessions wait for one, and queues for another.
    private func yields(_ lease: DecoderLease) -> Bool {
        guard decoders.pool.hasWaiting else { return false }
        state.withLock { state in state.leases.removeAll { $0 === lease } }
        if !lease.isOptional { leaseWhereNeeded() }
        return true
    }

    /// Takes the next segment; nil ends the lease.
    private func next<Work>(_ take: (inout SegmentQueue) -> Work?) -> Work? {
        state.withLock { state in
            guard !state.isClosed, let work = take(&state.queue) else { return nil }
            sendResults(&state)
            return work
        }
    }

    /// The decoder is back in the pool: what was heard since its last segment gets the same one, and not a second one.
    private func release(_ lease: DecoderLease) {
        state.withLock { state in state.leases.removeAll { $0 === lease } }
        leaseWhereNeeded()
    }

    private func isWanted(_ segment: SegmentQueue.SegmentID) -> Bool {
        state.withLock { !$0.isClosed && $0.queue.isWanted(segment) }
    }

    private func finish(_ segment: SegmentQueue.SegmentID, _ outcome: SegmentOutcome) {
        state.withLock { state in
            guard !state.isClosed else { return }
            state.queue.finish(segment, checked(outcome, of: segment, state))
            sendResults(&state)
        }
    }

    /// Without the words that an engine made of a sound without a voice.
    private func checked(
        _ outcome: SegmentOutcome, of id: SegmentQueue.SegmentID, _ state: State
    ) -> SegmentOutcome {
        guard decoders.engine.needsVoice, case .segment(let segment) = outcome, !segment.text.isEmpty,
            !state.queue.hasVoice(id)
        else { return outcome }
        return .noise(Segment(text: "", start: segment.start, end: segment.end, isCut: segment.isCut))
    }

    // MARK: Live

    private func decodeWhileHeard(_ lease: DecoderLease, _ slot: DecoderSlot) throws(RecognitionError) {
        var decoder = SegmentDecoder(slot: slot)
        while let segment = next({ $0.takeFirst() }) {
            try decode(segment, with: &decoder)
            if yields(lease) { return }
        }
    }

    private func decode(
        _ segment: SegmentQueue.Taken, with decoder: inout SegmentDecoder
    ) throws(RecognitionError) {
        try decoder.begin(at: Self.seconds(segment.start), segment.acoustics)
        var sinceHypothesis = 0
        while true {
            switch more(of: segment.id) {
            case .sound(let samples):
                roomSignal.send()
                var rest = samples[...]
                while !rest.isEmpty, isWanted(segment.id) {
                    let part = rest.prefix(Self.stride)
                    rest = rest.dropFirst(Self.stride)
                    try decoder.append(part)
                    sinceHypothesis += part.count
                    if sinceHypothesis >= Self.hypothesisInterval {
                        sinceHypothesis = 0
                        send(decoder.hypothesis(), of: segment)
                    }
                }
            case .end(let end):
                let outcome = try decoder.finish(at: Self.seconds(end.frame), isCut: end.isCut) {
                    state.withLock { $0.isClosed || $0.queue.holdsEndOfBlock }
                }
                return finish(segment.id, outcome)
            case .nothingYet:
                workSignal.wait(within: Self.longestWait)
                // A lease is for work, not for waiting.
                if decoders.pool.hasWaiting, returns(segment.id, decoder.audio) {
                    return decoder.abandon()
                }
            case .discarded:
                decoder.abandon()
                return finish(segment.id, .segment(Segment(text: "")))
            }
        }
    }

    private func more(of segment: SegmentQueue.SegmentID) -> SegmentQueue.More {
        state.withLock { state in
            guard !state.isClosed else { return .discarded }
            let more = state.queue.more(of: segment)
            if case .nothingYet = more { state.isDecoderWaiting = true }
            sendResults(&state)
            return more
        }
    }

    private func returns(_ segment: SegmentQueue.SegmentID, _ heard: [Int16]) -> Bool {
        state.withLock { state in
            guard !state.isClosed, state.queue.putBackUnfinished(segment, heard) else { return false }
            state.isDecoderWaiting = false
            return true
        }
    }

    private func send(_ hypothesis: String?, of segment: SegmentQueue.Taken) {
        guard let hypothesis else { return }
        state.withLock { state in
            guard !state.isClosed, state.queue.isWanted(segment.id) else { return }
            let isSpeech = !decoders.engine.needsVoice || state.queue.hasVoice(segment.id)
            // An empty one replaces words of what turned out to be no voice.
            if let run = segment.run {
                secondPass?.previewed(run, .hypothesis(isSpeech ? hypothesis : ""))
            } else if isSpeech || state.showsHypothesis {
                sink(.hypothesis(segment.block, isSpeech ? hypothesis : ""))
            }
            state.showsHypothesis = isSpeech
        }
    }

    // MARK: Recorded

    private func decodeWhole(_ lease: DecoderLease, _ slot: DecoderSlot) throws(RecognitionError) {
        while let (segment, sound, end) = next({ $0.takeWhole() }) {
            roomSignal.send()
            do throws(RecognitionError) {
                finish(segment.id, try slot.decode(sound, segment, end) { isWanted(segment.id) })
            } catch {
                state.withLock { $0.queue.putBack(segment.id, sound) }
                throw error
            }
            if yields(lease) { return }
        }
    }
}

extension DecoderSlot {
    /// Repeats a failed segment with a new recogniser, once. An error means that none can be loaded.
    fileprivate func decode(
        _ sound: [Int16], _ segment: SegmentQueue.Taken, _ end: SegmentQueue.End, while isWanted: () -> Bool
    ) throws(RecognitionError) -> SegmentOutcome {
        var message = ""
        for _ in 0..<2 {
            let recognizer = try recognizer()
            do throws(RecognitionError) {
                let text = try timed { () throws(RecognitionError) in
                    try recognizer.recognize(sound) {
                        showProgress()
                        return isWanted()
                    }
                }
                return .segment(
                    text.moved(
                        to: Transcription.seconds(segment.start), end: Transcription.seconds(end.frame),
                        isCut: end.isCut))
            } catch {
                discard()
                message = error.message
            }
        }
        return .failed(message: message)
    }
}

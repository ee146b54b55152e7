#if DEBUG
    import DictationCore
    import NIOCore

    @testable import Wyoming

    extension FuzzTarget {
        /// What a speech engine sends.
        static let wyoming = FuzzTarget("wyoming") { bytes in
            let whole = frames(in: [bytes[...]])
            let pieces = frames(in: bytes.pieces)
            try require(whole.frames == pieces.frames, "the messages depend on how the bytes arrived")
            try require(whole.failure == pieces.failure, "the error depends on how the bytes arrived")
            for text in texts(in: whole.frames) {
                try require(text.utf8.count <= TranscriptReader.textLimit, "the text is too long")
            }
            if let description = description(in: whole.frames) {
                let texts = [description.program] + description.models + description.languages
                let isShown = texts.allSatisfy { text in text.utf8.allSatisfy { (32...126).contains($0) } }
                try require(isShown, "a description that cannot be shown")
            }
        }

        private static func frames(in pieces: [ArraySlice<UInt8>]) -> (
            frames: [Frame], failure: EngineFailure?
        ) {
            var decoder = FrameDecoder()
            var frames: [Frame] = []
            do throws(EngineFailure) {
                for piece in pieces {
                    var buffer = ByteBuffer(bytes: piece)
                    try decoder.append(&buffer)
                    while let frame = try decoder.next() { frames.append(frame) }
                }
            } catch {
                return (frames, error)
            }
            return (frames, nil)
        }

        private static func texts(in frames: [Frame]) -> [String] {
            var reader = TranscriptReader()
            var texts: [String] = []
            for frame in frames {
                switch try? reader.read(frame) {
                case .partial(let partial)?: texts.append(partial.text)
                case .done(let answer)?: texts.append(answer.text)
                case .more?, .pong?, .almostDone?: break
                case nil: return texts
                }
            }
            return texts + [reader.answerAtEnd?.text].compactMap(\.self)
        }

        private static func description(in frames: [Frame]) -> EngineDescription? {
            for frame in frames {
                guard let answer = try? InfoReader().read(frame) else { continue }
                return answer
            }
            return nil
        }
    }
#endif

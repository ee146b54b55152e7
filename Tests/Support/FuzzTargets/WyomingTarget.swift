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
            if case .success(let text?) = answer(of: TranscriptReader(), to: whole.frames) {
                try require(text.utf8.count <= TranscriptReader.textLimit, "the text is too long")
            }
            if case .success(let description?) = answer(of: InfoReader(), to: whole.frames) {
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

        private static func answer<Reader: AnswerReader>(
            of reader: Reader, to frames: [Frame]
        ) -> Result<Reader.Answer?, EngineFailure> {
            Result { () throws(EngineFailure) in
                var reader = reader
                for frame in frames {
                    if case .done(let answer) = try reader.read(frame) { return answer }
                }
                return reader.answerAtEnd
            }
        }
    }
#endif

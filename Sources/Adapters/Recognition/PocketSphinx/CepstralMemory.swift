import DictationCore
import EventLoop

/// Means by microphone and speaker, in memory only. Contains no words and no audio.
public final class CepstralMemory: Sendable {
    /// Maximum number of microphones. The least recently used one is dropped.
    private static let limit = 256
    /// A mean counts as at most 15 s of speech, so that it follows slow changes.
    private static let mostFrames: Float = 1500

    private struct Entry {
        var mean: CepstralMean
        var frames: Float
    }

    private let entries = Lock<[(key: AcousticKey, entry: Entry)]>([])

    public init() {}

    func mean(for key: AcousticKey) -> CepstralMean? {
        entries.withLock { entries in entries.last { $0.key == key }?.entry.mean }
    }

    /// - Parameter startsOver: the known mean was of another voice or setting.
    func learn(_ heard: CepstralStatistics, of key: AcousticKey, startsOver: Bool) {
        guard let own = heard.mean else { return }
        entries.withLock { entries in
            var entry = Entry(mean: own, frames: Float(heard.frames))
            if let index = entries.firstIndex(where: { $0.key == key }) {
                let known = entries.remove(at: index).entry
                if !startsOver {
                    entry.mean = heard.mean(with: known.mean, worth: known.frames)
                    entry.frames += known.frames
                }
            }
            entry.frames = min(entry.frames, Self.mostFrames)
            if entries.count == Self.limit { entries.removeFirst() }
            entries.append((key, entry))
        }
    }
}

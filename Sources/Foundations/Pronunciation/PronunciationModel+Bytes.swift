/// The format of a model in a file, in the machine's byte order.
extension PronunciationModel {
    /// Change it with the format and with the way of learning.
    private static let version: UInt64 = 0x4449_4354_5052_0001
    private static let mostNgrams = 1 << 24

    /// The hash of a dictionary: FNV-1a over its bytes.
    public static func hash(of bytes: some Collection<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return hash
    }

    /// - Parameter hash: of the dictionary that the model was learned from.
    public func bytes(hash: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        func write<Number>(_ numbers: [Number]) {
            numbers.withUnsafeBytes { bytes.append(contentsOf: $0) }
        }
        write([Self.version, hash, UInt64(alphabet.letters.count), UInt64(alphabet.phones.count)])
        write(alphabet.letters.map(\.value))
        for phone in alphabet.phones {
            write([UInt8(phone.utf8.count)])
            write(Array(phone.utf8))
        }
        write([UInt64(units.count)])
        for unit in units { write([unit.letter, UInt8(unit.phones.count)] + unit.phones) }
        for level in joint.levels {
            write([UInt64(level.keys.count), UInt64(level.contexts.count)])
            write(level.keys)
            write(level.probabilities)
            write(level.contexts)
            write(level.rests)
        }
        write([Self.hash(of: bytes)])
        return bytes
    }

    /// Nil if the bytes are invalid, or the model was learned from a dictionary with another hash.
    public init?(_ bytes: [UInt8], hash: UInt64) {
        var reader = ByteReader(bytes: bytes)
        guard bytes.count > 8, let head: [UInt64] = reader.read(4), head[0] == Self.version, head[1] == hash,
            head[2] <= Alphabet.mostLetters, head[3] <= Alphabet.mostPhones,
            let scalars: [UInt32] = reader.read(Int(head[2]))
        else { return nil }
        let letters = scalars.compactMap { Unicode.Scalar($0) }
        var phones: [String] = []
        for _ in 0..<head[3] {
            guard let length: [UInt8] = reader.read(1), let text: [UInt8] = reader.read(Int(length[0])) else {
                return nil
            }
            phones.append(String(decoding: text, as: UTF8.self))
        }
        guard let count: [UInt64] = reader.read(1), count[0] <= JointModel.mostUnits else { return nil }
        var units: [Unit] = []
        for _ in 0..<count[0] {
            guard let numbers: [UInt8] = reader.read(2), Int(numbers[0]) < letters.count,
                let said: [UInt8] = reader.read(Int(numbers[1])), said.allSatisfy({ Int($0) < phones.count })
            else { return nil }
            units.append(Unit(letter: numbers[0], phones: said))
        }
        var levels: [JointModel.Level] = []
        for _ in 0..<JointModel.order {
            guard let counts: [UInt64] = reader.read(2), counts.allSatisfy({ $0 <= Self.mostNgrams }),
                let keys: [UInt64] = reader.read(Int(counts[0])),
                let probabilities: [Float] = reader.read(Int(counts[0])),
                let contexts: [UInt64] = reader.read(Int(counts[1])),
                let rests: [Float] = reader.read(Int(counts[1]))
            else { return nil }
            levels.append(
                JointModel.Level(keys: keys, probabilities: probabilities, contexts: contexts, rests: rests))
        }
        let sum = Self.hash(of: bytes.dropLast(8))
        guard letters.count == scalars.count, let written: [UInt64] = reader.read(1), written[0] == sum,
            reader.isAtEnd
        else { return nil }
        self.init(
            Alphabet(letters: letters, phones: phones), units,
            JointModel(levels: levels, unitCount: units.count))
    }
}

/// Reads numbers in sequence; returns nil if too few bytes are left.
private struct ByteReader {
    let bytes: [UInt8]
    private var offset = 0

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { offset == bytes.count }

    mutating func read<Number: BitwiseCopyable>(_ count: Int) -> [Number]? {
        let length = count * MemoryLayout<Number>.size
        guard length <= bytes.count - offset else { return nil }
        defer { offset += length }
        return bytes.withUnsafeBytes { bytes in
            (0..<count).map {
                bytes.loadUnaligned(
                    fromByteOffset: offset + $0 * MemoryLayout<Number>.size, as: Number.self)
            }
        }
    }
}

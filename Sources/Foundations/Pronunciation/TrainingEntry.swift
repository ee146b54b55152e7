/// A word of a pronunciation dictionary and one way to say it, as numbers.
struct TrainingEntry {
    var letters: [UInt8]
    var phones: [UInt8]
}

/// A word of a pronunciation dictionary and one of its pronunciations, as numbers.
struct TrainingEntry {
    var letters: [UInt8]
    var phones: [UInt8]
}

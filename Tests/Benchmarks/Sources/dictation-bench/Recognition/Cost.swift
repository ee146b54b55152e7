/// What the daemon used during a session.
struct Cost {
    /// Processor time, in percent of a core.
    var share: Double
    /// The most memory, in MiB.
    var memory: Double
}

extension Bar {
    /// - Parameter name: of the session.
    mutating func add(_ name: String, reference: Cost, _ cost: Cost) {
        add(
            "\(name), processor time", reference: reference.share.written(2, "%"), cost.share.written(2, "%"))
        add(
            "\(name), peak memory", reference: reference.memory.written(1, "MiB"),
            cost.memory.written(1, "MiB"))
    }
}

package import DBus

/// A session of a worker.
package struct WorkerSession: Hashable {
    package let number: UInt64
    /// Empty if it has gone.
    package let owner: BusText

    private static let most = 512

    /// From the arguments of Sessions and of Restore.
    package static func list(_ numbers: [UInt64], _ owners: [BusText]) -> [WorkerSession] {
        zip(numbers, owners).prefix(most).map { WorkerSession(number: $0, owner: $1) }
    }
}

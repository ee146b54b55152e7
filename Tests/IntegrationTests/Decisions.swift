import DBus
import DictationInterface
import DictationRig
import DictationTestKit

/// A settings panel: decides about programs that need not exist.
struct Decisions: Sendable {
    let permissions: DictationPermissionsProxy

    init(_ connection: Connection) {
        permissions = DictationPermissionsProxy(
            connection: connection, destination: DictationInterface.busName)
    }

    static func client(_ number: Int) -> [BusText: Value] {
        [ClientKey.kind: .string("executable"), ClientKey.id: .string("/app/\(number)")]
    }

    func set(_ number: Int, _ status: String, _ resource: BusText = "microphone") async throws {
        try await permissions.set(client: Self.client(number), resource: resource, status: BusText(status))
    }

    /// The stored decision about the microphone, by number.
    func all() async throws -> [Int: String] {
        let pairs = try await permissions.list().compactMap { client -> (Int, String)? in
            guard let id = client[ClientKey.id].flatMap({ String($0) }),
                let number = Int(id.dropFirst("/app/".count)),
                let status = client["microphone"].flatMap({ String($0) })
            else { return nil }
            return (number, status)
        }
        return Dictionary(pairs) { first, _ in first }
    }
}

extension Rig {
    /// Starts another daemon after one was killed, when the bus has noticed.
    func replaceKilledDaemon(_ connection: Connection) async throws {
        _ = try await daemon.exitStatus()
        try await eventually("the name is free") {
            try await connection.owner(of: DictationInterface.busName) == nil
        }
        try await replaceDaemon()
    }

    /// Traces the daemon's system calls. Returns when tracing has begun.
    func trace(_ options: [String]) async throws -> ChildProcess {
        let tracer = try start(["strace", "-f", "-p", "\(daemon.pid)"] + options)
        _ = try await tracer.line(of: .errors) { $0.contains("attached") }
        return tracer
    }
}

/// Stops tracing.
func detach(_ tracer: ChildProcess) async throws {
    tracer.send(2)
    _ = try await tracer.exitStatus()
}

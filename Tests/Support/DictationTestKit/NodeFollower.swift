import EventLoop

/// Follows whether nodes with a name are in the graph. Unlike ``PrivatePipeWire/graph()``, it misses no change, and
/// waits for no object that vanishes.
public final class NodeFollower: Sendable {
    public struct Change: Hashable, Sendable {
        /// Whether there is a node from now on.
        public var exists: Bool
        /// On the monotonic clock.
        public var time: Duration
    }

    private let monitor: ChildProcess

    /// Returns when it sees every later change.
    public init(_ name: String, of server: PrivatePipeWire) async throws {
        monitor = try ChildProcess(
            ["/usr/bin/python3", "-uc", Self.monitor, name], environment: server.environment)
        _ = try await monitor.line(of: .output) { $0 == "ready" }
    }

    deinit {
        // pw-mon ends with its output.
        monitor.terminate()
    }

    /// The first node appeared, or the last one disappeared, in order.
    public var changes: [Change] {
        monitor.lines(of: .output).compactMap { line in
            let words = line.split(separator: " ")
            guard words.count == 2, let nanoseconds = Int64(words[1]) else { return nil }
            return Change(exists: words[0] == "came", time: .nanoseconds(nanoseconds))
        }
    }

    public var exists: Bool { changes.last?.exists ?? false }

    /// Waits until there is one, or none, and returns since when.
    @discardableResult
    public func waits(for exists: Bool) async throws -> Duration {
        try await eventually("a node \(exists ? "is" : "is not") there") { self.exists == exists }
        return changes.last?.time ?? .zero
    }

    /// Parses pw-mon's output, which has an object in an unindented line and those below it.
    private static let monitor = #"""
        import subprocess, sys, time
        name = f'node.name = "{sys.argv[1]}"'
        nodes = set()
        removal = number = None
        def tell(event): print(event, time.monotonic_ns())
        for line in subprocess.Popen(["stdbuf", "-oL", "pw-mon", "-N"], stdout=subprocess.PIPE, text=True).stdout:
            if line[0].isalpha():
                removal = line == "removed:\n"
            elif line.startswith("\tid: "):
                number = line.split()[1]
                if removal and number in nodes:
                    nodes.remove(number)
                    if not nodes: tell("went")
            elif name in line and number not in nodes:
                nodes.add(number)
                if len(nodes) == 1: tell("came")
            elif 'application.name = "pw-mon"' in line:
                print("ready")
        """#
}

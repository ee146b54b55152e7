import CLinux
public import DBus
internal import EventLoop
import Glibc

/// Gets real-time priority for threads of this process: from the kernel if it may, else from the desktop portal, else
/// from rtkit. Never blocks the caller.
public struct RealTimeScheduling: Sendable {
    private let sessionBus: Connection?
    private let systemBus: BusAddress

    /// The maximum of rtkit's default configuration (`--max-realtime-priority`).
    private static let rtkitPriority: UInt32 = 20
    /// The priority of PipeWire's own clients (`rt.prio` of `client-rt.conf`).
    private static let priority: UInt64 = 83
    /// Microseconds that a real-time thread may run without a pause. rtkit refuses processes with a higher limit
    /// (`--rttime-usec-max`). PipeWire's data thread needs a fraction of a millisecond.
    private static let timeLimit: rlim_t = 200_000
    private static let timeout = Duration.seconds(10)

    /// - Parameters:
    ///   - sessionBus: a connection to a session bus, for the portal; nil if there is none.
    ///   - systemBus: the bus that rtkit is on.
    public init(sessionBus: Connection?, systemBus: BusAddress) {
        self.sessionBus = sessionBus
        self.systemBus = systemBus
    }

    /// Requests real-time priority for a thread of this process. Returns at once.
    /// - Parameters:
    ///   - thread: the kernel's ID of the thread.
    ///   - report: called if all refused, with the last error.
    public func request(for thread: Int32, report: @escaping @EventLoopActor (DesktopError) -> Void) {
        Task {
            do {
                try await makeRealTime(thread)
            } catch {
                EventLoopActor.execute { report(DesktopError(.noRealTime, error)) }
            }
        }
    }

    private func makeRealTime(_ thread: Int32) async throws {
        if Self.set(thread) { return }
        Self.limitTime()
        let arguments: [Value] = [
            .uint64(UInt64(getpid())), .uint64(UInt64(thread)), .uint32(Self.rtkitPriority),
        ]
        if let sessionBus, await askPortal(sessionBus, arguments) { return }
        let system = try await Connection(to: systemBus)
        let answer: Result<[Value], any Error>
        do {
            answer = .success(
                try await system.call(
                    destination: "org.freedesktop.RealtimeKit1", path: "/org/freedesktop/RealtimeKit1",
                    interface: "org.freedesktop.RealtimeKit1", member: "MakeThreadRealtimeWithPID",
                    arguments, timeout: Self.timeout))
        } catch {
            answer = .failure(error)
        }
        await system.close()
        _ = try answer.get()
    }

    private func askPortal(_ sessionBus: Connection, _ arguments: [Value]) async -> Bool {
        let answer = try? await sessionBus.call(
            destination: "org.freedesktop.portal.Desktop", path: "/org/freedesktop/portal/desktop",
            interface: "org.freedesktop.portal.Realtime", member: "MakeThreadRealtimeWithPID", arguments,
            timeout: Self.timeout)
        return answer != nil
    }

    /// Root may, and users whose limit allows it.
    private static func set(_ thread: Int32) -> Bool {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(__RLIMIT_RTPRIO.rawValue), &limit)
        let highest = getuid() == 0 ? priority : min(priority, UInt64(limit.rlim_cur))
        return highest > 0 && dictation_linux_make_real_time(thread, Int32(highest)) == 0
    }

    /// Lowers the limit; never raises it.
    private static func limitTime() {
        let resource = __rlimit_resource_t(__RLIMIT_RTTIME.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0, limit.rlim_max > timeLimit else { return }
        limit.rlim_max = timeLimit
        limit.rlim_cur = min(limit.rlim_cur, timeLimit)
        setrlimit(resource, &limit)
    }
}

import CLinux
public import DBus
internal import EventLoop
import Glibc

/// Gets real-time priority for threads of this process: from the kernel where this process may have it, else from the
/// desktop portal, else from rtkit. Never blocks the caller.
public struct RealTimeScheduling: Sendable {
    private let session: Connection?
    private let systemBus: BusAddress

    /// The highest that rtkit gives unless it is configured otherwise (`--max-realtime-priority`).
    private static let rtkitPriority: UInt32 = 20
    /// As PipeWire's own clients have it (`rt.prio` of `client-rt.conf`).
    private static let priority: UInt64 = 83
    /// Microseconds that a real-time thread may run without a pause. rtkit refuses processes that are allowed more than
    /// this (`--rttime-usec-max`). PipeWire's data thread takes a fraction of a millisecond.
    private static let timeLimit: rlim_t = 200_000
    private static let timeout = Duration.seconds(10)

    /// - Parameters:
    ///   - session: to the bus of a desktop session, where a portal may be; nil where there is none.
    ///   - systemBus: where rtkit may be.
    public init(session: Connection?, systemBus: BusAddress) {
        self.session = session
        self.systemBus = systemBus
    }

    /// Has a thread of this process run before ordinary ones. Returns at once.
    /// - Parameters:
    ///   - thread: the kernel's id of it.
    ///   - report: Called when everybody refused, with what the last one asked answered.
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
        if let session, await askPortal(session, arguments) { return }
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

    private func askPortal(_ session: Connection, _ arguments: [Value]) async -> Bool {
        let answer = try? await session.call(
            destination: "org.freedesktop.portal.Desktop", path: "/org/freedesktop/portal/desktop",
            interface: "org.freedesktop.portal.Realtime", member: "MakeThreadRealtimeWithPID", arguments,
            timeout: Self.timeout)
        return answer != nil
    }

    /// Root may, and users of whom the limit says so.
    private static func set(_ thread: Int32) -> Bool {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(__RLIMIT_RTPRIO.rawValue), &limit)
        let highest = getuid() == 0 ? priority : min(priority, UInt64(limit.rlim_cur))
        return highest > 0 && dictation_linux_make_real_time(thread, Int32(highest)) == 0
    }

    /// Lowers the limit, and never raises it.
    private static func limitTime() {
        let resource = __rlimit_resource_t(__RLIMIT_RTTIME.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0, limit.rlim_max > timeLimit else { return }
        limit.rlim_max = timeLimit
        limit.rlim_cur = min(limit.rlim_cur, timeLimit)
        setrlimit(resource, &limit)
    }
}

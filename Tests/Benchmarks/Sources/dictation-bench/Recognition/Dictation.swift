import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import EventLoop
import Foundation

/// The real daemon, a client, and a virtual microphone of 16 kHz at a time.
final class Dictation: Sendable {
    let rig: Rig
    let client: TestClient
    private let count = Lock(0)

    /// - Parameter hasOrdinaryRights: the daemon has no right to real-time priority, as an ordinary user's.
    init(_ configuration: String = "", hasOrdinaryRights: Bool = false) async throws {
        rig = try await Rig(configuration, hasOrdinaryRights: hasOrdinaryRights)
        client = try await TestClient(on: rig)
    }

    /// A new microphone, unknown to the daemon; by default four times faster than real time, which even a busy machine
    /// manages without dropouts.
    func freshMicrophone(pace: DriverMicrophone.Pace = .cycle(every: .milliseconds(5))) async throws -> (
        String, DriverMicrophone
    ) {
        let name = count.withLock { count in
            count += 1
            return "microphone-\(count)"
        }
        return (name, try await rig.plugIn(name, pace: pace))
    }

    /// Listens with this microphone while `body` runs.
    func session<Result>(
        over name: String, _ options: [BusText: Value] = [:], _ body: () async throws -> Result
    ) async throws -> Result {
        let before = client.signals.count
        _ = try await client.dictation.start(
            options: options.merging(["route": .string(name)]) { $1 }, timeout: .seconds(120))
        try await eventually("it listens") {
            client.signals.dropFirst(before).contains { signal in
                if case .stateChanged(_, "listening", _, _) = signal { true } else { false }
            }
        }
        let result = try await body()
        try await client.dictation.stop(timeout: .seconds(120))
        return result
    }

    /// Plays this on a microphone and waits for its end, however long that takes.
    func say(_ samples: [Int16], into microphone: DriverMicrophone) async throws {
        let end = microphone.played + samples.count
        microphone.play(samples)
        let timeout = Duration.seconds(60 + 2 * samples.count / 16000)
        try await eventually("all has been said", within: timeout) { microphone.played >= end }
    }

    /// The text of one block over one microphone, committed this many seconds after its end.
    func text(
        of samples: [Int16], over microphone: (name: String, DriverMicrophone), pause: Double = 0.6
    ) async throws -> String {
        try await session(over: microphone.name) {
            try await say(samples + Speech.silence(pause), into: microphone.1)
            return try await client.dictation.commit(timeout: .seconds(1800)).1
        }
    }

    /// Seconds of a process's processor time, including ended threads.
    static func processorTime(of process: Int32) throws -> Double {
        var clock = clockid_t()
        var time = timespec()
        guard clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &time) == 0 else {
            throw TestFailure("The kernel has no processor time of \(process).")
        }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// The service's processes: the daemon, and the user's worker if it runs.
    var processes: [Int32] {
        // There is no worker before the first call.
        [rig.daemon.pid] + [try? rig.workerPid()].compactMap { $0 }
    }

    /// Seconds of the service's processor time so far.
    func processorTime() throws -> Double {
        try processes.reduce(0) { try $0 + Self.processorTime(of: $1) }
    }

    /// Seconds of the service's processor time during `body`.
    func processorTime(_ body: () async throws -> Void) async throws -> Double {
        let before = try processorTime()
        try await body()
        return try processorTime() - before
    }

    /// The same for the worker's threads whose names have this prefix, without ended ones.
    func processorTime(of name: String, _ body: () async throws -> Void) async throws -> Double {
        let worker = try rig.workerPid()
        let before = ThreadUsage.all(of: worker)
        try await body()
        return ThreadUsage.all(of: worker).reduce(0) { sum, thread in
            guard thread.value.name.hasPrefix(name) else { return sum }
            return sum + thread.value.seconds - (before[thread.key]?.seconds ?? 0)
        }
    }

    /// The service's wake-ups while `body` ran: see ``ThreadUsage/wakeUps(of:during:)``.
    func wakeUps(_ body: () async throws -> Void) async throws -> (own: Int, dispatch: Int) {
        try await ThreadUsage.wakeUps(of: processes, during: body)
    }

    /// The sum of the peak memory of the service's processes so far, in MiB.
    func peakMemory() throws -> Double { try processes.reduce(0) { try $0 + Self.peakMemory(of: $1) } }

    private static func peakMemory(of process: Int32) throws -> Double {
        let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        guard let kibibytes = line?.split(whereSeparator: { !$0.isNumber }).first.flatMap({ Double($0) })
        else {
            throw TestFailure("The kernel has no figure for the daemon's memory.")
        }
        return kibibytes / 1024
    }
}

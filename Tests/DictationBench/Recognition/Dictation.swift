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

    init(_ configuration: String = "") async throws {
        rig = try await Rig(configuration)
        client = try await TestClient(on: rig)
    }

    /// A microphone that the daemon never heard; by default it is four times as fast as time, which even a busy
    /// machine takes without dropouts.
    func freshMicrophone(pace: DriverMicrophone.Pace = .cycle(every: .milliseconds(5))) async throws -> (
        String, DriverMicrophone
    ) {
        let name = count.withLock { count in
            count += 1
            return "microphone-\(count)"
        }
        return (name, try await rig.plugIn(name, pace: pace))
    }

    /// Listens over this microphone while `body` runs.
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

    /// Lets a microphone say this, and waits until it has: as long as that may take on a busy machine.
    func say(_ samples: [Int16], into microphone: DriverMicrophone) async throws {
        let end = microphone.played + samples.count
        microphone.play(samples)
        let timeout = Duration.seconds(60 + 2 * samples.count / 16000)
        try await eventually("all has been said", within: timeout) { microphone.played >= end }
    }

    /// The text of one block over one microphone, committed so many seconds after its end.
    func text(
        of samples: [Int16], over microphone: (name: String, DriverMicrophone), pause: Double = 0.6
    ) async throws -> String {
        try await session(over: microphone.name) {
            try await say(samples + Speech.silence(pause), into: microphone.1)
            return try await client.dictation.commit(timeout: .seconds(1800)).1
        }
    }

    /// Nanoseconds of processor time of the daemon's threads, by their names.
    func processorTimes() throws -> [String: Double] { try Self.processorTimes(of: rig.daemon.pid) }

    /// Seconds of processor time that a process has had.
    static func processorTime(of process: Int32) throws -> Double {
        try processorTimes(of: process).values.reduce(0, +) / 1e9
    }

    private static func processorTimes(of process: Int32) throws -> [String: Double] {
        let folder = "/proc/\(process)/task"
        var times: [String: Double] = [:]
        for thread in try FileManager.default.contentsOfDirectory(atPath: folder) {
            let name = try String(contentsOfFile: "\(folder)/\(thread)/comm", encoding: .utf8)
            let fields = try String(contentsOfFile: "\(folder)/\(thread)/schedstat", encoding: .utf8)
                .split(separator: " ")
            times[name.trimmingCharacters(in: .newlines), default: 0] += Double(fields[0]) ?? 0
        }
        return times
    }

    /// Seconds of processor time, of all threads or of those of this name, that `body` took.
    func processorTime(of name: String? = nil, _ body: () async throws -> Void) async throws -> Double {
        let before = try processorTimes()
        try await body()
        let after = try processorTimes()
        func sum(_ times: [String: Double]) -> Double {
            times.reduce(0) { $0 + (name == nil || $1.key == name ? $1.value : 0) }
        }
        return (sum(after) - sum(before)) / 1e9
    }

    /// How often the daemon's threads have waited for something and went on: its own, and those of libdispatch, which
    /// looks every second at the pool of threads that it keeps for Swift.
    func wakeUps() throws -> (own: Int, dispatch: Int) {
        let folder = "/proc/\(rig.daemon.pid)/task"
        var wakeUps = (own: 0, dispatch: 0)
        for thread in try FileManager.default.contentsOfDirectory(atPath: folder) {
            // One that ends meanwhile counts no more.
            guard let status = try? String(contentsOfFile: "\(folder)/\(thread)/status", encoding: .utf8)
            else { continue }
            let lines = status.split(separator: "\n")
            let line = lines.first { $0.hasPrefix("voluntary_ctxt_switches:") }
            let count = line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
            if lines.first?.contains("qos") == true {
                wakeUps.dispatch += count
            } else {
                wakeUps.own += count
            }
        }
        return wakeUps
    }

    /// The daemon's most memory so far, in MiB.
    func peakMemory() throws -> Double {
        let status = try String(contentsOfFile: "/proc/\(rig.daemon.pid)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        guard let kibibytes = line?.split(whereSeparator: { !$0.isNumber }).first.flatMap({ Double($0) })
        else {
            throw TestFailure("The kernel does not tell the daemon's memory.")
        }
        return kibibytes / 1024
    }
}

import DBus
import DictationInterface
import DictationRig
import DictationTestKit
import Foundation
import Testing

/// The daemon has no free descriptor.
@Suite struct DescriptorShortageTests {
    @Test func recoversFromAShortageOfDescriptors() async throws {
        try await withRig(tones) { rig in
            let microphone = try await rig.plugIn()
            let client = try await TestClient.listening(on: rig)
            let pid = rig.daemon.pid
            let before = try rig.usage().descriptors

            try await rig.leaveNoDescriptor()
            // The present session continues.
            try await rig.say(Speech.tones(500), into: microphone)
            #expect(try await client.dictation.commit().text == "t500")
            // All callers get a reply.
            for _ in 0..<20 {
                let other = try await TestClient(on: rig, listensToAll: false)
                #expect(try await other.dictation.getSession()["state"] != nil)
                await #expect(throws: DBusError.self) {
                    try await other.dictation.stopAll(options: [:])
                }
                await other.vanish()
            }
            // A microphone that cannot be opened is an interruption.
            try await client.dictation.pause()
            try await client.state("paused")
            try await eventually("the microphone is closed") { try await !rig.isCapturing() }
            try await rig.leaveNoDescriptor()
            try await client.dictation.resume()
            _ = try await client.signal("it cannot listen") { signal in
                if case .interrupted = signal { true } else { nil }
            }

            client.beginStep()
            try await rig.limitDescriptors(to: 4096)
            try await client.state("listening")
            try await rig.say(Speech.tones(600), into: microphone)
            #expect(try await client.dictation.commit().text.contains("t600"))
            let other = try await TestClient(on: rig, listensToAll: false)
            #expect(try await other.dictation.stopAll(options: [:]) == 1)
            try await client.signal("its end") { if case .stopped = $0 { true } else { nil } }
            await other.vanish()
            await client.vanish()
            try await eventually("descriptors are back") { try rig.usage().descriptors <= before }
            #expect(rig.daemon.pid == pid)
            let log = rig.daemon.text(of: .errors).split(separator: "\n")
            #expect(log.count { $0.contains("shortage") } == 1)
            #expect(log.count { $0.contains("Too many open files") } < 10, "\(log.joined(separator: "\n"))")
        }
    }
}

extension Rig {
    /// Neither the daemon nor its worker can open another descriptor.
    fileprivate func leaveNoDescriptor() async throws {
        // A lower one that is closed afterwards would be free.
        _ = try await usageAtRest()
        for process in try processes() {
            try await limitDescriptors(of: process, to: try lowestFreeDescriptor(of: process))
        }
    }

    fileprivate func limitDescriptors(to count: Int) async throws {
        for process in try processes() { try await limitDescriptors(of: process, to: count) }
    }

    /// The number of a process's next descriptor.
    private func lowestFreeDescriptor(of process: Int32) throws -> Int {
        let folder = "/proc/\(process)/fd"
        let used = try FileManager.default.contentsOfDirectory(atPath: folder).compactMap { Int($0) }
        return (0...used.count).first { !used.contains($0) } ?? used.count
    }

    private func limitDescriptors(of process: Int32, to count: Int) async throws {
        _ = try await output(of: ["prlimit", "--pid", "\(process)", "--nofile=\(count):4096"])
    }
}

import DictationClient
import DictationTestKit
import ScriptedService
import Testing

@testable import dictation_cli

@Suite struct SessionReadingTests {
    /// A client has one session at a time: the next file needs the end of this one.
    @Test func sessionIsStoppedIfReadingFails() async throws {
        let bus = try await PrivateBus()
        let service = try await ScriptedService(at: bus.address)
        let client = try await DictationClient(bus: .address(bus.address))
        let session = try await client.start()
        let error = await #expect(throws: DictationError.self) {
            _ = try await session.read { _ in throw DictationError(.other, message: "No more.") }
        }
        #expect(error?.message == "No more.")
        #expect(await service.session == nil)
        #expect(try await client.start().id == 2)
        await client.close()
        await service.vanish()
    }
}

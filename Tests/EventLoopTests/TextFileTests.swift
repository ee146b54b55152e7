import EventLoop
import Foundation
import Testing

@Suite struct TextFileTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "text-\(UUID().uuidString)")

    private func file(_ content: [UInt8]) throws -> String {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appending(path: "file")
        try Data(content).write(to: file)
        return file.path
    }

    @Test(arguments: ["", "key: value\n", "größer\n"])
    func readsText(text: String) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(try TextFile.read(file(Array(text.utf8))) == text)
    }

    @Test func anAbsentFileHasNoText() throws {
        #expect(try TextFile.read(folder.path + "/absent") == nil)
    }

    @Test func refusesWhatIsNotText() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = try file([0x61, 0xff])
        let error = #expect(throws: EventLoopError.self) { try TextFile.read(path) }
        #expect(error?.reason == "it is not UTF-8 text")
    }

    @Test(arguments: ["/dev/zero", "/"])
    func refusesWhatIsNotARegularFile(path: String) {
        let error = #expect(throws: EventLoopError.self) { try TextFile.read(path) }
        #expect(error?.reason == "it is not a regular file")
    }

    @Test func refusesWhatIsTooLong() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = try file([UInt8](repeating: 0x61, count: TextFile.limit + 1))
        let error = #expect(throws: EventLoopError.self) { try TextFile.read(path) }
        #expect(error?.reason == "it is longer than 4 MiB")
    }
}

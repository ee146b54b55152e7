import DictationTestKit
import Glibc
import Testing

@testable import Desktop

@Suite struct KeyFileTests {
    @Test func valuesAreFoundByGroupAndKey() throws {
        let folder = try TemporaryDirectory()
        let path = try folder.write("[a]\nkey = one;two\n[b]\nkey=three\n", to: "file")
        let file = try #require(KeyFile(path: path))
        #expect(file["b", "key"] == "three")
        #expect(file.list("a", "key") == ["one", "two"])
        #expect(file["c", "key"] == nil)
    }

    /// Opening a pipe that nobody writes would wait forever.
    @Test(.timeLimit(.minutes(1))) func aPipeIsNotRead() throws {
        let folder = try TemporaryDirectory()
        try #require(mkfifo(folder.path(of: "portals.conf"), 0o600) == 0)
        #expect(KeyFile(path: folder.path(of: "portals.conf")) == nil)
    }
}

import DBus
import DictationTestKit
import Testing

@Suite struct OtherImplementationTests {
    @Test func gdbusReadsExportedObjects() async throws {
        try await Fixture.with { fixture in
            func gdbus(_ command: String, _ arguments: String...) async throws -> String {
                let object = [
                    "--session", "--dest", "org.example.Echo", "--object-path", "/org/example/Echo",
                ]
                return try await fixture.run(["gdbus", command] + object + arguments)
            }
            let joined = try await gdbus(
                "call", "--method", "org.example.Echo.Join", "['a','b']", "{'separator': <'-'>}")
            #expect(joined == "('a-b', uint32 2)\n")
            let echoed = try await gdbus(
                "call", "--method", "org.example.Echo.Echo", "<(1, [byte 1, 2], {'k': <true>})>")
            #expect(echoed == "(<(1, [byte 0x01, 0x02], {'k': <true>})>,)\n")
            let failed = try await gdbus(
                "call", "--method", "org.example.Echo.Fail", "org.example.Mine", "why")
            #expect(failed.contains("GDBus.Error:org.example.Mine: why"))
            let description = try await gdbus("introspect")
            #expect(description.contains("readwrite d Volume = 0.5;"))
        }
    }

    @Test func systemdReadsExportedObjects() async throws {
        try await Fixture.with { fixture in
            func busctl(_ command: String, _ arguments: String...) async throws -> String {
                try await fixture.run(["busctl", "--user", command, "org.example.Echo"] + arguments)
            }
            let joined = try await busctl(
                "call", "/org/example/Echo", "org.example.Echo", "Join", "asa{sv}", "2", "a", "b", "0")
            #expect(joined == "su \"a b\" 2\n")
            let volume = try await busctl(
                "get-property", "/org/example/Echo", "org.example.Echo", "Volume")
            #expect(volume == "d 0.5\n")
            let tree = try await busctl("tree", "--list")
            #expect(tree.split(separator: "\n").contains("/org/example/Echo"))
            let table = try await busctl("introspect", "/org/example/Echo", "org.example.Echo")
            for member in [".Join", ".Volume", ".Said"] { #expect(table.contains(member)) }
        }
    }
}

extension Fixture {
    /// The output of a program that uses the bus as its session bus.
    fileprivate func run(_ arguments: [String]) async throws -> String {
        let result = try await ChildProcess.run(arguments, adding: bus.environment)
        return result.output + result.errors
    }
}

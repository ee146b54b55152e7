import DictationRig
import DictationTestKit
import Foundation
import Testing

@Suite struct CopyrightTests {
    private struct Resolved: Decodable {
        struct Pin: Decodable {
            var identity: String
        }

        var pins: [Pin]
    }

    /// The programs are linked statically with them, and their licenses require that they are named.
    @Test func everyLinkedLibraryIsNamed() throws {
        let resolved = try JSONDecoder().decode(
            Resolved.self, from: Data(contentsOf: repository.appending(path: "Package.resolved")))
        let text = try String(
            contentsOf: repository.appending(path: "packaging/debian/copyright"), encoding: .utf8)
        #expect(!resolved.pins.isEmpty)
        for pin in resolved.pins { #expect(text.contains(pin.identity), "\(pin.identity)") }
    }
}

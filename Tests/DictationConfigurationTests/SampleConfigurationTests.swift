import DictationConfiguration
import DictationTestKit
import Foundation
import Testing

@testable import configuration_generator

/// The documentation of settings agrees with the service.
@Suite struct SampleConfigurationTests {
    private let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../packaging")

    @Test func generatedTextsAreUpToDate() throws {
        let texts = try ConfigurationGenerator.texts()
        #expect(texts.count == 6)
        for (name, text) in texts {
            #expect(
                try String(contentsOf: folder.appending(path: name), encoding: .utf8) == text,
                "\(name) is out of date")
        }
    }

    @Test func theSampleConfigurationSetsTheDefaults() throws {
        let sample = try String(contentsOf: folder.appending(path: "dictation.yaml"), encoding: .utf8)
        #expect(sample.split(separator: "\n").allSatisfy { $0.hasPrefix("#") })
        let uncommented = sample.replacing(#/^#([a-z]|  [a-z])/#.anchorsMatchLineEndings()) { $0.1 }
        let home = try TemporaryDirectory()
        var loader = ConfigurationLoader(explicit: nil, environment: ["HOME": home.path])
        loader.administratorFile = try home.write(uncommented, to: "dictation.yaml")
        let configuration = try loader.load()
        #expect(configuration.administered == Set(ConfigurationKey.all.map(\.name)))
        for key in ConfigurationKey.all {
            #expect(key.value(in: configuration) == key.value(in: Configuration()), "\(key.name)")
        }
    }

    @Test func everyKeyIsInTheManual() throws {
        let page = try String(contentsOf: folder.appending(path: "man/dictation.conf.5"), encoding: .utf8)
        for key in ConfigurationKey.all { #expect(page.contains("\\fB\(key.name)\\fR\n"), "\(key.name)") }
    }
}

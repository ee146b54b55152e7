import DictationConfiguration
import DictationTestKit
import EventLoop
import Logging
import Testing

@Suite struct ConfigurationWatchTests {
    @Test func aChangeBetweenLoadingAndStartIsReported() async throws {
        let folder = try TemporaryDirectory()
        let file = try folder.write("language: de-DE\n", to: "dictation.yaml")
        let loader = ConfigurationLoader(explicit: file, environment: [:])
        let watch = ConfigurationWatch(loader, logger: Logger(label: "test"))
        let loaded = try loader.load()
        try folder.write("language: fr-FR\n", to: "dictation.yaml")
        let reported = Lock<[String]>([])
        try EventLoopActor.start()
        await watch.start { settings in reported.withLock { $0.append(settings.language) } }
        try await eventually("the change is reported") { reported.withLock { $0 } == ["fr-FR"] }
        #expect(loaded.language == "de-DE")
        await watch.stop()
    }

    /// Programs empty a file before they write it.
    @Test func anEmptyFileIsReadOnlyIfItStaysEmpty() async throws {
        let folder = try TemporaryDirectory()
        let file = try folder.write("language: de-DE\n", to: "dictation.yaml")
        let loader = ConfigurationLoader(explicit: file, environment: [:])
        let watch = ConfigurationWatch(loader, logger: Logger(label: "test"))
        let reported = Lock<[String]>([])
        try EventLoopActor.start()
        await watch.start { settings in reported.withLock { $0.append(settings.language) } }
        let start = ContinuousClock.now
        try folder.write("", to: "dictation.yaml")
        try await eventually("the change is reported", equals: [Configuration().language]) {
            reported.withLock { $0 }
        }
        #expect(.now - start >= .seconds(1))
        try folder.write("", to: "dictation.yaml")
        try folder.write("language: fr-FR\n", to: "dictation.yaml")
        try await eventually("the change is reported") { reported.withLock { $0 }.last == "fr-FR" }
        await watch.stop()
    }
}

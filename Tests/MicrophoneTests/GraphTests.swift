import DictationCore
import Testing

@testable import Microphone

@Suite struct GraphTests {
    @Test func reportsOnlyCompleteNodes() {
        var graph = Graph()
        #expect(graph.follow(.nodeAdded(7, .source("mic"))) == [.node(7)])
        #expect(graph.hasSource)
        #expect(graph.facts.sources.isEmpty)
        _ = graph.follow(.nodeMuteChanged(7, true))
        graph.complete([7])
        #expect(graph.facts.sources == ["mic": Source(name: "mic", isMuted: true)])
    }

    @Test func reportsADefaultThatExists() {
        var graph = Graph()
        _ = graph.follow(.defaultSourceChanged(DeviceText("mic")))
        #expect(graph.facts.defaultSource == nil)
        _ = graph.follow(.nodeAdded(7, .source("mic")))
        graph.complete([7])
        #expect(graph.facts.defaultSource == "mic")
        _ = graph.follow(.objectRemoved(7))
        #expect(graph.facts.defaultSource == nil)
    }

    @Test func reportsOneSourcePerName() {
        var graph = Graph()
        for id: ObjectID in [7, 8] { _ = graph.follow(.nodeAdded(id, .source("mic"))) }
        _ = graph.follow(.nodeMuteChanged(8, true))
        graph.complete([7, 8])
        #expect(graph.facts.sources["mic"]?.isMuted == true)
        _ = graph.follow(.objectRemoved(8))
        #expect(graph.facts.sources["mic"]?.isMuted == false)
    }

    @Test func ignoresInternalSources() {
        var internalSource = NodeProperties.source("inner")
        internalSource.mediaClass = "Audio/Source/Internal"
        var graph = Graph()
        #expect(graph.follow(.nodeAdded(7, internalSource)) == [])
        #expect(!graph.hasSource)
    }

    @Test func aStreamFedByAnotherNodeIsUnusable() {
        var graph = Graph()
        _ = graph.follow(.nodeAdded(7, .source("mic")))
        var sink = NodeProperties()
        sink.mediaClass = "Audio/Sink"
        _ = graph.follow(.nodeAdded(8, sink))
        #expect(graph.peer(of: 9) == .none)
        _ = graph.follow(.linkAdded(20, output: 7, input: 9))
        #expect(graph.peer(of: 9) == .source("mic"))
        _ = graph.follow(.linkAdded(21, output: 8, input: 9))
        #expect(graph.peer(of: 9) == .other)
        _ = graph.follow(.objectRemoved(21))
        #expect(graph.peer(of: 9) == .source("mic"))
        // What feeds it is not even known.
        _ = graph.follow(.linkAdded(22, output: 99, input: 9))
        #expect(graph.peer(of: 9) == .other)
    }

    @Test func namesACaptureByItsClient() {
        var graph = Graph()
        _ = graph.follow(.identified(client: 3))
        var capture = NodeProperties()
        capture.mediaClass = "Stream/Input/Audio"
        capture.client = 3
        #expect(graph.follow(.nodeAdded(7, capture)) == [])
        capture.client = 4
        #expect(graph.follow(.nodeAdded(8, capture)) == [.node(8), .client(4)])
        capture.application = "Its own"
        #expect(graph.follow(.nodeAdded(9, capture)) == [.node(9)])
        _ = graph.follow(.clientChanged(4, ClientProperties(application: "Client", binary: "client")))
        graph.complete([8, 9])
        #expect(graph.facts.otherCaptures.map(\.application) == ["Client", "Its own"])
        #expect(graph.facts.otherCaptures.map(\.binary) == ["client", "client"])
    }

    @Test func readsTheBusOfTheDevice() {
        var graph = Graph()
        var microphone = NodeProperties.source("mic")
        microphone.device = 5
        #expect(graph.follow(.nodeAdded(7, microphone)) == [.node(7), .device(5)])
        _ = graph.follow(.deviceChanged(5, bus: "usb"))
        graph.complete([7])
        #expect(graph.facts.sources["mic"]?.bus == "usb")
        #expect(graph.follow(.nodeAdded(8, microphone)) == [.node(8)])
        _ = graph.follow(.objectRemoved(5))
        #expect(graph.facts.sources["mic"]?.bus == "")
    }

    @Test func targetsARepairedNameBySerial() {
        var graph = Graph()
        var strange = NodeProperties.source("")
        strange.name = DeviceText(bytes: [0x6d, 0xff])
        strange.serial = "1234"
        _ = graph.follow(.nodeAdded(7, strange))
        #expect(graph.target(NodeName(strange.name.text)) == "1234")
        #expect(graph.target("absent") == "absent")
    }
}

extension NodeProperties {
    fileprivate static func source(_ name: String) -> NodeProperties {
        var properties = NodeProperties()
        properties.mediaClass = "Audio/Source"
        properties.name = DeviceText(name)
        return properties
    }
}

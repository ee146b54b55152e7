import DictationCore
import Testing

@testable import Microphone

@Suite struct GraphTests {
    /// A server invents objects.
    @Test func tooManyObjectsAreIgnored() {
        var graph = Graph()
        for id in 0..<ObjectID(Graph.objectLimit) {
            _ = graph.follow(.portAdded(id, node: 0, isInput: false, index: 0))
        }
        #expect(graph.follow(.nodeAdded(1 << 20, .source("mic"))).isEmpty)
        _ = graph.follow(.objectRemoved(7))
        #expect(graph.follow(.nodeAdded(1 << 20, .source("mic"))) == [.node(1 << 20)])
    }

    /// A driver may set its clock far ahead.
    @Test func aLossIsAtMostADay() {
        let request = CaptureRequest(rate: 44_100)
        #expect(request.unscaled(44_100) == 16_000)
        #expect(request.unscaled(.max) == 86_400 * 16_000)
    }

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

    @Test func aRemovedSourceFeedsNothing() {
        var graph = Graph()
        for id: ObjectID in [7, 8] { _ = graph.follow(.nodeAdded(id, .source("mic"))) }
        _ = graph.follow(.linkAdded(30, output: 7, input: 9, client: 3))
        #expect(graph.peer(of: 9) == .source("mic"))
        _ = graph.follow(.objectRemoved(7))
        #expect(graph.peer(of: 9) == .none)
        _ = graph.follow(.linkAdded(31, output: 8, input: 9, client: 3))
        _ = graph.follow(.objectRemoved(30))
        #expect(graph.peer(of: 9) == .source("mic"))
    }

    @Test func findsThePortsOfAnUnlinkedStream() {
        var graph = Graph()
        _ = graph.follow(.identified(client: 3))
        _ = graph.follow(.nodeAdded(7, .source("mic")))
        for (port, index) in [(11, 1), (12, 0)] {
            _ = graph.follow(.portAdded(ObjectID(port), node: 7, isInput: false, index: index))
        }
        #expect(!graph.mayLink)
        _ = graph.follow(.linkFactoryAdded(2))
        #expect(graph.mayLink)
        #expect(graph.unlinked(9, target: nil) == nil, "there is no default")
        var found = graph.unlinked(9, target: "mic")
        #expect(found == UnlinkedStream(node: 9, outputs: [12, 11], inputs: []))
        #expect(found?.links == nil)
        _ = graph.follow(.portAdded(20, node: 9, isInput: true, index: 0))
        // The monitor of the sink whose stream is captured.
        _ = graph.follow(.portAdded(21, node: 9, isInput: false, index: 0))
        found = graph.unlinked(9, target: "mic")
        #expect(found?.links == [PortPair(output: 12, input: 20), PortPair(output: 11, input: 20)])
        _ = graph.follow(.portAdded(22, node: 9, isInput: true, index: 1))
        found = graph.unlinked(9, target: "mic")
        #expect(found?.links == [PortPair(output: 12, input: 20), PortPair(output: 11, input: 22)])
        // This connection's links stay; the session manager's links count.
        _ = graph.follow(.linkAdded(30, output: 7, input: 9, client: 3))
        #expect(graph.unlinked(9, target: "mic") == found)
        _ = graph.follow(.linkAdded(31, output: 7, input: 9, client: 4))
        #expect(graph.unlinked(9, target: "mic") == nil)
        _ = graph.follow(.objectRemoved(31))
        #expect(graph.unlinked(9, target: "mic") == found)
        _ = graph.follow(.objectRemoved(2))
        #expect(!graph.mayLink)
    }

    @Test func capturesTheMeanOfChannelsThatAreLinkedToOnePort() {
        var graph = Graph()
        _ = graph.follow(.portAdded(20, node: 9, isInput: true, index: 0))
        #expect(graph.volume(of: 9) == 1)
        _ = graph.follow(.linkAdded(30, output: 7, input: 9, client: 3))
        #expect(graph.volume(of: 9) == 1)
        _ = graph.follow(.linkAdded(31, output: 7, input: 9, client: 4))
        #expect(graph.volume(of: 9) == 0.5)
        _ = graph.follow(.linkAdded(32, output: 8, input: 9, client: 4))
        #expect(graph.volume(of: 9) == 0.5, "two sources add up")
        _ = graph.follow(.portAdded(21, node: 9, isInput: true, index: 1))
        #expect(graph.volume(of: 9) == 1)
    }

    @Test func anUnlinkedStreamMayAskByTheSourcesSerial() {
        var graph = Graph()
        _ = graph.follow(.identified(client: 3))
        var source = NodeProperties.source("one")
        source.serial = "77"
        _ = graph.follow(.nodeAdded(7, source))
        _ = graph.follow(.portAdded(17, node: 7, isInput: false, index: 0))
        #expect(graph.unlinked(9, target: "77")?.outputs == [17])
        #expect(graph.unlinked(9, target: "78") == nil)
    }

    @Test func anUnlinkedStreamFallsBackToTheDefault() {
        var graph = Graph()
        _ = graph.follow(.identified(client: 3))
        _ = graph.follow(.linkFactoryAdded(2))
        for (node, name) in [(7, "one"), (8, "two")] {
            _ = graph.follow(.nodeAdded(ObjectID(node), .source(name)))
            _ = graph.follow(.portAdded(ObjectID(node + 10), node: ObjectID(node), isInput: false, index: 0))
        }
        _ = graph.follow(.defaultSourceChanged(DeviceText("two")))
        #expect(graph.unlinked(9, target: "one")?.outputs == [17])
        #expect(graph.unlinked(9, target: nil)?.outputs == [18])
        _ = graph.follow(.objectRemoved(7))
        #expect(graph.unlinked(9, target: "one")?.outputs == [18])
        // A default that names a sink is not a microphone.
        _ = graph.follow(.defaultSourceChanged(DeviceText("speakers")))
        #expect(graph.unlinked(9, target: "one") == nil)
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
        // The source of the stream is unknown.
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

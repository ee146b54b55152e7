import DBus
import DictationInterface
import Foundation
import Testing

@testable import interface_generator

@Suite struct GeneratedCodeTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    private let interfaces = Self.root.appendingPathComponent("dbus")
    private let generated = Self.root.appendingPathComponent("Sources/Core/DictationInterface/Generated")

    private let configuration = Self.root.appendingPathComponent(".swift-format")

    private func documents() throws -> [URL] { try InterfaceGenerator.documents(in: Self.root) }

    @Test func generatedFilesAreUpToDate() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let paths = try InterfaceGenerator.write(documents(), to: folder, configuration: configuration)
        for path in paths {
            let text = try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
            let present = try String(contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8)
            #expect(text == present, "\(path) is out of date")
        }
        let present = try FileManager.default.contentsOfDirectory(atPath: generated.path)
        #expect(Set(present).isSubset(of: paths.map { ($0 as NSString).lastPathComponent }))
        let manual = folder.appendingPathComponent("packaging/man/\(InterfaceManual.fileName)")
        let text = try String(contentsOf: manual, encoding: .utf8)
        for method in DictationMethod.allCases {
            #expect(text.contains(".SS \"\(method.rawValue)("), "\(method) is not in the manual")
        }
    }

    @Test func theManualHasTheExampleThatTypes() throws {
        let file = Self.root.appendingPathComponent("packaging/example-typing/typing-example")
        let lines = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
        #expect(lines.dropFirst().dropLast() == InterfaceExamples.typing[...])
        #expect(lines.count <= 34)
    }

    @Test func descriptionAgreesWithXML() throws {
        let xml = Self.undocumented(
            try InterfaceReader.read(
                Data(contentsOf: interfaces.appendingPathComponent("org.example.Dictation.xml"))))
        let descriptions = [
            DictationInterface.description, DictationTypingInterface.description,
            DictationPermissionsInterface.description,
            DictationHistoryInterface.description, DictationAgentManagerInterface.description,
        ]
        let rendered = "<node>" + descriptions.flatMap(\.xml).joined(separator: "\n") + "</node>"
        #expect(xml.interfaces == (try InterfaceReader.read(Data(rendered.utf8))).interfaces)
        #expect(xml.path == DictationInterface.path.rawValue)
        #expect(DictationInterface.busName.rawValue == DictationInterface.name.rawValue)
    }

    private static func undocumented(_ document: InterfaceDocument) -> InterfaceDocument {
        var document = document
        for index in document.interfaces.indices {
            var interface = document.interfaces[index]
            interface.documentation = ""
            for index in interface.methods.indices {
                interface.methods[index].documentation = ""
                forgetVocabulary(of: &interface.methods[index].inputs)
                forgetVocabulary(of: &interface.methods[index].outputs)
            }
            for index in interface.signals.indices {
                interface.signals[index].documentation = ""
                forgetVocabulary(of: &interface.signals[index].inputs)
            }
            for index in interface.properties.indices {
                interface.properties[index].documentation = ""
                interface.properties[index].vocabulary = []
            }
            document.interfaces[index] = interface
        }
        return document
    }

    /// Its annotations are for the generator alone.
    private static func forgetVocabulary(of arguments: inout [Interface.Argument]) {
        for index in arguments.indices { arguments[index].vocabulary = [] }
    }

    @Test func readsTheVocabulary() throws {
        let xml = """
            <!--
              A shop.

              Errors, all beginning with org.example.Shop.Error:
                Closed     come back
                           later
                SoldOut    nothing is left
              and others.
            -->
            <node>
              <interface name="org.example.Shop">
                <!--
                  Open: opens.
                  @options:
                    since x (0)    when
                    by s, of s     who
                  @state: "open", or "closed" at night.
                -->
                <method name="Open">
                  <arg name="options" type="a{sv}" direction="in">
                    <annotation name="org.example.Dictation.Keys" value="OpenOption"/>
                    <annotation name="org.example.Dictation.Words.since" value="Nothing"/>
                  </arg>
                  <arg name="state" type="s" direction="out">
                    <annotation name="org.example.Dictation.Words" value="DoorState"/>
                  </arg>
                </method>
              </interface>
            </node>
            """
        let wrong = try InterfaceReader.read(Data(xml.utf8))
        let error = #expect(throws: GeneratorError.self) { try Vocabulary([wrong]) }
        #expect(error?.description.contains("`since` of `Open` lists nothing for Nothing") == true)
        let annotation = #"<annotation name="org.example.Dictation.Words.since" value="Nothing"/>"#
        let document = try InterfaceReader.read(Data(xml.replacing(annotation, with: "").utf8))
        let vocabulary = try Vocabulary([document])
        #expect(vocabulary.errors.map(\.name) == ["Closed", "SoldOut"])
        #expect(vocabulary.errors.first?.documentation == "come back\nlater")
        #expect(vocabulary.keys.map(\.type) == ["OpenOption"])
        #expect(vocabulary.keys.first?.terms.map(\.name) == ["since", "by", "of"])
        #expect(
            vocabulary.keys.first?.terms.map(\.documentation) == ["`x (0)`: when", "`s`: who", "`s`: who"])
        let unclear = xml.replacing(annotation, with: "").replacing("x (0)    when", with: "x (0) when")
        let unclearError = #expect(throws: GeneratorError.self) {
            try Vocabulary([InterfaceReader.read(Data(unclear.utf8))])
        }
        #expect(unclearError?.description.contains("“since x (0) when” is not a name and a type") == true)
        #expect(vocabulary.words.map(\.type) == ["DoorState"])
        #expect(vocabulary.words.first?.terms.map(\.name) == ["open", "closed"])
    }

    @Test(
        arguments: [
            (
                "<node><interface name='a.B'><method name='C'><arg name='d' type='a{vs}'/></method></interface></node>",
                "a{vs}"
            ),
            ("<node>\n<interface name='a.B'><method/></interface></node>", "/node/interface/method"),
            (
                "<node><interface name='a.B'><property name='C' type='s' access='all'/></interface></node>",
                "access"
            ),
            ("<node><interface name='a.B'><colour/></interface></node>", "colour"),
            ("<node><interface name='a.B'>", "incomplete"),
        ])
    func refusesInvalidDocuments(xml: String, complaint: String) throws {
        let error = #expect(throws: (any Error).self) { try InterfaceReader.read(Data(xml.utf8)) }
        #expect(error.map { "\($0)" }?.contains(complaint) == true, "\(String(describing: error))")
    }

    @Test func writesTypesOfDetails() throws {
        let xml = """
            <node>
              <interface name="org.example.Shop">
                <!--
                  Sold: something was sold.
                  @details:
                    price d          of all
                    parts a(su)      each part, and how many
                    till-number u
                -->
                <signal name="Sold">
                  <arg name="details" type="a{sv}">
                    <annotation name="org.example.Dictation.Details" value="SaleDetails"/>
                    <annotation name="org.example.Dictation.Fields.parts" value="Part name count"/>
                  </arg>
                </signal>
              </interface>
            </node>
            """
        let files = try DetailsSource.files(Vocabulary([InterfaceReader.read(Data(xml.utf8))]))
        #expect(Set(files.keys) == ["SaleDetails.swift"])
        let text = try #require(files["SaleDetails.swift"])
        for line in [
            "public struct SaleDetails:", "public var price: Double?", "public var parts: [Part]?",
            "public var tillNumber: UInt32?", "public static let signature: Signature = \"(su)\"",
            "public var name: String", "entries[\"till-number\"] = tillNumber?.value",
        ] { #expect(text.contains(line), "\(line)") }
        for (fields, message) in [("Part name", "1 fields"), ("Part name count colour", "3 fields")] {
            let wrong = xml.replacing("Part name count", with: fields)
            let error = #expect(throws: GeneratorError.self) {
                try DetailsSource.files(Vocabulary([InterfaceReader.read(Data(wrong.utf8))]))
            }
            #expect(error?.description.contains(message) == true)
        }
    }

    @Test func detailsSurviveTheBus() throws {
        var details = FinalDetails()
        details.words = [.init(text: "word", start: 0.5, end: 1, confidence: 0.25)]
        details.interruptions = 2
        details.problems = ["clipping"]
        details.recorded = .init(start: 1, duration: 2)
        #expect(FinalDetails(details.entries) == details)
        #expect(details.entries.count == 4)
        let other: [BusText: Value] = ["words": .string("word"), "engine": .uint32(1), "new": .bool(true)]
        #expect(FinalDetails(other) == FinalDetails())
    }

    @Test func writesTypesForEachInterface() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("two.xml")
        let xml = """
            <node>
              <interface name="org.example.Shop"><method name="Open"/></interface>
              <interface name="org.example.Shop.Till"><signal name="Rang"><arg name="case" type="ai"/></signal></interface>
            </node>
            """
        try Data(xml.utf8).write(to: file)
        let paths = try InterfaceGenerator.write([file], to: folder, configuration: configuration)
        #expect(
            Set(paths.map { ($0 as NSString).lastPathComponent }) == [
                "DictationErrorKind.swift", "Keys.swift", "ShopInterface.swift", "ShopProxy.swift",
                "ShopRequest.swift",
                "ShopTillInterface.swift", "ShopTillSignal.swift", "Words.swift", InterfaceManual.fileName,
            ])
        let path = try #require(paths.first { $0.hasSuffix("ShopTillSignal.swift") })
        let signal = try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
        #expect(signal.contains("case rang(`case`: [Int32])"))
    }
}

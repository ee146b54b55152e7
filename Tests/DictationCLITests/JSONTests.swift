import DictationClient
import Foundation
import Testing

@testable import dictation_cli

@Suite struct JSONTests {
    private func parsed(_ json: JSON) throws -> Any {
        try JSONSerialization.jsonObject(with: Data(json.text.utf8), options: .fragmentsAllowed)
    }

    @Test(
        arguments: ["", "\"\\/\n\r\t\u{0}\u{1F}\u{7F}", "naïve 漢字 🙂 \u{2028}"])
    func stringsRoundTrip(text: String) throws {
        #expect(try parsed(.string(text)) as? String == text)
    }

    @Test func writesNumbersAndNull() throws {
        #expect(JSON(UInt64.max).text == "9223372036854775807")
        #expect(JSON.number(0.5).text == "0.5")
        #expect(JSON.number(1e-7).text == "1e-07")
        #expect(JSON.number(.infinity).text == "null")
        #expect(JSON(nil as Double?).text == "null")
    }

    @Test func anEventIsOneObjectOnOneLine() throws {
        let final = Final(block: 2, text: "two\nlines")
        let events: [DictationEvent] = [
            .partial(PartialText(block: 2, offset: 3, stable: "a", volatile: "b")), .final(final),
            .stateChanged(StateChange(state: .interrupted, cause: "call", reasons: [.call], pending: 1)),
            .interrupted(.call, all: [.call]), .resumed(.call, all: [.call], seconds: 1.5),
            .routeChanged(.selected, previous: nil, current: nil), .stopped(.stopped),
            .failed(DictationError(.engineFailed, name: "x.y", message: "no")),
            .level(Level(rms: -20, peak: -3)), .problemsChanged([.muted, .clipping]), .problemsChanged([]),
            .segmentRecorded(RecordedSegment(name: "a.wav", start: 0, duration: 30)),
            .retracted(Retraction(block: 2, offset: 3, scalars: 4)), .command("send it"),
            .permissionChanged(.speech, .denied),
        ]
        for event in events {
            let json = SessionEvent(session: 7, event: event).json
            #expect(!json.text.contains("\n"))
            let object = try #require(try parsed(json) as? [String: Any])
            #expect(object["session"] as? Int == 7)
            #expect(object["event"] is String)
        }
        let vanished = SessionEvent(session: nil, event: .serviceVanished).json
        #expect(vanished.text == #"{"event":"service-vanished"}"#)
    }
}

import Foundation
import Testing

@testable import Typing

/// The cases of typing-cases.json, which the tests of the GNOME extension run too. The file describes its format.
struct TypingCases: Decodable {
    struct Fit: Decodable, Sendable, CustomTestStringConvertible {
        var before: String?
        var text: String
        var after: String?
        var typed: String
        var initialCapital: Bool?
        var capitals: Bool?
        var language: String?
        var terminal: Bool?

        var testDescription: String { "\(before ?? "?")|\(text)|\(after ?? "?")" }
    }

    struct Case: Decodable, Sendable, CustomTestStringConvertible {
        var name: String
        var field: TextField?
        var style: TypingStyle
        var steps: [Step]

        var testDescription: String { name }

        private enum CodingKeys: CodingKey {
            case name, field, style, steps
        }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            name = try members.decode(String.self, forKey: .name)
            steps = try members.decode([Step].self, forKey: .steps)
            style = try members.decodeIfPresent(Style.self, forKey: .style)?.value ?? .init(language: "en-US")
            field =
                members.contains(.field)
                ? try members.decodeIfPresent(Field.self, forKey: .field)?.value : .entry()
        }
    }

    struct Step: Sendable, CustomStringConvertible {
        enum Event: Sendable {
            case event(TypingEvent)
            case field(TextField?)
            case take
            case elapse
            case settle
        }

        var event: Event
        var effects: [String]

        var description: String { "\(event)" }
    }

    var fits: [Fit]
    var cases: [Case]

    static let all: TypingCases = {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "typing-cases.json")
        do {
            return try JSONDecoder().decode(TypingCases.self, from: Data(contentsOf: file))
        } catch {
            Issue.record(error)
            return TypingCases(fits: [], cases: [])
        }
    }()
}

extension TypingCases.Step: Decodable {
    init(from decoder: any Decoder) throws {
        var parts = try decoder.unkeyedContainer()
        let name = try parts.decode(String.self)
        func block() throws -> UInt64 { try parts.decode(UInt64.self) }
        func text() throws -> String { try parts.decode(String.self) }
        switch name {
        case "partial": event = .event(.partial(block: try block(), text: try text()))
        case "final", "capital":
            let isCapital = name == "capital"
            event = .event(.final(block: try block(), text: try text(), hasInitialCapital: isCapital))
        case "retract": event = .event(.retracted(block: try block(), offset: try parts.decode(Int.self)))
        case "cancel": event = .event(.cancelled(block: try block()))
        case "begin": event = .event(.begin(block: try block()))
        case "end": event = .event(.end)
        case "style": event = .event(.style(try parts.decode(TypingCases.Style.self).value))
        case "committed":
            let (token, isRefused) = (try block(), try text() == "refused")
            event = .event(.committed(token: token, isRefused ? .refused : .unknown))
        case "field": event = .field(try parts.decode(TypingCases.Field?.self)?.value)
        case "take": event = .take
        case "elapse": event = .elapse
        case "settle": event = .settle
        default:
            throw DecodingError.dataCorruptedError(in: parts, debugDescription: "unknown event \(name)")
        }
        effects = try parts.decode([String].self)
    }
}

extension TypingCases {
    fileprivate struct Style: Decodable {
        var live: Bool?
        var capitals: Bool?
        var language: String?
        var formatted: Bool?

        var value: TypingStyle {
            TypingStyle(
                showsLiveText: live ?? true, fitsCapitals: capitals ?? true, language: language ?? "en-US",
                isFormatted: formatted ?? false)
        }
    }

    fileprivate struct Field: Decodable {
        var value: TextField

        private enum CodingKeys: CodingKey {
            case id, visit, purpose, sensitive, text, cursor, selecting, place, live, reports
        }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            let text = members.contains(.text) ? try members.decode(String?.self, forKey: .text) : ""
            let place = members.contains(.place) ? try members.decode([Int32]?.self, forKey: .place) : [0, 0]
            let purpose = try members.decodeIfPresent(String.self, forKey: .purpose)
            let isLive = try members.decodeIfPresent(Bool.self, forKey: .live) ?? true
            let reports = try members.decodeIfPresent(Bool.self, forKey: .reports) ?? false
            var abilities: TextField.Abilities = isLive ? [.liveText, .deletion] : []
            if reports { abilities.insert(.commitReports) }
            value = .entry(
                text, id: try members.decodeIfPresent(String.self, forKey: .id) ?? "entry",
                visit: try members.decodeIfPresent(UInt64.self, forKey: .visit) ?? 1,
                cursor: try members.decodeIfPresent(Int.self, forKey: .cursor),
                purpose: purpose == "password" ? .password : purpose == "terminal" ? .terminal : .text,
                isSensitive: try members.decodeIfPresent(Bool.self, forKey: .sensitive) ?? false,
                place: place.map { CursorPlace(x: $0[0], y: $0[1]) },
                abilities: abilities)
            value.surrounding?.isSelecting =
                try members.decodeIfPresent(Bool.self, forKey: .selecting) ?? false
        }
    }
}

extension TypingEffect {
    /// As typing-cases.json writes it; nil for a wait.
    var line: String? {
        switch self {
        case .perform(.show(let text)): "show \(text)"
        case .perform(.clear): "clear"
        case .perform(.commit(let text, _)): "commit \(text)"
        case .perform(.delete(let count)): "delete \(count)"
        case .wait: nil
        case .outcome(let outcome):
            "outcome \(outcome.id) \(outcome.block) \(outcome.state.word) \(outcome.text)"
        case .retractionFailed(let block, .notHere): "stays \(block) not-here"
        case .retractionFailed(let block, .unseen): "stays \(block) unseen"
        case .split: "split"
        }
    }
}

extension TypingOutcome.State {
    fileprivate var word: String {
        switch self {
        case .arrived: "arrived"
        case .sent: "sent"
        case .doubtful: "doubtful"
        case .retracted: "retracted"
        case .kept(.password): "kept-password"
        case .kept(.noField): "kept-no-field"
        case .kept(.left): "kept-left"
        case .kept(.refused): "kept-refused"
        case .kept(.unfinished): "kept-unfinished"
        case .kept(.restarted): "kept-restarted"
        }
    }
}

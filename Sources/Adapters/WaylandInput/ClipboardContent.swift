/// The content of a selection in one format.
public struct ClipboardPart: Hashable, Sendable {
    /// A MIME type, or a name of X11 such as UTF8_STRING.
    public var type: String
    public var bytes: [UInt8]
}

/// The content of selections, in the form in which it is passed to the program that keeps them.
public struct ClipboardContent: Hashable, Sendable {
    var parts: [ClipboardSelection: [ClipboardPart]]

    init(_ parts: [ClipboardSelection: [ClipboardPart]]) {
        self.parts = parts
    }

    /// - Parameters:
    ///   - arguments: selection, format and length of each part.
    ///   - bytes: the parts, one after the other.
    public init?(arguments: [String], bytes: [UInt8]) {
        var parts: [ClipboardSelection: [ClipboardPart]] = [:]
        var rest = bytes[...]
        guard arguments.count.isMultiple(of: 3) else { return nil }
        for index in stride(from: 0, to: arguments.count, by: 3) {
            guard let selection = ClipboardSelection(rawValue: arguments[index]),
                let length = Int(arguments[index + 2]), (0...rest.count).contains(length)
            else { return nil }
            let part = ClipboardPart(type: arguments[index + 1], bytes: Array(rest.prefix(length)))
            parts[selection, default: []].append(part)
            rest = rest.dropFirst(length)
        }
        self.parts = parts
    }

    var arguments: [String] {
        ordered.flatMap { [$0.selection.rawValue, $0.part.type, "\($0.part.bytes.count)"] }
    }

    var bytes: [UInt8] { ordered.flatMap(\.part.bytes) }

    private var ordered: [(selection: ClipboardSelection, part: ClipboardPart)] {
        ClipboardSelection.allCases.flatMap { selection in
            (parts[selection] ?? []).map { (selection, $0) }
        }
    }
}

enum ClipboardLimits {
    /// Maximum length of what is saved of a selection, in bytes.
    static let bytes = 1 << 20
    /// Maximum number of its formats.
    static let types = 32
    /// Maximum length of the name of a format in bytes.
    static let typeBytes = 256
    /// Maximum number of programs that read a selection at the same time.
    static let readers = 16
    /// How long the owner of a selection may take to give it, in all formats.
    static let readTimeout = Duration.seconds(1)
}

enum ClipboardType {
    /// Password managers mark what they copy with it; histories of the clipboard skip it.
    static let secret = "x-kde-passwordManagerHint"
    /// Of text, the best first.
    static let text = ["text/plain;charset=utf-8", "text/plain", "UTF8_STRING", "TEXT", "STRING"]
}

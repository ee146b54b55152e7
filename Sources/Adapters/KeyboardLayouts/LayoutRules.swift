internal import Glibc

/// The layouts that XKB's rules know, from `evdev.xml` of xkeyboard-config.
struct LayoutRules: Sendable {
    static let path = "/usr/share/X11/xkb/rules/evdev.xml"

    fileprivate struct Entry {
        var layout = ""
        /// Empty for the layout itself.
        var variant = ""
        var description = ""
        var languages: [String] = []
        var countries: [String] = []
    }

    private var entries: [Entry] = []

    /// Elements that are not understood are skipped.
    init(_ xml: String) {
        var reader = Reader()
        xml.utf8.withContiguousStorageIfAvailable { reader.read($0) }
            ?? Array(xml.utf8).withUnsafeBufferPointer {
                reader.read($0)
            }
        entries = reader.entries
    }

    /// The layout that a desktop has reported. Of one that the rules do not know only the name is known.
    func layout(_ reported: ReportedLayout) -> KeyboardLayout {
        switch reported {
        case .described(let text):
            let entry = entries.first { $0.description == text }
            return KeyboardLayout(entry ?? Entry(), named: text)
        case .named(let name, let variant, let description):
            let own = entries.filter { $0.layout == name }
            let entry =
                own.first { $0.description == description } ?? own.first { $0.variant == variant }
                ?? own.first
            let fallback = variant.isEmpty ? name : "\(name) (\(variant))"
            return KeyboardLayout(entry ?? Entry(), named: entry?.description ?? fallback)
        }
    }

    /// Finds the elements of the list of layouts. Attributes do not matter.
    private struct Reader {
        var entries: [Entry] = []
        private var isInLayouts = false
        private var isInVariant = false
        private var layout = Entry()
        private var present = Entry()

        mutating func read(_ xml: UnsafeBufferPointer<UInt8>) {
            var index = 0
            while let opening = Self.index(of: "<", in: xml, from: index) {
                let text = xml[index..<opening]
                let isComment = xml[(opening + 1)...].starts(with: "!--".utf8)
                guard let end = Self.end(of: xml, from: opening + 1, isComment: isComment) else { return }
                let tag = xml[(opening + 1)..<end]
                index = end + 1
                guard !isComment, let first = tag.first else { continue }
                if first == UInt8(ascii: "/") {
                    close(tag.dropFirst(), text)
                } else {
                    open(tag.prefix { $0 > UInt8(ascii: " ") })
                }
            }
        }

        /// The index of the ">" that ends a tag or a comment.
        private static func end(
            of xml: UnsafeBufferPointer<UInt8>, from start: Int, isComment: Bool
        ) -> Int? {
            var index = start
            while let end = Self.index(of: ">", in: xml, from: index) {
                if !isComment || xml[start..<end].suffix(2).elementsEqual("--".utf8) { return end }
                index = end + 1
            }
            return nil
        }

        private static func index(
            of character: Unicode.Scalar, in xml: UnsafeBufferPointer<UInt8>, from start: Int
        ) -> Int? {
            guard let base = xml.baseAddress, start < xml.count,
                let found = memchr(base + start, Int32(character.value), xml.count - start)
            else { return nil }
            return UnsafeRawPointer(found) - UnsafeRawPointer(base)
        }

        private mutating func open(_ tag: Slice<UnsafeBufferPointer<UInt8>>) {
            switch Self.string(tag) {
            case "layoutList": isInLayouts = true
            case "layout": (layout, present, isInVariant) = (Entry(), Entry(), false)
            case "variant":
                present = Entry(layout: layout.layout)
                isInVariant = true
            default: break
            }
        }

        private mutating func close(
            _ tag: Slice<UnsafeBufferPointer<UInt8>>, _ text: Slice<UnsafeBufferPointer<UInt8>>
        ) {
            guard isInLayouts else { return }
            switch Self.string(tag) {
            case "layoutList": isInLayouts = false
            case "name" where isInVariant: present.variant = Self.string(text)
            case "name": present.layout = Self.string(text)
            case "description": present.description = Self.unescaped(Self.string(text))
            case "iso639Id": present.languages.append(Self.string(text))
            case "iso3166Id": present.countries.append(Self.string(text))
            case "configItem":
                if !isInVariant { layout = present }
                // A variant has what its layout has, unless it says otherwise.
                if present.languages.isEmpty { present.languages = layout.languages }
                if present.countries.isEmpty { present.countries = layout.countries }
                entries.append(present)
            default: break
            }
        }

        private static func string(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
            String(decoding: bytes, as: UTF8.self)
        }

        private static func unescaped(_ text: String) -> String {
            guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
            return [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")]
                .reduce(text) { $0.replacing($1.0, with: $1.1) }
        }
    }
}

extension KeyboardLayout {
    fileprivate init(_ entry: LayoutRules.Entry, named name: String) {
        self.init(
            name: name, languages: entry.languages,
            country: entry.countries.count == 1 ? entry.countries[0] : "")
    }
}

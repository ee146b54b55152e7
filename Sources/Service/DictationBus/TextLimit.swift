package import DBus
package import DictationCore
import DictationInterface

/// Maximum length of callers' text, by its kind, in bytes of UTF-8. Longer text is refused at once; everything but a
/// grammar can then be compared and hashed as a `String`.
package enum TextLimit: Int {
    /// A BCP 47 tag, or the name of an engine.
    case tag = 64
    /// A word of the interface, a name, an ID, a word of the vocabulary or its pronunciation. The limit of names on the
    /// bus.
    case name = 255
    /// The `node.name` of a microphone. PipeWire's names are cut at this length too.
    case microphone = 512
    /// The path of an executable: the kernel's `PATH_MAX`.
    case path = 4096
    /// A JSGF grammar.
    case grammar = 65536
}

extension BusText {
    /// - Parameter subject: the description for the error's message.
    package func limited(to limit: TextLimit, _ subject: String) throws(Refusal) -> String {
        guard count <= limit.rawValue else {
            throw Refusal(
                .invalidArguments, "\(subject) may have at most \(limit.rawValue) bytes, not \(count).")
        }
        return string
    }
}

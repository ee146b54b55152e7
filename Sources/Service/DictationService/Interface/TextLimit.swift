import DBus
import DictationCore
import DictationInterface

/// The greatest length of text that callers send, by its kind, in bytes of UTF-8. Nothing longer goes further in: all
/// but a grammar may then be compared and hashed as a `String`.
enum TextLimit: Int {
    /// A BCP 47 tag, or the name of an engine.
    case tag = 64
    /// A word of the interface, a name, an id, a word of the vocabulary or its pronunciation. The same as of names on
    /// the bus.
    case name = 255
    /// The `node.name` of a microphone, as far as one is read from PipeWire.
    case microphone = 512
    /// The path of an executable, as of the kernel's `PATH_MAX`.
    case path = 4096
    /// A JSGF grammar.
    case grammar = 65536
}

extension BusText {
    /// - Parameter subject: what it is, in words for the error's message.
    func limited(to limit: TextLimit, _ subject: String) throws(Refusal) -> String {
        guard count <= limit.rawValue else {
            throw Refusal(
                .invalidArguments, "\(subject) may have at most \(limit.rawValue) bytes, not \(count).")
        }
        return string
    }
}

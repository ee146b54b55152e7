package import DBus
package import DictationCore
import DictationInterface

extension Permission {
    package func statuses(of resources: [Resource]) -> [BusText: String] {
        Dictionary(uniqueKeysWithValues: resources.map { (BusText($0.rawValue), self[$0].rawValue) })
    }
}

extension Identity {
    /// An application in the format of the interface.
    package var details: [BusText: Value] {
        [ClientKey.kind: .string(kind.rawValue), ClientKey.id: .string(id.rawValue)]
    }

    /// The application that a caller names. Not to be confused with the caller's identity, which is verified.
    package init(_ details: [BusText: Value], uid: UInt32) throws(Refusal) {
        let options = OptionReader(options: details)
        guard let word = try options.string(ClientKey.kind), let kind = Kind(rawValue: word), kind != .unknown
        else {
            let kinds = Kind.allCases.filter { $0 != .unknown }.map(\.rawValue).joined(separator: ", ")
            throw Refusal(.invalidArguments, "A client needs a '\(ClientKey.kind)', one of: \(kinds).")
        }
        guard let id = try options.string(ClientKey.id, atMost: .path), !id.isEmpty else {
            throw Refusal(.invalidArguments, "A client needs an '\(ClientKey.id)'.")
        }
        self.init(uid: uid, kind: kind, id: id)
    }
}

extension Resource {
    package init(word: BusText) throws(Refusal) {
        let word = try word.limited(to: .name, "The name of a resource")
        guard let resource = Resource(rawValue: word) else {
            let known = Resource.allCases.map(\.rawValue).joined(separator: ", ")
            throw Refusal(.invalidArguments, "Unknown resource '\(word)'. Use one of: \(known).")
        }
        self = resource
    }
}

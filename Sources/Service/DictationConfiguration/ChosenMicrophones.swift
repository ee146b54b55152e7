package import DictationCore
import EventLoop
import Glibc
import Yams

/// The microphones that a user has chosen, in a file of their state folder.
package struct ChosenMicrophones: Sendable {
    private let path: String

    /// - Parameter folder: the user's state folder for dictation, which exists.
    package init(in folder: String) { path = folder + "/microphones.yaml" }

    private struct Entry: Codable {
        var name: String
        var description: String
        var bus: String
        var selected: Bool?
    }

    /// Nothing, if the file does not exist. Blocks.
    package func read() throws(ChosenMicrophonesError) -> RouteChoices {
        let text: String?
        do throws(EventLoopError) {
            text = try TextFile.read(path)
        } catch {
            throw ChosenMicrophonesError("\(path) cannot be read: \(error.reason)")
        }
        guard let text else { return RouteChoices() }
        do {
            let entries = try YAMLDecoder().decode([Entry].self, from: text)
            return RouteChoices(
                selected: entries.first { $0.selected == true }.map { NodeName($0.name) },
                chosen: entries.suffix(RouteChoices.limit).map {
                    Source(name: NodeName($0.name), description: $0.description, bus: $0.bus)
                })
        } catch {
            throw ChosenMicrophonesError("\(path) is not a list of microphones; delete it, or mend it")
        }
    }

    /// Returns when they are on the disk. Blocks.
    package func write(_ choices: RouteChoices) throws(ChosenMicrophonesError) {
        let entries = choices.chosen.map { source in
            Entry(
                name: source.name.rawValue, description: source.description, bus: source.bus,
                selected: source.name == choices.selected ? true : nil)
        }
        let text: String
        do {
            text = try YAMLEncoder().encode(entries)
        } catch {
            throw ChosenMicrophonesError("\(error)")
        }
        do throws(EventLoopError) {
            try TextFile.replace(path, with: text)
        } catch {
            throw ChosenMicrophonesError("\(path) cannot be written: \(error.reason)")
        }
    }
}

/// Why the chosen microphones could not be read or written.
package struct ChosenMicrophonesError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}

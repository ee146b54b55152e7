import Foundation

/// Plants faults in copies of Swift sources, in a form in which one is chosen at run time.
///
///     mutator sites FOLDER                 prints a row for each site of the Swift files in FOLDER
///     mutator plant FOLDER SITES COPY      writes the files to COPY, with the faults of the sites in the file SITES, one
///                                          number a line
///     mutator merge FILE COPY ID=VARIANT…  writes FILE to COPY, with variants of it that hold faults; prints the IDs of those
///                                          that cannot be chosen at run time
@main
struct Mutator {
    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch (arguments.first, arguments.count) {
        case ("sites", 2): try plant(arguments[1])
        case ("plant", 4):
            let numbers = try text(of: arguments[2]).split(separator: "\n").compactMap { Int($0) }
            try plant(arguments[1], Set(numbers), copy: arguments[3])
        case ("merge", 4...): try merge(arguments[1], arguments[3...], copy: arguments[2])
        default: throw Failure(description: "usage: see Mutator.swift")
        }
    }

    private static func text(of path: String) throws -> String {
        try String(contentsOfFile: path, encoding: .utf8)
    }

    /// A file that does not change is not compiled again.
    private static func write(_ text: String, to path: String) throws {
        if try self.text(of: path) != text { try text.write(toFile: path, atomically: true, encoding: .utf8) }
    }

    private static func plant(_ folder: String, _ chosen: Set<Int> = [], copy: String? = nil) throws {
        let files = (FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? [])
            .filter { $0.hasSuffix(".swift") }
            .sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
        var next = 0
        for file in files {
            let source = try text(of: "\(folder)/\(file)")
            let planter = try Planter(source, file: file, firstID: next, chosen: chosen)
            let planted = planter.plant()
            next += planter.sites.count
            if let copy {
                try write(planted, to: "\(copy)/\(file)")
            } else {
                for site in planter.sites { print(site.row) }
            }
        }
    }

    private static func merge(_ file: String, _ variants: ArraySlice<String>, copy: String) throws {
        var merger = Merger(try text(of: file))
        for variant in variants {
            let parts = variant.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, let id = Int(parts[0]) else { throw Failure(description: variant) }
            if !merger.add(try text(of: String(parts[1])), id: id) { print(id) }
        }
        try write(merger.merged, to: copy)
    }

    struct Failure: Error, CustomStringConvertible {
        var description: String
    }
}

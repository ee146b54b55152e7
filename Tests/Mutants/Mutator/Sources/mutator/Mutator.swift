import Foundation

/// Plants the faults of the chosen sites in copies of Swift sources.
///
///     mutator FOLDER                 prints a row for each site of the Swift files in FOLDER
///     mutator FOLDER SITES COPY      writes the files to COPY, with the faults of the sites in the file SITES, one
///                                    number a line
@main
struct Mutator {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard let folder = arguments.first, arguments.count == 1 || arguments.count == 3 else {
            throw Failure(description: "usage: mutator FOLDER [SITES COPY]")
        }
        let numbers = arguments.count == 3 ? try String(contentsOfFile: arguments[2], encoding: .utf8) : ""
        let chosen = Set(numbers.split(separator: "\n").compactMap { Int($0) })
        let files = (FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? [])
            .filter { $0.hasSuffix(".swift") }
            .sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
        var next = 0
        for file in files {
            let source = try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
            let planter = try Planter(source, file: file, firstID: next, chosen: chosen)
            let planted = planter.plant()
            next += planter.sites.count
            if arguments.count == 3 {
                let path = "\(arguments[3])/\(file)"
                // A file that does not change is not compiled again.
                if try String(contentsOfFile: path, encoding: .utf8) != planted {
                    try planted.write(toFile: path, atomically: true, encoding: .utf8)
                }
            } else {
                for site in planter.sites { print(site.row) }
            }
        }
    }

    struct Failure: Error, CustomStringConvertible {
        var description: String
    }
}

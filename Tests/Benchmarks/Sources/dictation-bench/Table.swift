import Foundation
import Glibc

/// Rows of text under a heading, printed as a Markdown table with aligned columns.
struct Table {
    let title: String
    private var rows: [[String]]

    init(_ title: String, columns: String...) {
        self.title = title
        rows = [columns]
    }

    /// - Parameter cells: as many as there are columns.
    mutating func add(_ cells: String...) { add(cells) }

    mutating func add(_ cells: [String]) { rows.append(cells) }

    func print() {
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        Swift.print("\n## \(title)\n")
        for (index, row) in rows.enumerated() {
            let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
            Swift.print("| \(cells.joined(separator: " | ")) |")
            if index == 0 {
                Swift.print(
                    "|\(widths.map { String(repeating: "-", count: $0 + 2) }.joined(separator: "|"))|")
            }
        }
        // Flushed, so that a table survives a failure of the next part.
        fflush(nil)
    }
}

/// Says on standard error how far a long measurement is.
func note(_ text: String) {
    FileHandle.standardError.write(Data("\(text)\n".utf8))
}

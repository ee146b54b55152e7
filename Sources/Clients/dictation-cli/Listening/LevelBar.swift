import DictationClient

/// A level as a bar from -60 dB to full scale, with the highest peak of the last second and a half.
struct LevelBar {
    private static let range = -60.0...0.0
    /// The columns beside the bar: its ends, a space and `-60 dB`.
    private static let margin = 9
    /// Levels, of which twenty come in a second, until a held peak is forgotten.
    private static let heldLevels = 30
    /// From here on it is coloured: nearly too loud, and too loud.
    private static let loud = -12.0
    private static let tooLoud = -3.0

    private var rms = -120.0
    private var peak = -120.0
    private var age = 0

    mutating func show(_ level: Level) {
        rms = level.rms
        age += 1
        guard level.peak >= peak || age > Self.heldLevels else { return }
        peak = level.peak
        age = 0
    }

    func line(columns: Int) -> StyledLine {
        let width = max(0, columns - Self.margin)
        let filled = Self.cells(rms, of: width)
        let held = Self.cells(peak, of: width)
        var line = StyledLine("▕", .dim)
        for cell in 0..<width {
            let isHeld = held > 0 && cell == held - 1
            let text = cell < filled ? "█" : isHeld ? "│" : " "
            line.append(text, cell < filled || isHeld ? Self.style(ofCell: cell, of: width) : .dim)
        }
        line.append("▏", .dim)
        let decibels = String(Int(max(Self.range.lowerBound, min(0, peak)).rounded()))
        let space = String(repeating: " ", count: max(0, 4 - decibels.count))
        line.append("\(space)\(decibels) dB", .dim)
        return line
    }

    /// How many of `width` cells a level fills.
    private static func cells(_ decibels: Double, of width: Int) -> Int {
        let share = (decibels - range.lowerBound) / (range.upperBound - range.lowerBound)
        return Int((max(0, min(1, share)) * Double(width)).rounded())
    }

    private static func style(ofCell cell: Int, of width: Int) -> StyledLine.Style {
        let decibels = range.lowerBound * (1 - Double(cell) / Double(max(1, width)))
        return decibels < loud ? .good : decibels < tooLoud ? .warning : .bad
    }
}

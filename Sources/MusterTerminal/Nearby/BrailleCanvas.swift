import Foundation

/// A picture of dots in a terminal: two by four dots a character, in the Braille block of Unicode.
struct BrailleCanvas {
    private let columns: Int
    private let rows: Int
    private var cells: [UInt8]

    /// Creates an empty picture with this number of characters.
    init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
        cells = [UInt8](repeating: 0, count: columns * rows)
    }

    /// The bits of the dots of a character, by column and row (Unicode 15, Braille Patterns).
    private static let bits: [[UInt8]] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]]

    /// Sets a dot, counted from the upper left corner; one that lies outside is left out.
    mutating func set(_ x: Int, _ y: Int) {
        guard x >= 0, y >= 0, x < 2 * columns, y < 4 * rows else { return }
        cells[y / 4 * columns + x / 2] |= Self.bits[x % 2][y % 4]
    }

    /// Draws a line between two points, in dots.
    mutating func line(from start: (x: Double, y: Double), to end: (x: Double, y: Double)) {
        let steps = max(1, Int(max(abs(end.x - start.x), abs(end.y - start.y)) * 2))
        for step in 0...steps {
            let share = Double(step) / Double(steps)
            set(
                Int((start.x + (end.x - start.x) * share).rounded()),
                Int((start.y + (end.y - start.y) * share).rounded()))
        }
    }

    /// The lines of characters.
    var lines: [String] {
        (0..<rows).map { row in
            let scalars = cells[(row * columns)..<((row + 1) * columns)].compactMap {
                Unicode.Scalar(0x2800 + UInt32($0))
            }
            return String(String.UnicodeScalarView(scalars))
        }
    }

    /// An arrow of 8 by 4 characters that points up at 0°, and turns clockwise.
    static func arrow(degrees: Double) -> [String] {
        var canvas = BrailleCanvas(columns: 8, rows: 4)
        let centre = (x: 7.5, y: 7.5)
        func point(_ turn: Double, _ length: Double) -> (x: Double, y: Double) {
            let angle = (degrees + turn) * .pi / 180
            return (centre.x + sin(angle) * length, centre.y - cos(angle) * length)
        }
        canvas.line(from: point(180, 7), to: point(0, 7))
        for side in [-40.0, 40] { canvas.line(from: point(0, 7), to: point(side, 4)) }
        return canvas.lines
    }
}

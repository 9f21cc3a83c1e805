/// The modules of a QR code while it is drawn: first the patterns, then the codewords, then a mask.
struct QRCanvas {
    let version: Int
    let size: Int
    /// Whether each module is dark, row by row.
    private(set) var modules: [Bool]
    /// Whether each module belongs to a pattern, which no mask changes.
    private var isPattern: [Bool]

    /// Draws the patterns of a version. The format information is left light until `finish`.
    init(version: Int) {
        self.version = version
        size = 17 + 4 * version
        modules = Array(repeating: false, count: size * size)
        isPattern = modules
        for place in 0..<size {
            drawPattern(6, place, place % 2 == 0)
            drawPattern(place, 6, place % 2 == 0)
        }
        for (row, column) in [(3, 3), (3, size - 4), (size - 4, 3)] { drawFinder(row, column) }
        let positions = Self.alignmentPositions(of: version)
        let corners = [(6, 6), (6, size - 7), (size - 7, 6)]
        for row in positions {
            for column in positions where !corners.contains(where: { $0 == (row, column) }) {
                drawSquares(row, column, radius: 2) { $0 != 1 }
            }
        }
        drawFormat(0)
        drawVersion()
    }

    /// Rows and columns of the alignment patterns: the first at 6, the others evenly from the end (annex E).
    private static func alignmentPositions(of version: Int) -> [Int] {
        guard version > 1 else { return [] }
        let (gaps, distance) = (version / 7 + 1, 4 * version + 4)
        // Evenly means the next even number; version 32 is the exception that the standard's table makes.
        let step = version == 32 ? 26 : (distance + 2 * gaps - 1) / (2 * gaps) * 2
        return [6] + (0..<gaps).reversed().map { 6 + distance - $0 * step }
    }

    // MARK: Patterns

    private mutating func drawPattern(_ row: Int, _ column: Int, _ isDark: Bool) {
        guard (0..<size).contains(row), (0..<size).contains(column) else { return }
        modules[row * size + column] = isDark
        isPattern[row * size + column] = true
    }

    /// Draws squares around a centre.
    ///
    /// - Parameter isDark: whether the square at a distance from the centre is dark.
    private mutating func drawSquares(_ row: Int, _ column: Int, radius: Int, isDark: (Int) -> Bool) {
        for down in -radius...radius {
            for right in -radius...radius {
                drawPattern(row + down, column + right, isDark(max(abs(down), abs(right))))
            }
        }
    }

    /// Draws a finder pattern with the light separator around it.
    private mutating func drawFinder(_ row: Int, _ column: Int) {
        drawSquares(row, column, radius: 4) { $0 != 2 && $0 != 4 }
    }

    /// Draws the fifteen bits of the format information in both places, and the dark module.
    private mutating func drawFormat(_ bits: Int) {
        for bit in 0..<15 {
            let isDark = bits >> bit & 1 == 1
            // Around the first finder pattern, past the timing patterns.
            if bit < 8 {
                drawPattern(bit < 6 ? bit : bit + 1, 8, isDark)
                drawPattern(8, size - 1 - bit, isDark)
            } else {
                drawPattern(8, bit == 8 ? 7 : 14 - bit, isDark)
                drawPattern(size - 15 + bit, 8, isDark)
            }
        }
        drawPattern(size - 8, 8, true)
    }

    /// Draws the eighteen bits of the version in both places; versions below 7 have none.
    private mutating func drawVersion() {
        guard version >= 7 else { return }
        let bits = Self.coded(version, by: 0x1F25, checkBits: 12)
        for bit in 0..<18 {
            let (near, far) = (bit / 3, size - 11 + bit % 3)
            drawPattern(near, far, bits >> bit & 1 == 1)
            drawPattern(far, near, bits >> bit & 1 == 1)
        }
    }

    /// A number followed by the remainder of its shifted value divided by a polynomial (a BCH code).
    private static func coded(_ value: Int, by polynomial: Int, checkBits: Int) -> Int {
        let degree = Int.bitWidth - 1 - polynomial.leadingZeroBitCount
        var rest = value << checkBits
        while rest >> degree != 0 { rest ^= polynomial << (Int.bitWidth - 1 - rest.leadingZeroBitCount - degree) }
        return value << checkBits | rest
    }

    // MARK: Codewords

    /// Draws codewords in pairs of columns, from the right, upwards and downwards in turn. Modules that are left over
    /// stay light.
    mutating func drawCodewords(_ codewords: [UInt8]) {
        var bit = 0
        var goesUp = true
        // The column of the timing pattern belongs to no pair.
        for right in stride(from: size - 1, to: 0, by: -2).map({ $0 > 6 ? $0 : $0 - 1 }) {
            for step in 0..<size {
                let row = goesUp ? size - 1 - step : step
                for place in [row * size + right, row * size + right - 1] where !isPattern[place] {
                    guard bit < 8 * codewords.count else { return }
                    modules[place] = codewords[bit / 8] >> (7 - bit % 8) & 1 == 1
                    bit += 1
                }
            }
            goesUp.toggle()
        }
    }

    /// Applies a mask to the codewords, and draws the format information that contains the mask's number.
    mutating func finish(level: QRCode.Level, mask: Int) {
        for row in 0..<size {
            for column in 0..<size where !isPattern[row * size + column] && Self.inverts(mask, row, column) {
                modules[row * size + column].toggle()
            }
        }
        drawFormat(Self.coded(level.formatBits << 3 | mask, by: 0x537, checkBits: 10) ^ 0x5412)
    }

    /// Whether a mask inverts a module (table 10).
    private static func inverts(_ mask: Int, _ row: Int, _ column: Int) -> Bool {
        switch mask {
        case 0: (row + column) % 2 == 0
        case 1: row % 2 == 0
        case 2: column % 3 == 0
        case 3: (row + column) % 3 == 0
        case 4: (row / 2 + column / 3) % 2 == 0
        case 5: row * column % 2 + row * column % 3 == 0
        case 6: (row * column % 2 + row * column % 3) % 2 == 0
        default: ((row + column) % 2 + row * column % 3) % 2 == 0
        }
    }

    // MARK: The penalty of a mask (7.8.3)

    /// A measure of how easily a camera misreads the code: the sum for runs and blocks of one colour, for modules that
    /// resemble a finder pattern, and for too many dark or light modules.
    var penalty: Int {
        var penalty = 0
        for line in 0..<size {
            penalty += Self.penalty(ofLine: (0..<size).map { modules[line * size + $0] })
            penalty += Self.penalty(ofLine: (0..<size).map { modules[$0 * size + line] })
        }
        for row in 0..<size - 1 {
            for place in row * size..<row * size + size - 1 {
                let colour = modules[place]
                if modules[place + 1] == colour, modules[place + size] == colour, modules[place + size + 1] == colour {
                    penalty += 3
                }
            }
        }
        let dark = modules.count { $0 }
        return penalty + abs(20 * dark - 10 * modules.count) / modules.count * 10
    }

    private static let finderWithMargins: [[Bool]] = {
        let finder = [true, false, true, true, true, false, true]
        let margin = [Bool](repeating: false, count: 4)
        return [finder + margin, margin + finder]
    }()

    private static func penalty(ofLine line: [Bool]) -> Int {
        var (penalty, run) = (0, 0)
        for (index, isDark) in line.enumerated() {
            run = index > 0 && line[index - 1] == isDark ? run + 1 : 1
            if run == 5 { penalty += 3 } else if run > 5 { penalty += 1 }
        }
        for start in 0...line.count - 11 {
            let part = line[start..<start + 11]
            for pattern in finderWithMargins where part.elementsEqual(pattern) { penalty += 40 }
        }
        return penalty
    }
}

/// A QR code that holds bytes, of the smallest size in which they fit.
///
/// Source: ISO/IEC 18004:2015; byte mode, versions 1 to 40, the levels L and M.
package struct QRCode: Hashable, Sendable {
    /// The share of a code that may be unreadable: about 7 % at L, 15 % at M.
    package enum Level: Sendable {
        case low
        case medium

        /// The two bits that stand for the level in a code.
        var formatBits: Int { self == .low ? 0b01 : 0b00 }
    }

    /// The modules a side, without the quiet zone: 21 in version 1, 4 more in each further one, 177 in version 40.
    package let size: Int
    /// Whether each module is dark, row by row.
    private let modules: [Bool]

    /// Encodes bytes in the smallest version in which level L holds them; at level M where that version holds them too.
    ///
    /// - Returns: nil for more than 2,953 bytes, which no QR code holds.
    package init?(_ bytes: [UInt8]) {
        guard let version = (1...40).first(where: { Self.holds(bytes.count, $0, .low) }) else { return nil }
        self.init(bytes, version: version, level: Self.holds(bytes.count, version, .medium) ? .medium : .low)
    }

    /// Encodes bytes in a version of at least the size that they need.
    ///
    /// - Parameter mask: the number of the mask, of eight; nil for the one that best avoids patterns that mislead a
    ///   camera.
    /// - Precondition: the version holds the bytes at this level.
    package init(_ bytes: [UInt8], version: Int, level: Level, mask: Int? = nil) {
        precondition(Self.holds(bytes.count, version, level), "version \(version) does not hold \(bytes.count) bytes")
        var canvas = QRCanvas(version: version)
        canvas.drawCodewords(QRCodewords(bytes, version: version, level: level).interleaved)
        let choices = (mask.map { [$0] } ?? Array(0..<8)).map { mask in
            var masked = canvas
            masked.finish(level: level, mask: mask)
            return masked
        }
        var best = choices[0]
        if choices.count > 1 {
            let penalties = choices.map(\.penalty)
            best = choices[penalties.indices.min { penalties[$0] < penalties[$1] } ?? 0]
        }
        size = canvas.size
        modules = best.modules
    }

    /// Whether the module in a row and a column, each from 0, is dark; the quiet zone around the code is not.
    package func isDark(row: Int, column: Int) -> Bool {
        (0..<size).contains(row) && (0..<size).contains(column) && modules[row * size + column]
    }

    private static func holds(_ count: Int, _ version: Int, _ level: Level) -> Bool {
        let layout = QRBlockLayout(version: version, level: level)
        return 4 + QRCodewords.countBits(of: version) + 8 * count <= 8 * layout.dataCodewords
    }
}

/// How the codewords of a version and level are divided into blocks (ISO/IEC 18004, table 9).
struct QRBlockLayout {
    /// The number of blocks.
    let blocks: Int
    /// The codewords for error correction in each block.
    let correction: Int
    /// All codewords of the version.
    let codewords: Int

    /// The codewords that hold data.
    var dataCodewords: Int { codewords - blocks * correction }

    init(version: Int, level: QRCode.Level) {
        blocks = (level == .low ? Self.lowBlocks : Self.mediumBlocks)[version - 1]
        correction = (level == .low ? Self.lowCorrection : Self.mediumCorrection)[version - 1]
        codewords = Self.dataModules(of: version) / 8
    }

    /// The number of data codewords in a block. The last blocks may have one more than the first.
    func dataCodewords(inBlock block: Int) -> Int {
        dataCodewords / blocks + (block < blocks - dataCodewords % blocks ? 0 : 1)
    }

    /// The modules that are left for codewords beside the patterns.
    private static func dataModules(of version: Int) -> Int {
        let size = 17 + 4 * version
        // Three finder patterns with separators and the format information, the timing patterns, the dark module.
        var taken = 3 * 64 + 31 + 2 * (size - 16)
        if version > 1 {
            let positions = version / 7 + 2
            // All crossings but three; those on a timing pattern share five modules with it.
            taken += (positions * positions - 3) * 25 - 2 * (positions - 2) * 5
        }
        if version >= 7 { taken += 36 }
        return size * size - taken
    }

    private static let lowCorrection = [
        7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28,
        28, 28, 30, 30, 26, 28, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
    ]
    private static let mediumCorrection = [
        10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26,
        26, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28,
    ]
    private static let lowBlocks = [
        1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8,
        8, 9, 9, 10, 12, 12, 12, 13, 14, 15, 16, 17, 18, 19, 19, 20, 21, 22, 24, 25,
    ]
    private static let mediumBlocks = [
        1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16,
        17, 17, 18, 20, 21, 23, 25, 26, 28, 29, 31, 33, 35, 37, 38, 40, 43, 45, 47, 49,
    ]
}

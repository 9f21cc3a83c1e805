import MusterCoding

/// A pull parser for the rows of a CSV text in UTF-8 (RFC 4180).
///
/// Lines end with CRLF, LF or CR; a byte order mark at the beginning and empty lines are skipped. A cell in quotation
/// marks may contain separators, line ends and doubled quotation marks. Rows may have different numbers of cells.
///
/// A malformed row does not end the reading: after an error, `next` reads the row that begins on the next line. Each
/// byte is read once, but for the rest of a row whose quotation mark is never closed, which is read again.
///
/// - Important: The reader is valid only while the bytes are.
package struct CSVReader {
    /// A row of the text.
    package struct Row: Hashable, Sendable {
        /// The line on which the row begins, from 1.
        package let line: Int
        /// The cells' texts, without the quotation marks around them; at least one.
        package let cells: [String]
    }

    /// The largest row, in bytes. It bounds what an unclosed quotation mark takes in.
    package static let rowBytes = 4096
    /// How many unclosed quotation marks the reader passes before it ends.
    static let unclosedLimit = 100

    private let bytes: UnsafeRawBufferPointer
    private let separator: UInt8
    private var position = 0
    private var line = 1
    private var rowStart = 0
    private var rowLine = 1
    private var unclosed = 0

    /// Creates a reader.
    ///
    /// - Parameter separator: the byte between two cells of a row; nil for the comma or the semicolon, whichever the
    ///   first line has more of outside of quotation marks.
    package init(_ bytes: UnsafeRawBufferPointer, separator: UInt8? = nil) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        self.separator = separator ?? Self.separator(in: bytes)
    }

    /// Reads the next row.
    ///
    /// - Returns: nil when there are no more rows.
    /// - Throws: `CSVError` for a malformed row. The reader then stands before the next one.
    package mutating func next() throws(CSVError) -> Row? {
        while position < bytes.count, isLineEnd(bytes[position]) { passLineEnd() }
        guard position < bytes.count else { return nil }
        (rowStart, rowLine) = (position, line)
        var cells: [String] = []
        while true {
            let isQuoted = position < bytes.count && bytes[position] == Self.quote
            cells.append(try isQuoted ? quotedCell(cells.count) : plainCell(cells.count))
            guard position < bytes.count else { break }
            if isLineEnd(bytes[position]) {
                passLineEnd()
                break
            }
            // The separator; a cell ends with nothing else.
            try takeByte(cells.count)
        }
        return Row(line: rowLine, cells: cells)
    }

    // MARK: Cells

    private mutating func plainCell(_ cell: Int) throws(CSVError) -> String {
        let start = position
        while position < bytes.count {
            let byte = bytes[position]
            if byte == separator || isLineEnd(byte) { break }
            guard byte != Self.quote else { throw passRow(.quoteInText, cell) }
            guard !isControl(byte) else { throw passRow(.controlCharacter, cell) }
            try takeByte(cell)
        }
        return try text(start..<position, cell)
    }

    private mutating func quotedCell(_ cell: Int) throws(CSVError) -> String {
        position += 1
        var start = position
        // What stands before a doubled quotation mark, if there is one.
        var begin = ""
        while true {
            guard position < bytes.count else { throw passUnclosedQuote(cell) }
            let byte = bytes[position]
            if byte == Self.quote {
                let piece = try text(start..<position, cell)
                position += 1
                guard position < bytes.count, bytes[position] == Self.quote else {
                    try requireEndOfCell(cell)
                    return begin.isEmpty ? piece : begin + piece
                }
                begin += piece + "\""
                position += 1
                start = position
            } else if isLineEnd(byte) {
                passLineEnd()
            } else {
                guard !isControl(byte) else { throw passRow(.controlCharacter, cell) }
                position += 1
            }
            guard position - rowStart <= Self.rowBytes else { throw passUnclosedQuote(cell) }
        }
    }

    private mutating func requireEndOfCell(_ cell: Int) throws(CSVError) {
        guard position < bytes.count, bytes[position] != separator, !isLineEnd(bytes[position]) else { return }
        throw passRow(.textAfterQuote, cell)
    }

    private mutating func takeByte(_ cell: Int) throws(CSVError) {
        position += 1
        guard position - rowStart <= Self.rowBytes else { throw passRow(.tooLong(limitBytes: Self.rowBytes), cell) }
    }

    private mutating func text(_ range: Range<Int>, _ cell: Int) throws(CSVError) -> String {
        let piece = UnsafeRawBufferPointer(rebasing: bytes[range])
        guard let text = String(utf8: piece) else { throw passRow(.notUTF8, cell) }
        return text
    }

    // MARK: Lines

    private static let quote = UInt8(ascii: "\"")

    private func isLineEnd(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") }

    /// Whether a byte is a control character other than the tab and the line ends.
    private func isControl(_ byte: UInt8) -> Bool { (byte < 0x20 && byte != UInt8(ascii: "\t")) || byte == 0x7F }

    /// Passes a line end, which is one for CRLF.
    private mutating func passLineEnd() {
        let isPair =
            bytes[position] == UInt8(ascii: "\r") && position + 1 < bytes.count
            && bytes[position + 1] == UInt8(ascii: "\n")
        position += isPair ? 2 : 1
        line += 1
    }

    private mutating func passLine() {
        while position < bytes.count, !isLineEnd(bytes[position]) { position += 1 }
        if position < bytes.count { passLineEnd() }
    }

    /// Passes the rest of the line, and returns the error of the row.
    private mutating func passRow(_ reason: CSVError.Reason, _ cell: Int) -> CSVError {
        passLine()
        return CSVError(line: rowLine, cell: cell, reason: reason)
    }

    /// Goes on at the line after the one on which the row begins: the quotation mark was most likely text.
    private mutating func passUnclosedQuote(_ cell: Int) -> CSVError {
        unclosed += 1
        (position, line) = (rowStart, rowLine)
        passLine()
        if unclosed == Self.unclosedLimit { position = bytes.count }
        return CSVError(line: rowLine, cell: cell, reason: .unclosedQuote(limitBytes: Self.rowBytes))
    }

    private static func separator(in bytes: UnsafeRawBufferPointer) -> UInt8 {
        var (commas, semicolons, isQuoted, isEmpty) = (0, 0, false, true)
        for byte in bytes.prefix(rowBytes) {
            switch byte {
            case UInt8(ascii: "\n") where !isQuoted, UInt8(ascii: "\r") where !isQuoted:
                if isEmpty { continue }
                return semicolons > commas ? UInt8(ascii: ";") : UInt8(ascii: ",")
            case quote: isQuoted.toggle()
            case UInt8(ascii: ",") where !isQuoted: commas += 1
            case UInt8(ascii: ";") where !isQuoted: semicolons += 1
            default: break
            }
            isEmpty = false
        }
        return semicolons > commas ? UInt8(ascii: ";") : UInt8(ascii: ",")
    }
}

/// Draws a QR code in a terminal.
extension QRCode {
    /// The light modules that a camera needs around a code.
    private static let quietZone = 4

    /// The columns of a terminal that `lines` take.
    package var columns: Int { size + 2 * Self.quietZone }

    /// The code as lines of text, two rows of modules each, with its quiet zone.
    ///
    /// - Parameter isColoured: whether the lines set the terminal's colours to black on white; otherwise characters are
    ///   dark modules, as on paper.
    package func lines(isColoured: Bool) -> [String] {
        let edges = -Self.quietZone..<size + Self.quietZone
        return stride(from: edges.lowerBound, to: edges.upperBound, by: 2).map { row in
            let characters = edges.map { column in
                switch (isDark(row: row, column: column), isDark(row: row + 1, column: column)) {
                case (true, true): "█"
                case (true, false): "▀"
                case (false, true): "▄"
                case (false, false): " "
                }
            }
            // Black and white of the 256 colours, which no theme changes.
            return isColoured ? "\u{1B}[38;5;16;48;5;231m\(characters.joined())\u{1B}[0m" : characters.joined()
        }
    }
}

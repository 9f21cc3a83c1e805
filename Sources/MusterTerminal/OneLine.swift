extension String {
    /// The text for one column of a line: control characters, line separators and changes of the writing direction are
    /// spaces. So a name or a note cannot look like further lines or columns, and sends no escape sequence to the
    /// reader's terminal.
    package var onOneLine: String {
        String(String.UnicodeScalarView(unicodeScalars.map { $0.isUnsafeInColumn ? " " : $0 }))
    }
}

extension Unicode.Scalar {
    fileprivate var isUnsafeInColumn: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: properties.isBidiControl
        }
    }
}

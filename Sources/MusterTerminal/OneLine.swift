extension String {
    /// The text for one column of a line: each control character is a space. So a name or a note cannot look like
    /// further lines or columns, and sends no escape sequence to the reader's terminal.
    package var onOneLine: String {
        String(String.UnicodeScalarView(unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
    }
}

extension User {
    /// The longest display name, in Unicode scalars.
    public static let displayNameLimit = 100

    /// Whether a text can be a display name: 1 to 100 Unicode scalars, at least one of them visible, in any script,
    /// without white space at either end.
    ///
    /// It has no control characters and no line ends, and no character that is invisible or turns the direction of the
    /// text around it. Allowed are the joiners and variation selectors, which Persian, Indic and Japanese names need.
    ///
    /// - Complexity: O(length), at most `displayNameLimit`.
    public static func isDisplayName(_ text: String) -> Bool {
        let scalars = text.unicodeScalars.prefix(displayNameLimit + 1)
        guard scalars.count <= displayNameLimit, let first = scalars.first, let last = scalars.last,
            !first.isSpace, !last.isSpace
        else { return false }
        let isShown = { (scalar: Unicode.Scalar) in scalar.isVisible && !scalar.isShaping && !scalar.isBlank }
        return scalars.contains(where: isShown) && scalars.allSatisfy { isShown($0) || $0.isShaping || $0.isSpace }
    }
}

extension Unicode.Scalar {
    /// Whether the character joins letters, or keeps them from joining, or selects a form of the one before it.
    fileprivate var isShaping: Bool {
        switch value {
        case 0x180B...0x180F, 0x200C, 0x200D, 0xFE00...0xFE0F, 0xE0100...0xE01EF: true
        default: false
        }
    }

    /// Whether the character is a space between words.
    fileprivate var isSpace: Bool { properties.generalCategory == .spaceSeparator }

    /// Whether the character counts as a letter or symbol but is drawn as nothing, as U+3164 is, the Hangul filler.
    fileprivate var isBlank: Bool {
        !isASCII && !isShaping && (properties.isDefaultIgnorableCodePoint || value == 0x2800)
    }
}

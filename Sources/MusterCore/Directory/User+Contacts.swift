extension User {
    /// The longest e-mail address, in bytes of UTF-8 (RFC 5321, section 4.5.3.1.3, without the angle brackets).
    public static let emailBytes = 254
    /// The shortest and the longest telephone number, in characters.
    public static let phoneLength = 3...32
    /// The smallest number of digits of a telephone number.
    public static let fewestPhoneDigits = 3

    /// Whether a text can be an e-mail address: at most 254 bytes, with exactly one `@` and something on both sides of
    /// it. It has no spaces, control characters, or invisible characters that change how a text is displayed. It has
    /// none of `, ; < > "` either, which would make it several addresses, or an address with a name.
    ///
    /// - Complexity: O(length), at most `emailBytes`.
    public static func isEmail(_ text: String) -> Bool {
        guard text.utf8.count <= emailBytes else { return false }
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy { !$0.isEmpty } && text.unicodeScalars.allSatisfy { $0.isVisible }
            && !text.utf8.contains { ",;<>\"".utf8.contains($0) }
    }

    /// Whether a text can be a telephone number: 3 to 32 of the characters `+ 0-9 ( ) - . /` and the space, at least
    /// three of them digits.
    public static func isPhone(_ text: String) -> Bool {
        guard phoneLength.contains(text.utf8.count) else { return false }
        let digits = text.utf8.count { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        let others = text.utf8.count { "+ ()-./".utf8.contains($0) }
        return digits >= fewestPhoneDigits && digits + others == text.utf8.count
    }

}

extension Unicode.Scalar {
    /// Whether the character is visible: neither a space, nor a control character, nor one that only changes how a text
    /// is displayed.
    var isVisible: Bool {
        if isASCII { return (0x21...0x7E).contains(value) }
        return switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .spaceSeparator, .lineSeparator,
            .paragraphSeparator:
            false
        default: true
        }
    }
}

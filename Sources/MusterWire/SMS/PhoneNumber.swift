/// A telephone number that can be compared with others, however each of them is written.
///
/// A number with `+` or `00` is international. Any other may be international without a sign, as some gateways write
/// it, or national: then it is compared in both ways, the second with the operator's country code before it.
package struct PhoneNumber: Hashable, Sendable {
    /// The digits that the number of a sender may have in international form, without a sign.
    private let forms: Set<String>
    /// The digits that the number of a user may have in international form. A number without a sign is international
    /// only where no country code is known, or where it begins with it: otherwise a stranger abroad, whose number has
    /// the same digits, would count as the user.
    private let storedForms: Set<String>

    /// How many digits an international number may have (ITU-T E.164), and the fewest that count as one.
    package static let digitCount = 6...15
    /// The number of last digits that must agree before the server compares two telephone numbers.
    private static let tailCount = 6

    /// Reads a number. Spaces and `( ) - . /` are left out, and so is the `(0)` of `+44 (0)20`.
    ///
    /// - Parameter country: the digits of the country code of numbers that have none; nil where the operator named
    ///   none.
    /// - Returns: nil when the text is no number, such as the name that a company sends under.
    package init?(_ text: String, country: String? = nil) {
        guard text.utf8.count <= 64 else { return nil }
        var digits = text
        if text.hasPrefix("+"), let zero = text.firstRange(of: "(0)"),
            text[zero.upperBound...].utf8.count(where: Self.isDigit) >= Self.tailCount
        {
            digits.removeSubrange(zero)
        }
        let isSigned = digits.hasPrefix("+")
        if isSigned { digits.removeFirst() }
        digits.removeAll { " \u{A0}()-./".contains($0) }
        guard digits.utf8.allSatisfy(Self.isDigit) else { return nil }
        let hasPrefix = digits.hasPrefix("00")
        if !isSigned, hasPrefix { digits.removeFirst(2) }
        var (forms, storedForms): (Set<String>, Set<String>) = ([digits], [digits])
        let national = digits.hasPrefix("0") ? digits.dropFirst() : digits[...]
        if !isSigned, !hasPrefix, let country {
            if !digits.hasPrefix(country) { storedForms = [] }
            if national.utf8.count >= Self.tailCount {
                forms.insert(country + national)
                storedForms.insert(country + national)
            }
        }
        self.forms = forms.filter { Self.digitCount.contains($0.utf8.count) }
        self.storedForms = storedForms.intersection(self.forms)
        if self.forms.isEmpty { return nil }
    }

    /// The number of a user in international form, `+` and its digits, as a gateway dials it; nil where it is not
    /// certain which country it belongs to, or no number of that length can be dialled.
    package var dialled: String? { storedForms.count == 1 ? storedForms.first.map { "+" + $0 } : nil }

    /// Whether this number of a sender may be the number of a user.
    package func isSame(as stored: PhoneNumber) -> Bool { !forms.isDisjoint(with: stored.storedForms) }

    /// Whether a text ends with the same digits as this number. It is quick, and true of every text that is the same
    /// number.
    package func endsLike(_ text: String) -> Bool {
        guard let form = forms.first else { return false }
        return text.utf8.reversed().lazy.filter(Self.isDigit).prefix(Self.tailCount)
            .elementsEqual(form.utf8.reversed().prefix(Self.tailCount))
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}

/// Values as small devices write them: numbers as text, and text with the NULs that pad it in their memory.
extension JSONValue {
    /// Reads a number of decimal digits, which may begin with a plus, a point or zeros; nil for any other text, and for
    /// a number that is too large for a double.
    init?(decimal text: some StringProtocol) {
        guard !text.isEmpty, text.utf8.allSatisfy(Self.decimalBytes.contains) else { return nil }
        if let integer = Int64(text) {
            self = .integer(integer)
        } else if let number = Double(String(text)), number.isFinite {
            self = .number(number)
        } else {
            return nil
        }
    }

    private static let decimalBytes = Set("0123456789+-.eE".utf8)

    /// The number, also one that is written as text; nil for anything else.
    var deviceNumber: Double? { number ?? deviceText.flatMap { JSONValue(decimal: $0)?.number } }

    /// The whole number, also one that is written as text; nil for anything else.
    var deviceInteger: Int64? { integer ?? deviceText.flatMap { JSONValue(decimal: $0)?.integer } }

    /// The text without NULs and without white space around it; nil when nothing is left.
    var deviceText: String? {
        guard let string else { return nil }
        var scalars = string.unicodeScalars[...]
        func isPadding(_ scalar: Unicode.Scalar) -> Bool { scalar.value <= 0x20 }
        while let last = scalars.last, isPadding(last) { scalars.removeLast() }
        scalars = scalars.drop(while: isPadding)
        return scalars.isEmpty ? nil : String(String.UnicodeScalarView(scalars.filter { $0.value != 0 }))
    }
}

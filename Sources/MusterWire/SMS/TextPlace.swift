import MusterGeometry

/// A place within a text, and the rest of the text.
///
/// Each of the two numbers has at least two decimals, a place to about a kilometre, so that "3,5" is none. One of them
/// has three where only spaces are between them and neither has a sign or a letter, so that the times "12.30 14.00" are
/// none. Degrees with minutes are not read. Forms are
/// `43.5665,-6.058` and `43.5665 -6.058`; `43,5665 -6,058`, whose numbers must be apart, because a comma alone would
/// not say where one ends; `43.5665N 6.058W` with the letter before or after, where Spanish has O for the west; and
/// `geo:43.5665,-6.058;u=35` (RFC 5870).
struct TextPlace {
    let coordinate: Coordinate
    /// The text without the place.
    let others: [Unicode.Scalar]

    /// Whether the rest of the text has a number with as many decimals, too, so that the place may be another.
    var isAmbiguous: Bool {
        others.indices.dropFirst().contains { at in
            let decimals = others[(at + 1)...].prefix(Self.fewestBareDecimals)
            return ".,".unicodeScalars.contains(others[at]) && Scanner.isDigit(others[at - 1])
                && decimals.count == Self.fewestBareDecimals && decimals.allSatisfy(Scanner.isDigit)
        }
    }

    private static let fewestDecimals = 2
    private static let fewestBareDecimals = 3
    private static let mostDigits = 18

    /// Finds the first place of a folded text; nil where there is none.
    init?(in scalars: [Unicode.Scalar]) {
        // Signs of degrees with minutes, and of minutes: their numbers are none of degrees alone.
        if scalars.contains(where: { "°'".unicodeScalars.contains($0) }) { return nil }
        for start in scalars.indices {
            // A place begins at the beginning of a word.
            if start > 0, Self.isOfWord(scalars[start - 1]) { continue }
            var scanner = Scanner(scalars: scalars, index: start)
            guard let coordinate = scanner.scanPlace() else { continue }
            self.coordinate = coordinate
            others = scalars[..<start] + [" "] + scalars[scanner.index...]
            return
        }
        return nil
    }

    private static func isOfWord(_ scalar: Unicode.Scalar) -> Bool {
        Scanner.isDigit(scalar) || ("a"..."z").contains(scalar) || "+-.,".unicodeScalars.contains(scalar)
    }

    /// A number of a place.
    private struct Number {
        var value: Double
        let point: Unicode.Scalar
        /// The letter of the hemisphere.
        let letter: Unicode.Scalar?
        let decimals: Int
        let isSigned: Bool

        /// Whether the number may be a time or a price.
        var isBare: Bool { letter == nil && !isSigned && decimals < fewestBareDecimals }
    }

    private struct Scanner {
        let scalars: [Unicode.Scalar]
        var index: Int

        static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

        private var next: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

        mutating func scanPlace() -> Coordinate? {
            let isURI = scanPrefix("geo:")
            guard let first = scanNumber(), let gap = scanGap(), let second = scanNumber(),
                first.point == second.point
            else { return nil }
            // "12,34,56,78" would not say which comma is between the numbers.
            if first.point == ",", !gap.contains(where: { $0 == " " || $0 == ";" }) { return nil }
            let isApart = first.point == "." && gap.contains { $0 != " " }
            if !isURI, !isApart, first.isBare, second.isBare { return nil }
            if isURI {
                while let next, next != " " { index += 1 }
            } else if let next, !" ,;.!)".unicodeScalars.contains(next) {
                return nil
            }
            return Self.coordinate(first, second)
        }

        private mutating func scanPrefix(_ prefix: String) -> Bool {
            guard scalars[index...].starts(with: prefix.unicodeScalars) else { return false }
            index += prefix.unicodeScalars.count
            return true
        }

        /// Scans what is between the two numbers.
        private mutating func scanGap() -> ArraySlice<Unicode.Scalar>? {
            let start = index
            while let next, " ,;".unicodeScalars.contains(next) { index += 1 }
            return index > start ? scalars[start..<index] : nil
        }

        private mutating func scanNumber() -> Number? {
            var letter = scanLetter()
            let isNegative = next == "-"
            let isSigned = isNegative || next == "+"
            if isSigned { index += 1 }
            if isNegative, letter != nil { return nil }
            let start = index
            while let next, Self.isDigit(next) { index += 1 }
            guard index > start, let point = next, point == "." || point == "," else { return nil }
            let whole = scalars[start..<index]
            index += 1
            let fractionStart = index
            while let next, Self.isDigit(next) { index += 1 }
            let fraction = scalars[fractionStart..<index]
            guard fraction.count >= fewestDecimals, whole.count + fraction.count <= mostDigits,
                let magnitude = Double(String(String.UnicodeScalarView(whole + ["."] + fraction)))
            else { return nil }
            if letter == nil, !isNegative { letter = scanLetterBehind() }
            return Number(
                value: isNegative ? -magnitude : magnitude, point: point, letter: letter, decimals: fraction.count,
                isSigned: isSigned)
        }

        /// Scans the letter of a hemisphere before a number.
        private mutating func scanLetter() -> Unicode.Scalar? {
            guard let next, "nsewo".unicodeScalars.contains(next) else { return nil }
            var after = index + 1
            while after < scalars.count, scalars[after] == " " { after += 1 }
            guard after < scalars.count, Self.isDigit(scalars[after]) else { return nil }
            index = after
            return next
        }

        /// Scans the letter of a hemisphere behind a number. It ends a word there: the "n" of "no" is none.
        private mutating func scanLetterBehind() -> Unicode.Scalar? {
            var at = index
            while at < scalars.count, scalars[at] == " " { at += 1 }
            guard at < scalars.count, "nsewo".unicodeScalars.contains(scalars[at]),
                at + 1 == scalars.count || " ,;.!)".unicodeScalars.contains(scalars[at + 1])
            else { return nil }
            index = at + 1
            return scalars[at]
        }

        /// Makes the place of two numbers. Their letters say which is the latitude; without letters the first one is.
        private static func coordinate(_ first: Number, _ second: Number) -> Coordinate? {
            var (latitude, longitude) = (first, second)
            if let letter = first.letter, !"ns".unicodeScalars.contains(letter) { swap(&latitude, &longitude) }
            switch (latitude.letter, longitude.letter) {
            case (nil, nil): break
            case (let north?, let east?):
                guard "ns".unicodeScalars.contains(north), "ewo".unicodeScalars.contains(east) else { return nil }
                if north == "s" { latitude.value.negate() }
                if east != "e" { longitude.value.negate() }
            default: return nil
            }
            return try? Coordinate(latitude: latitude.value, longitude: longitude.value)
        }
    }
}

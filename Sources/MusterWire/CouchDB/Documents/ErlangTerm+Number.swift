/// Numbers of JSON as Erlang's terms, by which CouchDB digests revisions.
extension ErlangTerm {
    /// The longest number that is converted, because the time grows with the square of the length. Longer ones are
    /// written as binaries, so CouchDB computes another revision for such a document.
    private static let digitLimit = 4_096

    /// Writes the JSON number at `place`.
    mutating func put(numberAt place: inout Int, in text: UnsafeRawBufferPointer) -> Bool {
        let start = place
        var isFloat = false
        var value: Int64 = 0
        var fits = true
        scan: while place < text.count {
            let byte = text[place]
            switch byte {
            case 0x30...0x39:
                let (tens, overflow) = value.multipliedReportingOverflow(by: 10)
                let (sum, carry) = tens.addingReportingOverflow(Int64(byte - 0x30))
                value = sum
                fits = fits && !overflow && !carry
            case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"): isFloat = true
            case UInt8(ascii: "-"), UInt8(ascii: "+"): break
            default: break scan
            }
            place += 1
        }
        let digits = text[start..<place]
        guard let first = digits.first, digits.count <= Self.digitLimit else {
            put(binary: digits)
            return !digits.isEmpty
        }
        let isNegative = first == UInt8(ascii: "-")
        if isFloat {
            guard let float = Double(String(decoding: digits, as: UTF8.self)) else { return false }
            put(float: float)
        } else if fits {
            put(integer: isNegative ? -value : value)
        } else {
            put(magnitude: Self.magnitude(isNegative ? digits.dropFirst() : digits), isNegative: isNegative)
        }
        return true
    }

    /// Converts decimal digits to the bytes of the number, the lowest first.
    private static func magnitude(_ digits: Slice<UnsafeRawBufferPointer>) -> [UInt8] {
        var words: [UInt32] = []
        for digit in digits {
            var carry = UInt64(digit &- 0x30)
            for index in words.indices {
                let product = UInt64(words[index]) * 10 + carry
                words[index] = UInt32(truncatingIfNeeded: product)
                carry = product >> 32
            }
            if carry > 0 { words.append(UInt32(carry)) }
        }
        var bytes = words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * UInt32($0))) } }
        while bytes.last == 0 { bytes.removeLast() }
        return bytes
    }
}

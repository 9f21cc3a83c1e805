/// String values of a GraphQL source: how they are read and printed (GraphQL October 2021, section 2.9.4).
enum GraphQLText {
    /// Reads an escape sequence that begins with the backslash at an offset.
    ///
    /// - Returns: the offset after the sequence.
    /// - Throws: `.escape` or `.unicodeEscape`; also for half of a surrogate pair.
    static func readEscape(
        _ bytes: UnsafeBufferPointer<UInt8>, at start: Int, into scalar: inout UInt32
    ) throws(GraphQLSyntaxFault) -> Int {
        guard start + 1 < bytes.count else { throw escapeFault(bytes, start, length: 2) }
        switch bytes[start + 1] {
        case UInt8(ascii: "\""): scalar = 0x22
        case UInt8(ascii: "\\"): scalar = 0x5C
        case UInt8(ascii: "/"): scalar = 0x2F
        case UInt8(ascii: "b"): scalar = 0x08
        case UInt8(ascii: "f"): scalar = 0x0C
        case UInt8(ascii: "n"): scalar = 0x0A
        case UInt8(ascii: "r"): scalar = 0x0D
        case UInt8(ascii: "t"): scalar = 0x09
        case UInt8(ascii: "u"):
            return start + 2 < bytes.count && bytes[start + 2] == UInt8(ascii: "{")
                ? try readBraced(bytes, at: start, into: &scalar) : try readFixed(bytes, at: start, into: &scalar)
        default: throw escapeFault(bytes, start, length: 2)
        }
        return start + 2
    }

    private static func readBraced(
        _ bytes: UnsafeBufferPointer<UInt8>, at start: Int, into scalar: inout UInt32
    ) throws(GraphQLSyntaxFault) -> Int {
        var value: UInt32 = 0
        var size = 3
        let limit = min(12, bytes.count - start)
        while size < limit {
            let byte = bytes[start + size]
            size += 1
            if byte == UInt8(ascii: "}") {
                guard size >= 5, Unicode.Scalar(value) != nil else { break }
                scalar = value
                return start + size
            }
            guard let digit = hexadecimal(byte), value <= UInt32.max >> 4 else { break }
            value = value << 4 | digit
        }
        throw unicodeFault(bytes, start, length: size)
    }

    private static func readFixed(
        _ bytes: UnsafeBufferPointer<UInt8>, at start: Int, into scalar: inout UInt32
    ) throws(GraphQLSyntaxFault) -> Int {
        guard let unit = unit(bytes, at: start + 2) else { throw unicodeFault(bytes, start, length: 6) }
        if Unicode.Scalar(unit) != nil {
            scalar = unit
            return start + 6
        }
        if unit < 0xDC00, start + 7 < bytes.count, bytes[start + 6] == UInt8(ascii: "\\"),
            bytes[start + 7] == UInt8(ascii: "u"), let second = self.unit(bytes, at: start + 8),
            (0xDC00...0xDFFF).contains(second)
        {
            scalar = 0x10000 + (unit - 0xD800) << 10 + (second - 0xDC00)
            return start + 12
        }
        throw unicodeFault(bytes, start, length: 6)
    }

    /// Four hexadecimal digits; nil when there are fewer.
    private static func unit(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> UInt32? {
        guard start + 4 <= bytes.count else { return nil }
        var value: UInt32 = 0
        for index in start..<(start + 4) {
            guard let digit = hexadecimal(bytes[index]) else { return nil }
            value = value << 4 | digit
        }
        return value
    }

    private static func hexadecimal(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a")) + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A")) + 10
        default: nil
        }
    }

    private static func escapeFault(
        _ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, length: Int
    ) -> GraphQLSyntaxFault {
        GraphQLSyntaxFault(offset: UInt32(start), reason: .escape(excerpt(bytes, start, length)))
    }

    private static func unicodeFault(
        _ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, length: Int
    ) -> GraphQLSyntaxFault {
        GraphQLSyntaxFault(offset: UInt32(start), reason: .unicodeEscape(excerpt(bytes, start, length)))
    }

    private static func excerpt(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ scalars: Int) -> String {
        let text = String(decoding: bytes[start..<min(start + scalars * 4, bytes.count)], as: UTF8.self)
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(scalars)))
    }

    /// Returns the value of a string token, whose quotation marks belong to `token`.
    static func value(of token: ArraySlice<UInt8>, isBlock: Bool) -> String {
        if isBlock { return blockValue(of: token.dropFirst(3).dropLast(3)) }
        let body = token.dropFirst().dropLast()
        guard body.contains(UInt8(ascii: "\\")) else { return String(decoding: body, as: UTF8.self) }
        return body.withUnsafeBufferPointer { bytes in
            var result = String.UnicodeScalarView()
            var (index, chunk) = (0, 0)
            func flush(_ end: Int) {
                result.append(contentsOf: String(decoding: bytes[chunk..<end], as: UTF8.self).unicodeScalars)
            }
            while index < bytes.count {
                guard bytes[index] == UInt8(ascii: "\\") else {
                    index += 1
                    continue
                }
                flush(index)
                var scalar: UInt32 = 0
                // The lexer has read the same escape before, so that it cannot be faulty here.
                guard let next = try? readEscape(bytes, at: index, into: &scalar) else { break }
                if let scalar = Unicode.Scalar(scalar) { result.append(scalar) }
                (index, chunk) = (next, next)
            }
            flush(bytes.count)
            return String(result)
        }
    }

    /// The specification's `BlockStringValue`: without the common indentation, and without blank lines at both ends.
    private static func blockValue(of body: ArraySlice<UInt8>) -> String {
        let lines = lines(of: body)
        var indentation = Int.max
        var (first, last) = (Int.max, -1)
        for (number, line) in lines.enumerated() {
            let blank = line.prefix { $0 == 0x20 || $0 == 0x09 }.count
            if blank == line.count { continue }
            first = min(first, number)
            last = number
            if number > 0 { indentation = min(indentation, blank) }
        }
        guard last >= 0 else { return "" }
        let kept = (first...last).map { number in
            number == 0 ? lines[number][...] : lines[number].dropFirst(indentation)
        }
        return String(decoding: Array(kept.joined(separator: [0x0A])), as: UTF8.self)
    }

    private static func lines(of body: ArraySlice<UInt8>) -> [[UInt8]] {
        var lines: [[UInt8]] = [[]]
        var index = body.startIndex
        let quotes = [UInt8](repeating: UInt8(ascii: "\""), count: 3)
        while index < body.endIndex {
            let byte = body[index]
            index += 1
            if byte == 0x0D || byte == 0x0A {
                if byte == 0x0D, index < body.endIndex, body[index] == 0x0A { index += 1 }
                lines.append([])
            } else if byte == UInt8(ascii: "\\"), body[index...].starts(with: quotes) {
                lines[lines.count - 1].append(contentsOf: quotes)
                index += 3
            } else {
                lines[lines.count - 1].append(byte)
            }
        }
        return lines
    }
}

/// Parses strings of JSON.
extension JSONReader {
    /// Reads the string whose opening quote is at `offset`, and checks its escapes, characters and encoding.
    mutating func scanString() throws(JSONError) -> JSONText {
        let start = offset + 1
        var isPlain = true
        var position = start
        while true {
            position = firstSpecial(from: position)
            guard position < bytes.count else {
                offset = bytes.count
                throw fault(.unexpectedEnd)
            }
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") {
                offset = position + 1
                return JSONText(UnsafeRawBufferPointer(rebasing: bytes[start..<position]), isPlain: isPlain)
            } else if byte == UInt8(ascii: "\\") {
                isPlain = false
                position += try lengthOfEscape(at: position)
            } else if byte < 0x20 {
                throw fault(.controlCharacter, at: position)
            } else {
                let length = bytes.lengthOfUTF8Sequence(at: position)
                guard length > 0 else { throw fault(.invalidUTF8, at: position) }
                position += length
            }
        }
    }

    /// Returns the place of the first byte from `position` on that is a quote, a backslash, a control character or not
    /// ASCII.
    ///
    /// It compares eight bytes at a time. A subtraction borrows into the top bit of a byte exactly when the byte was
    /// smaller, and a borrow can mislead only about bytes after the first hit.
    @inline(__always)
    private func firstSpecial(from position: Int) -> Int {
        var position = position
        while position + 8 <= bytes.count {
            let word = bytes.word(at: position)
            let quote = word ^ 0x2222_2222_2222_2222
            let backslash = word ^ 0x5C5C_5C5C_5C5C_5C5C
            let ones: UInt64 = 0x0101_0101_0101_0101
            let special =
                ((word &- 0x2020_2020_2020_2020) | (quote &- ones) | (backslash &- ones) | word)
                & 0x8080_8080_8080_8080
            if special != 0 { return position + special.trailingZeroBitCount / 8 }
            position += 8
        }
        while position < bytes.count {
            let byte = bytes[position]
            if byte == 0x22 || byte == 0x5C || byte < 0x20 || byte >= 0x80 { break }
            position += 1
        }
        return position
    }

    private func lengthOfEscape(at position: Int) throws(JSONError) -> Int {
        guard position + 1 < bytes.count else { throw fault(.unexpectedEnd, at: bytes.count) }
        guard bytes[position + 1] == UInt8(ascii: "u") else {
            guard Self.simpleEscape(bytes[position + 1]) != nil else { throw fault(.invalidEscape, at: position) }
            return 2
        }
        guard let first = bytes.hexadecimal(at: position + 2) else { throw fault(.invalidEscape, at: position) }
        guard first & 0xF800 == 0xD800 else { return 6 }
        guard first & 0xFC00 == 0xD800, position + 12 <= bytes.count,
            bytes[position + 6] == UInt8(ascii: "\\"), bytes[position + 7] == UInt8(ascii: "u"),
            let second = bytes.hexadecimal(at: position + 8), second & 0xFC00 == 0xDC00
        else { throw fault(.loneSurrogate, at: position) }
        return 12
    }

    /// Returns the byte that a letter after a backslash stands for; nil for any other letter, and for `u`.
    static func simpleEscape(_ letter: UInt8) -> UInt8? {
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): letter
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: nil
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Returns the length of the well-formed UTF-8 sequence at `position` (the Unicode Standard, table 3-7). Returns 0
    /// for an overlong form, a surrogate, and anything above U+10FFFF.
    func lengthOfUTF8Sequence(at position: Int) -> Int {
        let first = self[position]
        if first < 0x80 { return 1 }
        guard first >= 0xC2, first <= 0xF4 else { return 0 }
        let length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        guard position + length <= count else { return 0 }
        let second = self[position + 1]
        let lowest: UInt8 = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80
        let highest: UInt8 = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF
        guard second >= lowest, second <= highest else { return 0 }
        for index in position + 2..<position + length where self[index] & 0xC0 != 0x80 { return 0 }
        return length
    }
}

/// Turns an XML text into UTF-8 (XML 1.0, appendix F).
enum XMLEncoding {
    /// Returns the text in UTF-8, valid and without a byte order mark.
    ///
    /// It knows UTF-8, US-ASCII, ISO 8859-1 and UTF-16.
    ///
    /// - Throws: `XMLError` when the declared encoding is another, or the text does not fit it.
    static func utf8(_ bytes: UnsafeRawBufferPointer) throws(XMLError) -> [UInt8] {
        switch (bytes.first, bytes.dropFirst().first) {
        case (0xFE, 0xFF): return try utf16(bytes.dropFirst(2), isLittleEndian: false)
        case (0xFF, 0xFE): return try utf16(bytes.dropFirst(2), isLittleEndian: true)
        case (0, 0x3C): return try utf16(bytes[...], isLittleEndian: false)
        case (0x3C, 0): return try utf16(bytes[...], isLittleEndian: true)
        default: break
        }
        let mark = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        switch declared(bytes.dropFirst(mark)).lowercased() {
        case "utf-8", "utf8", "us-ascii", "ascii", "": break
        case "iso-8859-1", "latin1", "latin-1": return latin1(bytes)
        case let name: throw XMLError(line: 1, reason: .unknownEncoding(name))
        }
        try check(bytes)
        return Array(bytes.dropFirst(mark))
    }

    /// Returns the encoding that the XML declaration names; empty when it names none.
    private static func declared(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        guard bytes.starts(with: "<?xml".utf8), let end = bytes.prefix(256).firstIndex(of: UInt8(ascii: ">")) else {
            return ""
        }
        let declaration = String(decoding: bytes[..<end], as: UTF8.self)
        guard let name = declaration.firstRange(of: "encoding") else { return "" }
        let value = declaration[name.upperBound...].drop { $0 == " " || $0 == "=" }
        guard let quote = value.first, quote == "\"" || quote == "'" else { return "" }
        return String(value.dropFirst().prefix { $0 != quote })
    }

    private static func utf16(
        _ bytes: Slice<UnsafeRawBufferPointer>, isLittleEndian: Bool
    ) throws(XMLError) -> [UInt8] {
        var units: [UInt16] = []
        units.reserveCapacity(bytes.count / 2)
        var index = bytes.startIndex
        while index + 1 < bytes.endIndex {
            let pair = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            units.append(isLittleEndian ? pair.1 << 8 | pair.0 : pair.0 << 8 | pair.1)
            index += 2
        }
        var result: [UInt8] = []
        let isBroken = transcode(
            units.makeIterator(), from: UTF16.self, to: UTF8.self, stoppingOnError: true
        ) { result.append($0) }
        guard !isBroken, index == bytes.endIndex else {
            throw XMLError(line: 1, reason: .invalidText(encoding: "UTF-16"))
        }
        return result
    }

    /// Converts from ISO 8859-1, where every byte is the code point of the same number.
    private static func latin1(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + bytes.count / 8)
        for byte in bytes {
            if byte < 0x80 {
                result.append(byte)
            } else {
                result.append(0xC0 | byte >> 6)
                result.append(0x80 | byte & 0x3F)
            }
        }
        return result
    }

    private static func check(_ bytes: UnsafeRawBufferPointer) throws(XMLError) {
        var position = 0
        var line = 1
        while position < bytes.count {
            if bytes[position] == UInt8(ascii: "\n") { line += 1 }
            let length = bytes.lengthOfUTF8Sequence(at: position)
            guard length > 0 else { throw XMLError(line: line, reason: .invalidText(encoding: "UTF-8")) }
            position += length
        }
    }
}

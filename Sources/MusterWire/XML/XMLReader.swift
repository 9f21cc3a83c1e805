/// A pull parser for the elements and text of XML 1.0 in UTF-8.
///
/// The reader checks well-formedness, except that names may have any character beyond ASCII. It refuses a document
/// type, so the only entities are the five of XML and character numbers, and it expands and fetches nothing. It does
/// not resolve namespaces: `localName` is the part of a name after the colon.
///
/// - Important: The reader is valid only while the bytes are.
struct XMLReader {
    /// An event of the parser.
    enum Event: Hashable {
        /// An element begins; see `localName` and `attribute`. An empty element ends with the next event.
        case start
        /// The innermost open element ends.
        case end
        /// A piece of text; see `text`.
        case text
        /// The root element has ended, and nothing follows it.
        case finished
    }

    static let depthLimit = 32
    static let attributeLimit = 64

    private let bytes: UnsafeRawBufferPointer
    private var position = 0
    private var open: [Range<Int>] = []
    private var attributes: [(name: Range<Int>, value: Range<Int>)] = []
    private var piece: Range<Int> = 0..<0
    private var isPieceLiteral = false
    private var isEmptyElement = false
    private var hasRoot = false

    /// Creates a reader of a text in valid UTF-8; see `XMLEncoding`.
    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    mutating func next() throws(XMLError) -> Event {
        if isEmptyElement {
            isEmptyElement = false
            open.removeLast()
            return .end
        }
        while position < bytes.count {
            guard bytes[position] == UInt8(ascii: "<") else {
                if try scanText() { return .text }
                continue
            }
            switch byte(at: position + 1) {
            case UInt8(ascii: "/"): return try scanEndTag()
            case UInt8(ascii: "?"): try pass("?>", from: position + 2)
            case UInt8(ascii: "!"):
                if starts(with: "<!--") {
                    try pass("-->", from: position + 4)
                } else if starts(with: "<![CDATA[") {
                    guard !open.isEmpty else { throw fault(hasRoot ? .trailingContent : .noElement) }
                    let start = position + 9
                    try pass("]]>", from: start)
                    piece = start..<position - 3
                    isPieceLiteral = true
                    return .text
                } else if starts(with: "<!DOCTYPE") {
                    throw fault(.documentType)
                } else {
                    throw fault(.unexpectedByte(UInt8(ascii: "!")))
                }
            default: return try scanStartTag()
            }
        }
        guard open.isEmpty else { throw fault(.unexpectedEnd) }
        guard hasRoot else { throw fault(.noElement) }
        return .finished
    }

    /// The name of the element that has just begun, without its prefix.
    var localName: String { open.last.map { string(localPart(of: $0)) } ?? "" }

    /// Whether the element that has just begun has this name, its prefix aside.
    func isNamed(_ name: StaticString) -> Bool { open.last.map { holds(localPart(of: $0), name) } ?? false }

    /// Returns the value of an attribute of the element that has just begun; nil when it has no such attribute.
    func attribute(_ name: StaticString) throws(XMLError) -> String? {
        guard let found = attributes.first(where: { holds($0.name, name) }) else { return nil }
        return try resolved(found.value)
    }

    /// Returns the text of the last event, with references resolved.
    func text() throws(XMLError) -> String { isPieceLiteral ? string(piece) : try resolved(piece) }

    /// The range of the text of the last event, with references as they are written.
    var textRange: Range<Int> { piece }

    /// The place of the reader in the bytes.
    var place: Int { position }

    /// Creates a fault at a place; by default at the reader's place.
    ///
    /// - Complexity: O(place), to count the lines.
    func fault(_ reason: XMLError.Reason, at place: Int? = nil) -> XMLError {
        XMLError(line: line(at: place ?? position), reason: reason)
    }

    /// The line of the reader's place, from 1.
    var line: Int { line(at: position) }

    private func line(at place: Int) -> Int {
        1 + bytes.prefix(place).count { $0 == UInt8(ascii: "\n") }
    }

    // MARK: Tags

    private mutating func scanStartTag() throws(XMLError) -> Event {
        guard !(open.isEmpty && hasRoot) else { throw fault(.trailingContent) }
        guard open.count < Self.depthLimit else { throw fault(.tooDeep(limit: Self.depthLimit)) }
        position += 1
        open.append(try scanName())
        hasRoot = true
        attributes.removeAll(keepingCapacity: true)
        while true {
            let hasSpace = skipSpace()
            switch byte(at: position) {
            case UInt8(ascii: ">"):
                position += 1
                return .start
            case UInt8(ascii: "/"):
                position += 1
                try expect(UInt8(ascii: ">"))
                isEmptyElement = true
                return .start
            case nil: throw fault(.unexpectedEnd)
            case let other?:
                guard hasSpace else { throw fault(.unexpectedByte(other)) }
                try scanAttribute()
            }
        }
    }

    private mutating func scanAttribute() throws(XMLError) {
        guard attributes.count < Self.attributeLimit else {
            throw fault(.tooManyAttributes(limit: Self.attributeLimit))
        }
        let name = try scanName()
        for earlier in attributes where bytes[earlier.name].elementsEqual(bytes[name]) {
            throw fault(.duplicateAttribute(string(name)))
        }
        skipSpace()
        try expect(UInt8(ascii: "="))
        skipSpace()
        guard let quote = byte(at: position) else { throw fault(.unexpectedEnd) }
        guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { throw fault(.unexpectedByte(quote)) }
        position += 1
        let start = position
        while let next = byte(at: position), next != quote {
            guard next != UInt8(ascii: "<") else { throw fault(.unexpectedByte(next)) }
            try checkCharacter(next)
            position += 1
        }
        let value = start..<position
        try expect(quote)
        attributes.append((name, value))
    }

    private mutating func scanEndTag() throws(XMLError) -> Event {
        guard let expected = open.last else { throw fault(hasRoot ? .trailingContent : .noElement) }
        position += 2
        let found = try scanName()
        guard bytes[expected].elementsEqual(bytes[found]) else {
            throw fault(.mismatchedTag(expected: string(expected), found: string(found)))
        }
        skipSpace()
        try expect(UInt8(ascii: ">"))
        open.removeLast()
        return .end
    }

    private mutating func scanName() throws(XMLError) -> Range<Int> {
        let start = position
        while let next = byte(at: position), Self.isNameByte(next, isFirst: position == start) { position += 1 }
        guard position > start else {
            throw byte(at: position).map { fault(.unexpectedByte($0)) } ?? fault(.unexpectedEnd)
        }
        return start..<position
    }

    private static func isNameByte(_ byte: UInt8, isFirst: Bool) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
            UInt8(ascii: ":"), 0x80...:
            true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."): !isFirst
        default: false
        }
    }

    // MARK: Text

    /// Reads text up to the next tag.
    ///
    /// - Returns: whether the text is in an element. Outside of elements only white space is allowed, and the reader
    ///   ignores it.
    private mutating func scanText() throws(XMLError) -> Bool {
        let start = position
        var isBlank = true
        while let next = byte(at: position), next != UInt8(ascii: "<") {
            try checkCharacter(next)
            if next > 0x20 { isBlank = false }
            position += 1
        }
        piece = start..<position
        isPieceLiteral = false
        if open.isEmpty {
            guard isBlank else { throw fault(hasRoot ? .trailingContent : .noElement, at: start) }
            return false
        }
        return true
    }

    /// Returns the text of a range, with references resolved.
    private func resolved(_ range: Range<Int>) throws(XMLError) -> String {
        guard bytes[range].contains(UInt8(ascii: "&")) else { return string(range) }
        var result: [UInt8] = []
        var place = range.lowerBound
        while place < range.upperBound {
            guard bytes[place] == UInt8(ascii: "&") else {
                result.append(bytes[place])
                place += 1
                continue
            }
            // The longest useful reference is &#1114111;
            let end = bytes[place..<min(place + 12, range.upperBound)].firstIndex(of: UInt8(ascii: ";"))
            guard let end else { throw fault(.unknownEntity(""), at: place) }
            let name = string(place + 1..<end)
            guard let scalar = Self.scalar(named: name) else { throw fault(.unknownEntity(name), at: place) }
            result.append(contentsOf: String(scalar).utf8)
            place = end + 1
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func scalar(named name: String) -> Unicode.Scalar? {
        switch name {
        case "lt": return "<"
        case "gt": return ">"
        case "amp": return "&"
        case "quot": return "\""
        case "apos": return "'"
        default:
            guard name.hasPrefix("#") else { return nil }
            let isHexadecimal = name.hasPrefix("#x")
            let digits = name.dropFirst(isHexadecimal ? 2 : 1)
            guard digits.allSatisfy(\.isHexDigit), let number = UInt32(digits, radix: isHexadecimal ? 16 : 10),
                number >= 0x20 || number == 9 || number == 10 || number == 13, number & 0xFFFE != 0xFFFE
            else { return nil }
            return Unicode.Scalar(number)
        }
    }

    // MARK: Pieces

    private func byte(at place: Int) -> UInt8? { place < bytes.count ? bytes[place] : nil }

    private func string(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    private func localPart(of name: Range<Int>) -> Range<Int> {
        bytes[name].lastIndex(of: UInt8(ascii: ":")).map { $0 + 1..<name.upperBound } ?? name
    }

    private func holds(_ range: Range<Int>, _ word: StaticString) -> Bool {
        range.count == word.utf8CodeUnitCount
            && UnsafeRawBufferPointer(rebasing: bytes[range])
                .hasEqualBytes(UnsafeRawBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
    }

    private func starts(with word: StaticString) -> Bool {
        position + word.utf8CodeUnitCount <= bytes.count
            && holds(position..<position + word.utf8CodeUnitCount, word)
    }

    private func checkCharacter(_ byte: UInt8) throws(XMLError) {
        guard byte >= 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D else { throw fault(.invalidCharacter) }
    }

    @discardableResult
    private mutating func skipSpace() -> Bool {
        let start = position
        while let next = byte(at: position), next == 0x20 || next == 0x0A || next == 0x0D || next == 0x09 {
            position += 1
        }
        return position > start
    }

    private mutating func expect(_ wanted: UInt8) throws(XMLError) {
        guard let next = byte(at: position) else { throw fault(.unexpectedEnd) }
        guard next == wanted else { throw fault(.unexpectedByte(next)) }
        position += 1
    }

    /// Moves behind the next occurrence of `mark`.
    private mutating func pass(_ mark: StaticString, from start: Int) throws(XMLError) {
        let begin = position
        position = start
        while !starts(with: mark) {
            guard let next = byte(at: position) else { throw fault(.unexpectedEnd, at: begin) }
            try checkCharacter(next)
            position += 1
        }
        position += mark.utf8CodeUnitCount
    }
}

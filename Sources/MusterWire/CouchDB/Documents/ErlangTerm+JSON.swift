/// Encodes JSON as CouchDB's parser (jiffy) represents it in Erlang: an object is a tuple of one list of pairs, and a
/// string is a binary.
extension ErlangTerm {
    /// Writes the JSON text of one value, in one pass over the text.
    ///
    /// Numbers with a fraction or an exponent (`1.0`, `1e3`, `-0.0`) become floats, and all others integers of any
    /// size.
    ///
    /// - Parameter text: JSON without whitespace outside strings.
    /// - Returns: false if the text is malformed. Then the bytes written so far have no meaning.
    package mutating func put(json text: UnsafeRawBufferPointer) -> Bool {
        var place = 0
        return put(valueAt: &place, in: text, depth: 0) && place == text.count
    }

    /// The deepest nesting. The parsers that read the texts before accept less.
    private static let depthLimit = 1_000

    private mutating func put(valueAt place: inout Int, in text: UnsafeRawBufferPointer, depth: Int) -> Bool {
        guard place < text.count, depth < Self.depthLimit else { return false }
        switch text[place] {
        case UInt8(ascii: "{"): return put(objectAt: &place, in: text, depth: depth)
        case UInt8(ascii: "["): return put(arrayAt: &place, in: text, depth: depth)
        case UInt8(ascii: "\""): return put(stringAt: &place, in: text)
        case UInt8(ascii: "t"): return put(word: "true", at: &place, in: text)
        case UInt8(ascii: "f"): return put(word: "false", at: &place, in: text)
        case UInt8(ascii: "n"): return put(word: "null", at: &place, in: text)
        default: return put(numberAt: &place, in: text)
        }
    }

    private mutating func put(objectAt place: inout Int, in text: UnsafeRawBufferPointer, depth: Int) -> Bool {
        beginTuple(1)
        place += 1
        let start = bytes.count
        var count = 0
        guard let isEmpty = text.skip(UInt8(ascii: "}"), at: &place) else { return false }
        if isEmpty {
            endList()
            return true
        }
        beginList(0)
        while true {
            beginTuple(2)
            guard place < text.count, text[place] == UInt8(ascii: "\""), put(stringAt: &place, in: text),
                text.skip(UInt8(ascii: ":"), at: &place) == true,
                put(valueAt: &place, in: text, depth: depth + 1)
            else { return false }
            count += 1
            if text.skip(UInt8(ascii: ","), at: &place) == true { continue }
            guard text.skip(UInt8(ascii: "}"), at: &place) == true else { return false }
            setCount(count, ofListAt: start)
            endList()
            return true
        }
    }

    private mutating func put(arrayAt place: inout Int, in text: UnsafeRawBufferPointer, depth: Int) -> Bool {
        place += 1
        let start = bytes.count
        var count = 0
        var areBytes = true
        guard let isEmpty = text.skip(UInt8(ascii: "]"), at: &place) else { return false }
        if isEmpty {
            endList()
            return true
        }
        beginList(0)
        while true {
            let element = bytes.count
            guard put(valueAt: &place, in: text, depth: depth + 1) else { return false }
            areBytes = areBytes && bytes[element] == Tag.smallInteger
            count += 1
            if text.skip(UInt8(ascii: ","), at: &place) == true { continue }
            guard text.skip(UInt8(ascii: "]"), at: &place) == true else { return false }
            if areBytes, count <= UInt16.max {
                makeString(ofListAt: start, count: count)
            } else {
                setCount(count, ofListAt: start)
                endList()
            }
            return true
        }
    }

    private mutating func setCount(_ count: Int, ofListAt start: Int) {
        withUnsafeBytes(of: UInt32(clamping: count).bigEndian) { digits in
            for index in 0..<4 { bytes[start + 1 + index] = digits[index] }
        }
    }

    /// Rewrites a list whose elements are all bytes as a string, as Erlang does.
    private mutating func makeString(ofListAt start: Int, count: Int) {
        let values = (0..<count).map { bytes[start + 5 + 2 * $0 + 1] }
        bytes.removeSubrange(start...)
        bytes.append(Tag.string)
        put(big: UInt16(clamping: count))
        bytes.append(contentsOf: values)
    }

    private mutating func put(stringAt place: inout Int, in text: UnsafeRawBufferPointer) -> Bool {
        let start = place + 1
        var isPlain = true
        place = start
        while place < text.count {
            let byte = text[place]
            if byte == UInt8(ascii: "\"") {
                let content = UnsafeRawBufferPointer(rebasing: text[start..<place])
                place += 1
                if isPlain {
                    put(binary: content)
                } else {
                    put(binary: JSONText(content, isPlain: false).string.utf8)
                }
                return true
            }
            if byte == UInt8(ascii: "\\") {
                isPlain = false
                place += 1
            }
            place += 1
        }
        return false
    }

    private mutating func put(word: StaticString, at place: inout Int, in text: UnsafeRawBufferPointer) -> Bool {
        let end = place + word.utf8CodeUnitCount
        guard end <= text.count, text[place..<end].elementsEqual(word.withUTF8Buffer { Array($0) }) else {
            return false
        }
        place = end
        put(atom: word)
        return true
    }
}

extension UnsafeRawBufferPointer {
    /// Moves past a byte if it is the one at `place`.
    ///
    /// - Returns: whether it was there; nil at the end of the text.
    fileprivate func skip(_ byte: UInt8, at place: inout Int) -> Bool? {
        guard place < count else { return nil }
        guard self[place] == byte else { return false }
        place += 1
        return true
    }
}

/// RFC 6901 pointers, by which a fault names its value.
package enum JSONPointer {
    /// Appends one reference token to a pointer, escaped.
    package static func appending(_ key: String, to pointer: String) -> String {
        var result = pointer
        result.append("/")
        for character in key.unicodeScalars {
            switch character {
            case "~": result.append("~0")
            case "/": result.append("~1")
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }

    /// Appends an array index to a pointer.
    package static func appending(_ index: Int, to pointer: String) -> String { pointer + "/\(index)" }

    /// Returns the pointer of the value that begins at a byte offset, or that a reader was reading there.
    ///
    /// A reader keeps no path, so this walks the text once more up to the offset. A reader has accepted everything
    /// before `offset`.
    ///
    /// - Complexity: O(`offset`).
    static func path(to offset: Int, in bytes: UnsafeRawBufferPointer) -> String {
        var levels: [Level] = []
        var position = 0
        let end = min(offset, bytes.count)
        while position < end {
            switch bytes[position] {
            case UInt8(ascii: "{"): levels.append(.object(key: nil, awaitsKey: true))
            case UInt8(ascii: "["): levels.append(.array(index: 0))
            case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = levels.popLast()
            case UInt8(ascii: ","): levels.last.map { levels[levels.count - 1] = $0.next }
            case UInt8(ascii: "\""):
                let start = position
                position = endOfString(from: start, to: end, in: bytes)
                guard position < end else { break }
                if case .object(_, awaitsKey: true) = levels.last {
                    levels[levels.count - 1] = .object(key: start + 1..<position, awaitsKey: false)
                }
            default: break
            }
            position += 1
        }
        return levels.reduce(into: "") { pointer, level in
            switch level {
            case .array(let index): pointer = appending(index, to: pointer)
            case .object(let key?, _):
                let text = JSONText(UnsafeRawBufferPointer(rebasing: bytes[key]), isPlain: false)
                pointer = appending(text.string, to: pointer)
            case .object(nil, _): break
            }
        }
    }

    /// Returns the offset of the closing quote of the string that begins at `start`; `end` when there is none before
    /// it.
    private static func endOfString(from start: Int, to end: Int, in bytes: UnsafeRawBufferPointer) -> Int {
        var position = start + 1
        while position < end, bytes[position] != UInt8(ascii: "\"") {
            position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(position, end)
    }

    private enum Level {
        case array(index: Int)
        case object(key: Range<Int>?, awaitsKey: Bool)

        /// The same level after a comma.
        var next: Level {
            switch self {
            case .array(let index): .array(index: index + 1)
            case .object: .object(key: nil, awaitsKey: true)
            }
        }
    }
}

import MusterCoding
package import MusterCore
package import MusterWire

/// Pagination: one page of a list in the order of numbers, and the cursor of the next.
package struct Page<Element: Entity> {
    package let items: [Element]
    /// The cursor of the next page; nil on the last page.
    package let nextCursor: String?

    /// Makes the page after a cursor.
    ///
    /// - Throws: `Problem.invalid` for a cursor that no answer contained.
    package init(of elements: some Sequence<Element>, limit: Int, after cursor: String?) throws(Problem) {
        let last = try cursor.map(Self.number) ?? 0
        var items: [Element] = []
        var hasMore = false
        for element in elements where element.number.rawValue > last {
            if items.count == limit {
                hasMore = true
                break
            }
            items.append(element)
        }
        self.items = items
        nextCursor = hasMore ? items.last.map { Cursor.encode([Int64($0.number.rawValue)]) } : nil
    }

    private static func number(_ cursor: String) throws(Problem) -> Int32 {
        guard let numbers = Cursor.decode(cursor, count: 1), let number = Int32(exactly: numbers[0]) else {
            throw .invalid("?cursor", "is not a cursor from an answer")
        }
        return number
    }

    /// Writes `{"items":[…],"nextCursor":…}`.
    package func write(to writer: inout JSONWriter, _ write: (inout JSONWriter, Element) -> Void) {
        writer.beginObject()
        writer.member("items", listing: items, write)
        writer.member("nextCursor", nextCursor)
        writer.endObject()
    }
}

/// Cursors are opaque to clients. They are whole numbers in base64url.
package enum Cursor {
    package static func encode(_ numbers: [Int64]) -> String {
        Base64.encodeUnpadded(
            numbers.flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) } }, .forURLs)
    }

    /// Decodes numbers; nil when the text is not a cursor of this server.
    package static func decode(_ text: String, count: Int) -> [Int64]? {
        guard text.utf8.count < 200, let bytes = Base64.decodeUnpadded(text, .forURLs), bytes.count == count * 8 else {
            return nil
        }
        return (0..<count).map { index in
            bytes[index * 8..<index * 8 + 8].reduce(0) { $0 << 8 | Int64($1) }
        }
    }
}

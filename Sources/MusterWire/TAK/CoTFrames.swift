/// Cuts a stream of a TAK client into events: XML that ends with `</event>`, or messages of TAK's protocol 1, which
/// begin with a byte that no XML begins with.
package struct CoTFrames: Sendable {
    /// One event's bytes.
    package enum Frame: Hashable, Sendable {
        case xml([UInt8])
        /// The payload of a message of TAK's protocol 1.
        case message([UInt8])
    }

    private var bytes: [UInt8] = []
    /// How many of the bytes hold no end of an event.
    private var searched = 0

    private static let end = Array("</event>".utf8)

    package init() {}

    /// The number of bytes that wait for the rest of their event.
    package var waitingBytes: Int { bytes.count }

    package mutating func append(_ more: some Collection<UInt8>) { bytes.append(contentsOf: more) }

    /// Takes the next whole event; nil when more bytes must arrive first.
    ///
    /// - Throws: `CoTError.tooLarge`, after which the stream cannot be read further.
    package mutating func next() throws(CoTError) -> Frame? {
        skipSpace()
        guard let first = bytes.first else { return nil }
        return first == TAKMessage.magic ? try nextMessage() : try nextXML()
    }

    private mutating func skipSpace() {
        let blank = bytes.prefix { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 || $0 == 0 }.count
        if blank > 0 { drop(blank) }
    }

    private mutating func nextXML() throws(CoTError) -> Frame? {
        guard let end = endOfEvent() else {
            searched = bytes.count
            guard bytes.count <= CoTEvent.limitBytes else { throw .tooLarge }
            return nil
        }
        guard end <= CoTEvent.limitBytes else { throw .tooLarge }
        let frame = Array(bytes[..<end])
        drop(end)
        return .xml(frame)
    }

    /// The index behind the first end of an event; nil where there is none.
    private func endOfEvent() -> Int? {
        var place = max(0, searched - Self.end.count)
        while place + Self.end.count <= bytes.count {
            if bytes[place] == Self.end[0], bytes[place..<place + Self.end.count].elementsEqual(Self.end) {
                return place + Self.end.count
            }
            place += 1
        }
        return nil
    }

    private mutating func nextMessage() throws(CoTError) -> Frame? {
        var length = 0
        var place = 1
        while true {
            guard place < bytes.count else { return nil }
            guard place <= 3 else { throw .tooLarge }
            length |= Int(bytes[place] & 0x7F) << (7 * (place - 1))
            place += 1
            if bytes[place - 1] & 0x80 == 0 { break }
        }
        guard length <= CoTEvent.limitBytes else { throw .tooLarge }
        guard bytes.count >= place + length else { return nil }
        let frame = Array(bytes[place..<place + length])
        drop(place + length)
        return .message(frame)
    }

    private mutating func drop(_ count: Int) {
        bytes.removeFirst(count)
        searched = 0
    }
}

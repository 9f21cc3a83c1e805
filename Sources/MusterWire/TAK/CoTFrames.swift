/// Cuts a stream of a TAK client into events: XML that ends with `</event>`, or messages of TAK's protocol 1, which
/// begin with a byte that no XML begins with.
package struct CoTFrames: Sendable {
    /// One event's bytes.
    package enum Frame: Hashable, Sendable {
        case xml([UInt8])
        /// The payload of a message of TAK's protocol 1.
        case message([UInt8])
        /// An event of more than `CoTEvent.limitBytes`. Its bytes are left out, also those that arrive later.
        case tooLarge
    }

    private var bytes: [UInt8] = []
    /// Where the first byte is that has not been taken.
    private var start = 0
    /// The bytes from `start` to this index have been scanned, and hold no end of an event.
    private var searched = 0

    /// How far the scan has come in the XML of an event.
    private enum Scan: Hashable {
        /// The tag `<event` has not begun.
        case before
        /// In the tag, and in an attribute's value where there is a quote.
        case tag(quote: UInt8?)
        /// Behind the tag.
        case inside
    }

    private var scan = Scan.before

    /// What is left out of an event that is too large.
    private enum Skip: Hashable {
        case message(leftBytes: Int)
        case xml
    }

    private var skip: Skip?

    private static let begin = Array("<event".utf8)
    private static let end = Array("</event>".utf8)
    /// So many taken bytes may stay in front of those that wait.
    private static let takenLimitBytes = 4 << 10

    package init() {}

    /// The number of bytes that wait for the rest of their event.
    package var waitingBytes: Int { bytes.count - start }

    package mutating func append(_ more: some Collection<UInt8>) { bytes.append(contentsOf: more) }

    /// Takes the next whole event, or one that is too large as soon as that is known; nil when more bytes must arrive
    /// first.
    ///
    /// - Throws: `CoTError.tooLarge` for a message of 2 MiB or more, after which the stream cannot be read further.
    package mutating func next() throws(CoTError) -> Frame? {
        skipTooLarge()
        guard skip == nil else { return nil }
        skipSpace()
        guard start < bytes.count else { return nil }
        return bytes[start] == TAKMessage.magic ? try nextMessage() : nextXML()
    }

    private mutating func skipSpace() {
        let blank = bytes[start...].prefix { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 || $0 == 0 }.count
        if blank > 0 { drop(blank) }
    }

    /// Drops what has arrived of an event that is too large.
    private mutating func skipTooLarge() {
        switch skip {
        case .message(let left):
            let count = min(left, waitingBytes)
            drop(count)
            skip = count == left ? nil : .message(leftBytes: left - count)
        case .xml:
            if let end = endOfEvent() {
                drop(end - start)
                skip = nil
            } else if searched - start > 1 {
                // The scan goes on at the same byte. It also reads the byte before, so that one stays.
                let scan = scan
                drop(searched - start - 1)
                (self.scan, searched) = (scan, start + 1)
            }
        case nil: break
        }
    }

    private mutating func nextXML() -> Frame? {
        guard let end = endOfEvent() else {
            guard waitingBytes > CoTEvent.limitBytes else { return nil }
            skip = .xml
            skipTooLarge()
            return .tooLarge
        }
        defer { drop(end - start) }
        return end - start <= CoTEvent.limitBytes ? .xml(Array(bytes[start..<end])) : .tooLarge
    }

    /// The index behind the first end of an event, which is `</event>`, or `/>` where the event has no elements; nil
    /// where there is none.
    private mutating func endOfEvent() -> Int? {
        while searched < bytes.count {
            let byte = bytes[searched]
            switch scan {
            case .tag(let quote):
                // No value may hold this character, so a quote is missing: another event must not be lost by that.
                if byte == UInt8(ascii: "<") {
                    scan = .inside
                    continue
                }
                if byte == quote {
                    scan = .tag(quote: nil)
                } else if quote == nil, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                    scan = .tag(quote: byte)
                } else if quote == nil, byte == UInt8(ascii: ">") {
                    if bytes[searched - 1] == UInt8(ascii: "/") { return searched + 1 }
                    scan = .inside
                }
            case .before, .inside:
                if byte == UInt8(ascii: "<") {
                    guard bytes.count - searched >= Self.end.count else { return nil }
                    let rest = bytes[searched...]
                    if rest.starts(with: Self.end) { return searched + Self.end.count }
                    if scan == .before, rest.starts(with: Self.begin) { scan = .tag(quote: nil) }
                }
            }
            searched += 1
        }
        return nil
    }

    private mutating func nextMessage() throws(CoTError) -> Frame? {
        var length = 0
        var place = start + 1
        for shift in stride(from: 0, to: 21, by: 7) {
            guard place < bytes.count else { return nil }
            let byte = bytes[place]
            place += 1
            length |= Int(byte & 0x7F) << shift
            if byte & 0x80 == 0 {
                guard length <= CoTEvent.limitBytes else {
                    drop(place - start)
                    skip = .message(leftBytes: length)
                    skipTooLarge()
                    return .tooLarge
                }
                guard bytes.count >= place + length else { return nil }
                let frame = Array(bytes[place..<place + length])
                drop(place + length - start)
                return .message(frame)
            }
        }
        throw .tooLarge
    }

    /// Takes bytes. Those that wait move to the front only when they are fewer than the taken ones, so taking many
    /// small events costs no more than their bytes; a stream without waiting bytes holds no memory.
    private mutating func drop(_ count: Int) {
        start += count
        (searched, scan) = (start, .before)
        if start == bytes.count {
            (bytes, start, searched) = ([], 0, 0)
        } else if start > Self.takenLimitBytes, start > bytes.count / 2 {
            bytes.removeFirst(start)
            (start, searched) = (0, 0)
        }
    }
}

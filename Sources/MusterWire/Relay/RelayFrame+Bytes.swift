import MusterCoding

extension RelayFrame {
    /// The bytes of the frame, with their length. Names that are too long are cut.
    package var bytes: [UInt8] {
        var body: [UInt8] = [0, 0, kind]
        switch self {
        case .hello(let name, let key):
            body.append(Self.version)
            body.appendText(name, limit: Self.nameLimit)
            body.appendText(key, limit: Self.keyLimit)
        case .welcome(let terms):
            body.appendNumber(terms.windowBytes)
            body.appendNumber(terms.streams)
            body.appendNumber(terms.silenceSeconds)
        case .appeared(let peer):
            body.appendNumber(peer.number)
            body.appendText(peer.account, limit: Self.accountLimit)
            body.appendText(peer.name, limit: Self.nameLimit)
            body.appendText(peer.key, limit: Self.keyLimit)
        case .gone(let peer): body.appendNumber(peer)
        case .open(let stream, let peer):
            body.appendNumber(stream)
            body.appendNumber(peer)
        case .accept(let stream): body.appendNumber(stream)
        case .data(let stream, let bytes):
            body.reserveCapacity(7 + bytes.count)
            body.appendNumber(stream)
            body += bytes
        case .credit(let stream, let count):
            body.appendNumber(stream)
            body.appendNumber(count)
        case .close(let stream, let closing):
            body.appendNumber(stream)
            body.append(closing.rawValue)
        case .ping, .pong: break
        case .farewell(let farewell): body.append(farewell.rawValue)
        }
        let length = body.count - 2
        (body[0], body[1]) = (UInt8(truncatingIfNeeded: length >> 8), UInt8(truncatingIfNeeded: length))
        return body
    }

    private var kind: UInt8 {
        switch self {
        case .hello: 1
        case .welcome: 2
        case .appeared: 3
        case .gone: 4
        case .open: 5
        case .accept: 6
        case .data: 7
        case .credit: 8
        case .close: 9
        case .ping: 10
        case .pong: 11
        case .farewell: 12
        }
    }

    /// Reads the bytes behind the length.
    ///
    /// - Throws: `RelayError` for bytes that are no frame, and for a hello of another version.
    package init(_ body: ArraySlice<UInt8>) throws(RelayError) {
        var fields = RelayFields(rest: body.dropFirst())
        switch body.first {
        case 1:
            let version = try fields.number(UInt8.self)
            guard version == Self.version else { throw .version(version) }
            self = .hello(name: try fields.name(limit: Self.nameLimit), key: try fields.key())
        case 2:
            self = .welcome(
                RelayTerms(
                    windowBytes: try fields.number(), streams: try fields.number(),
                    silenceSeconds: try fields.number()))
        case 3:
            self = .appeared(
                RelayPeer(
                    number: try fields.number(), account: try fields.name(limit: Self.accountLimit),
                    name: try fields.name(limit: Self.nameLimit), key: try fields.key()))
        case 4: self = .gone(peer: try fields.number())
        case 5: self = .open(stream: try fields.number(), peer: try fields.number())
        case 6: self = .accept(stream: try fields.number())
        case 7:
            let stream = try fields.number(UInt32.self)
            guard (1...Self.dataLimit).contains(fields.rest.count) else { throw .malformed }
            self = .data(stream: stream, Array(fields.rest))
            return
        case 8:
            let (stream, count) = (try fields.number(UInt32.self), try fields.number(UInt32.self))
            guard count > 0 else { throw .malformed }
            self = .credit(stream: stream, bytes: count)
        case 9:
            let stream = try fields.number(UInt32.self)
            guard let closing = Closing(rawValue: try fields.number()) else { throw .malformed }
            self = .close(stream: stream, closing)
        case 10: self = .ping
        case 11: self = .pong
        case 12:
            guard let farewell = Farewell(rawValue: try fields.number()) else { throw .malformed }
            self = .farewell(farewell)
        default: throw .malformed
        }
        guard fields.rest.isEmpty else { throw .malformed }
    }

    /// Whether a name may be shown at a terminal: 1 to `nameLimit` bytes, without characters that control one.
    package static func isName(_ name: String, limit: Int = nameLimit) -> Bool {
        (1...limit).contains(name.utf8.count)
            && name.unicodeScalars.allSatisfy {
                ![.control, .format, .lineSeparator, .paragraphSeparator, .unassigned].contains(
                    $0.properties.generalCategory)
            }
    }
}

/// Reads the fields of a frame.
private struct RelayFields {
    var rest: ArraySlice<UInt8>

    mutating func number<Number: FixedWidthInteger>(_: Number.Type = Number.self) throws(RelayError) -> Number {
        let count = Number.bitWidth / 8
        guard rest.count >= count else { throw .malformed }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count).reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
    }

    private mutating func text() throws(RelayError) -> String {
        let count = Int(try number(UInt8.self))
        guard rest.count >= count else { throw .malformed }
        defer { rest = rest.dropFirst(count) }
        guard let text = String(utf8: rest.prefix(count)) else { throw .malformed }
        return text
    }

    mutating func name(limit: Int) throws(RelayError) -> String {
        let text = try text()
        guard RelayFrame.isName(text, limit: limit) else { throw .malformed }
        return text
    }

    mutating func key() throws(RelayError) -> String {
        let text = try text()
        guard (1...RelayFrame.keyLimit).contains(text.utf8.count),
            text.utf8.allSatisfy({ Hexadecimal.value(ofDigit: $0) != nil })
        else { throw .malformed }
        return text
    }
}

extension [UInt8] {
    fileprivate mutating func appendNumber(_ number: some FixedWidthInteger) {
        for shift in stride(from: number.bitWidth - 8, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    fileprivate mutating func appendText(_ text: String, limit: Int) {
        let bytes = text.utf8.prefix(limit)
        append(UInt8(bytes.count))
        append(contentsOf: bytes)
    }
}

/// Cuts the bytes of a connection into frames, however they arrive.
package struct RelayFrameReader: Sendable {
    private var buffer: [UInt8] = []
    private var start = 0

    /// Creates a reader that has no bytes.
    package init() {}

    /// Adds bytes that arrived.
    package mutating func append(_ bytes: some Sequence<UInt8>) {
        buffer.removeFirst(start)
        start = 0
        buffer.append(contentsOf: bytes)
    }

    /// Returns the next frame; nil until it has arrived completely. It keeps no more bytes than the caller appends.
    ///
    /// - Throws: `RelayError`. Nothing behind the faulty bytes can be read.
    package mutating func next() throws(RelayError) -> RelayFrame? {
        guard buffer.count - start >= 2 else { return nil }
        let length = Int(buffer[start]) << 8 | Int(buffer[start + 1])
        guard (1...RelayFrame.limitBytes).contains(length) else { throw .tooLong(length) }
        let end = start + 2 + length
        guard buffer.count >= end else { return nil }
        defer { start = end }
        return try RelayFrame(buffer[(start + 2)..<end])
    }
}

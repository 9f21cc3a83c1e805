/// Parses DNS messages.
extension DNSMessage {
    /// Reads a message. Bytes after its last record are ignored.
    ///
    /// The time it takes is at most proportional to the bytes, with a factor for names of pointers that `DNSReader`
    /// bounds.
    ///
    /// - Throws: `DNSError` for bytes that are no message, and for a message with one bad record.
    package init(decoding bytes: [UInt8]) throws(DNSError) {
        guard bytes.count <= Self.limitBytes else { throw .tooLong(bytes: bytes.count) }
        var reader = DNSReader(bytes)
        id = try reader.number16()
        let flags = try reader.number16()
        isResponse = flags & 0x8000 != 0
        isTruncated = flags & 0x0200 != 0
        operation = UInt8(flags >> 11 & 15)
        responseCode = UInt8(flags & 15)
        let counts = [
            try reader.number16(), try reader.number16(), try reader.number16(), try reader.number16(),
        ].map(Int.init)
        // Each takes bytes, so that the counts need no bound of their own.
        for _ in 0..<counts[0] { questions.append(try reader.question()) }
        for _ in 0..<counts[1] { answers.append(try reader.record()) }
        for _ in 0..<counts[2] { authorities.append(try reader.record()) }
        for _ in 0..<counts[3] { additionals.append(try reader.record()) }
    }
}

/// Reads the parts of a message, from its beginning to its end.
struct DNSReader {
    /// The most pointers in one name: one before each label, and a name has at most 127 labels.
    private static let limitPointers = 127

    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func number16() throws(DNSError) -> UInt16 {
        guard bytes.count - place >= 2 else { throw .cut(at: place) }
        defer { place += 2 }
        return UInt16(bytes[place]) << 8 | UInt16(bytes[place + 1])
    }

    private mutating func number32() throws(DNSError) -> UInt32 {
        UInt32(try number16()) << 16 | UInt32(try number16())
    }

    mutating func question() throws(DNSError) -> DNSQuestion {
        let name = try name()
        let type = RecordType(rawValue: try number16())
        let bits = try number16()
        return DNSQuestion(name, type, wantsUnicast: bits & 0x8000 != 0, questionClass: bits & 0x7FFF)
    }

    mutating func record() throws(DNSError) -> DNSRecord {
        let name = try name()
        let type = RecordType(rawValue: try number16())
        let bits = try number16()
        let seconds = try number32()
        let count = Int(try number16())
        guard bytes.count - place >= count else { throw .cut(at: place) }
        let start = place
        let data = try data(of: type, count: count)
        guard place == start + count else { throw .badData(at: start) }
        // A time with the highest bit set counts as zero (RFC 2181, section 8).
        return DNSRecord(
            name, data, timeToLive: seconds > UInt32(Int32.max) ? 0 : seconds, flushesCache: bits & 0x8000 != 0,
            recordClass: bits & 0x7FFF)
    }

    private mutating func data(of type: RecordType, count: Int) throws(DNSError) -> DNSRecordData {
        let (start, end) = (place, place + count)
        switch type {
        case .a, .aaaa:
            guard count == (type == .a ? 4 : 16), let address = HostAddress(bytes: bytes[start..<end]) else {
                throw .badData(at: start)
            }
            place = end
            return .address(address)
        case .ptr: return .pointer(try name())
        case .srv:
            guard count >= 7 else { throw .badData(at: start) }
            let (priority, weight, port) = (try number16(), try number16(), try number16())
            return .service(ServiceLocation(priority: priority, weight: weight, port: port, target: try name()))
        case .txt:
            while place < end { place += 1 + Int(bytes[place]) }
            guard place == end else { throw .badData(at: start) }
            // No strings are the same as one empty one (RFC 6763, section 6.1).
            return .text(count == 0 ? [0] : Array(bytes[start..<end]))
        case .nsec:
            let next = try name()
            return .present(try types(until: end), next: next)
        default:
            place = end
            return .unknown(type, Array(bytes[start..<end]))
        }
    }

    /// Reads the bit maps of a NSEC record (RFC 4034, section 4.1.2).
    private mutating func types(until end: Int) throws(DNSError) -> [RecordType] {
        var types: [RecordType] = []
        var expected = 0
        while place < end {
            guard end - place >= 2 else { throw .badData(at: place) }
            let (window, count) = (Int(bytes[place]), Int(bytes[place + 1]))
            guard window >= expected, (1...32).contains(count), end - place >= 2 + count else {
                throw .badData(at: place)
            }
            for bit in 0..<(count * 8) where bytes[place + 2 + bit / 8] & (0x80 >> UInt8(bit % 8)) != 0 {
                types.append(RecordType(rawValue: UInt16(window << 8 | bit)))
            }
            expected = window + 1
            place += 2 + count
        }
        return types
    }

    /// Reads a name. Each pointer has to point to before where the labels before it began, so that none is followed
    /// twice (RFC 1035, section 4.1.4).
    mutating func name() throws(DNSError) -> DNSName {
        let start = place
        var wire: [UInt8] = []
        var (reading, earliest, pointers) = (place, place, 0)
        var end: Int?
        while true {
            guard reading < bytes.count else { throw .cut(at: start) }
            let length = Int(bytes[reading])
            switch length >> 6 {
            case 0:
                guard bytes.count - reading > length else { throw .cut(at: start) }
                guard wire.count + 1 + length <= DNSName.limitBytes else { throw .badName(at: start) }
                wire += bytes[reading...(reading + length)]
                reading += 1 + length
                if length == 0 {
                    place = end ?? reading
                    return DNSName(wire: wire)
                }
            case 3:
                guard bytes.count - reading >= 2 else { throw .cut(at: start) }
                let target = (length & 0x3F) << 8 | Int(bytes[reading + 1])
                pointers += 1
                guard target < earliest, pointers <= Self.limitPointers else { throw .badPointer(at: start) }
                end = end ?? reading + 2
                (reading, earliest) = (target, target)
            default: throw .badName(at: start)
            }
        }
    }
}

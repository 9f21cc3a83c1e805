/// Serializes DNS messages.
extension DNSMessage {
    /// The message as bytes, with names compressed.
    ///
    /// - Parameter isLegacy: whether the receiver knows plain DNS only, which allows no compression in SRV records
    ///   (RFC 6762, section 18.14).
    package func encoded(isLegacy: Bool = false) -> [UInt8] {
        var writer = DNSWriter(message: self, compressesTargets: !isLegacy)
        for question in questions { writer.append(question) }
        for (section, records) in [(1, answers), (2, authorities), (3, additionals)] {
            for record in records { writer.append(record, section: section) }
        }
        return writer.message
    }
}

/// Writes the parts of a message. It can remove the last part if that does not fit.
struct DNSWriter {
    private(set) var bytes: [UInt8] = []
    private let compresses: Bool
    private let compressesTargets: Bool
    /// The offset at which each ending of a name was written. Names that differ in case count as different here.
    private var places: [ArraySlice<UInt8>: Int] = [:]
    private var counts: [UInt16] = [0, 0, 0, 0]

    init(compresses: Bool) {
        (self.compresses, compressesTargets) = (compresses, compresses)
    }

    /// Begins a message with the header of another one.
    init(message: DNSMessage, compressesTargets: Bool = true) {
        (compresses, self.compressesTargets) = (true, compressesTargets)
        append(message.id)
        append(message.flags)
        bytes += [UInt8](repeating: 0, count: 8)
    }

    /// The message so far, with its counts.
    var message: [UInt8] {
        var message = bytes
        for (section, count) in counts.enumerated() {
            message[4 + section * 2] = UInt8(count >> 8)
            message[5 + section * 2] = UInt8(truncatingIfNeeded: count)
        }
        return message
    }

    /// Sets the bit that tells receivers that the known answers continue in another message (TC, RFC 6762, section
    /// 7.2).
    mutating func setTruncated() { bytes[2] |= 0x02 }

    /// Whether nothing but the header was written.
    var isEmpty: Bool { counts == [0, 0, 0, 0] }

    mutating func append(_ question: DNSQuestion) {
        append(question.name)
        append(question.type.rawValue)
        append(question.questionClass | (question.wantsUnicast ? 0x8000 : 0))
        counts[0] += 1
    }

    mutating func append(_ record: DNSRecord, section: Int) {
        append(record.name)
        append(record.type.rawValue)
        append(record.recordClass | (record.flushesCache ? 0x8000 : 0))
        append(UInt16(record.timeToLive >> 16))
        append(UInt16(truncatingIfNeeded: record.timeToLive))
        let start = bytes.count
        append(0 as UInt16)
        append(record.data)
        let count = bytes.count - start - 2
        bytes[start] = UInt8(truncatingIfNeeded: count >> 8)
        bytes[start + 1] = UInt8(truncatingIfNeeded: count)
        counts[section] += 1
    }

    /// Writes something if the message has at most so many bytes with it; otherwise leaves it as it was.
    ///
    /// - Returns: whether it fitted.
    mutating func append(upTo limit: Int, _ write: (inout DNSWriter) -> Void) -> Bool {
        let (oldCount, oldCounts) = (bytes.count, counts)
        write(&self)
        guard bytes.count > limit else { return true }
        bytes.removeSubrange(oldCount...)
        counts = oldCounts
        places = places.filter { $0.value < oldCount }
        return false
    }

    mutating func append(_ data: DNSRecordData) {
        switch data {
        case .address(let address): bytes += address.bytes
        case .pointer(let name): append(name)
        case .service(let location):
            append(location.priority)
            append(location.weight)
            append(location.port)
            append(location.target, isCompressed: compressesTargets)
        case .text(let strings): bytes += strings
        case .present(let types, let next):
            // The name is not compressed, because some readers do not expect compression here.
            append(next, isCompressed: false)
            appendBitmaps(types)
        case .unknown(_, let data): bytes += data
        }
    }

    private mutating func appendBitmaps(_ types: [RecordType]) {
        let windows = Dictionary(grouping: Set(types)) { $0.rawValue >> 8 }
        for (window, types) in windows.sorted(by: { $0.key < $1.key }) {
            let numbers = types.map { Int($0.rawValue & 0xFF) }
            var bits = [UInt8](repeating: 0, count: (numbers.max() ?? 0) / 8 + 1)
            for number in numbers { bits[number / 8] |= 0x80 >> UInt8(number % 8) }
            bytes += [UInt8(window), UInt8(bits.count)] + bits
        }
    }

    private mutating func append(_ number: UInt16) {
        bytes += [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)]
    }

    /// Writes a name. A pointer has 14 bits, so names at offsets that it cannot express are not pointed to.
    private mutating func append(_ name: DNSName, isCompressed: Bool? = nil) {
        let wire = name.wire
        var place = 0
        while wire[place] != 0 {
            let ending = wire[place...]
            if isCompressed ?? compresses, let earlier = places[ending] {
                append(0xC000 | UInt16(earlier))
                return
            }
            if bytes.count < 0x4000 { places[ending] = bytes.count }
            let end = place + 1 + Int(wire[place])
            bytes += wire[place..<end]
            place = end
        }
        bytes.append(0)
    }
}

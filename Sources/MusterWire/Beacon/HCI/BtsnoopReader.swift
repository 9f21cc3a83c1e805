package import MusterCore

/// Reads a capture of the packets between a Bluetooth controller and its host, as `btmon -w`, Android and bumble write
/// it, piece by piece.
///
/// Source: RFC 1761, with Bluetooth's link types and a time that counts from the year 0; `btsnoop.h` of BlueZ for its
/// own link type.
package struct BtsnoopReader: Sendable {
    /// An event of the controller, with the time at which it was captured.
    package struct Record: Hashable, Sendable {
        package var time: Instant
        package var event: HCIEvent
    }

    private enum LinkType: UInt32 {
        /// Packets without their type, which is in the flags.
        case bare = 1001
        /// Packets as H4 has them.
        case typed = 1002
        /// BlueZ's monitor: the flags contain the kind of record.
        case monitor = 2001
    }

    private var buffer: [UInt8] = []
    private var start = 0
    private var link: LinkType?

    /// The number of packets that could not be read, and were passed over.
    package private(set) var malformedCount = 0

    private static let magic: [UInt8] = Array("btsnoop".utf8) + [0]
    private static let headerCount = 16
    private static let recordHeaderCount = 24
    /// The largest packet of a record: the largest packet of H4, with its type.
    private static let limitBytes: UInt32 = 65_540
    /// The microseconds from the year 0, which captures count from, to 1970.
    private static let epoch: UInt64 = 0x00DC_DDB3_0F2F_8000

    package init() {}

    /// Adds bytes of the file.
    package mutating func append(_ bytes: some Collection<UInt8>) { buffer.append(contentsOf: bytes) }

    /// Whether the bytes end before the end of the file's header.
    package var isWithinHeader: Bool { link == nil }

    /// Reads up to the next event of the controller; nil until more bytes are added.
    ///
    /// - Throws: `BtsnoopError`. The reader cannot be used after it.
    package mutating func next() throws(BtsnoopError) -> Record? {
        if link == nil, try !readHeader() { return nil }
        while let (time, flags, content) = try nextRecord() {
            guard let packet = packet(content, flags: flags) else { continue }
            guard let event = try? HCIEvent(packet) else {
                malformedCount += 1
                continue
            }
            return Record(time: time, event: event)
        }
        return nil
    }

    private mutating func readHeader() throws(BtsnoopError) -> Bool {
        guard buffer.starts(with: Self.magic.prefix(buffer.count)) else { throw .noCapture }
        guard buffer.count >= Self.headerCount else { return false }
        let type = number(at: 12)
        guard let known = LinkType(rawValue: type) else { throw .unknownLink(type) }
        link = known
        start = Self.headerCount
        return true
    }

    private mutating func nextRecord() throws(BtsnoopError) -> (Instant, flags: UInt32, ArraySlice<UInt8>)? {
        guard buffer.count - start >= Self.recordHeaderCount else {
            shrink()
            return nil
        }
        let length = number(at: start + 4)
        guard length <= Self.limitBytes else { throw .tooLong(bytes: length) }
        let bodyStart = start + Self.recordHeaderCount
        let end = bodyStart + Int(length)
        guard end <= buffer.count else {
            shrink()
            return nil
        }
        let flags = number(at: start + 8)
        let microseconds = UInt64(number(at: start + 16)) << 32 | UInt64(number(at: start + 20))
        let time = Int64(bitPattern: microseconds &- Self.epoch) / 1000
        start = end
        return (Instant(milliseconds: time), flags, buffer[bodyStart..<end])
    }

    /// Returns the content of a packet that is an event of the controller.
    private mutating func packet(_ content: ArraySlice<UInt8>, flags: UInt32) -> ArraySlice<UInt8>? {
        switch link {
        // Only packets from the controller that are events, not data.
        case .bare: return flags & 3 == 3 ? content : nil
        case .monitor: return flags & 0xFFFF == 3 ? content : nil
        case .typed:
            guard let packet = try? HCIPacket(whole: content) else {
                malformedCount += 1
                return nil
            }
            return packet.kind == .event ? packet.content : nil
        case nil: return nil
        }
    }

    private mutating func shrink() {
        buffer.removeFirst(start)
        start = 0
    }

    private func number(at place: Int) -> UInt32 {
        buffer[place..<(place + 4)].reduce(0) { $0 << 8 | UInt32($1) }
    }
}

/// The reason why a file is no capture of Bluetooth packets.
package enum BtsnoopError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file does not begin as captures do.
    case noCapture
    /// The file has packets of another kind.
    case unknownLink(UInt32)
    /// A record is longer than any packet.
    case tooLong(bytes: UInt32)

    /// One sentence without a full stop.
    package var description: String {
        switch self {
        case .noCapture: "it is not a btsnoop capture"
        case .unknownLink(let type): "it is a btsnoop capture of the link type \(type); 1001, 1002 and 2001 can be read"
        case .tooLong(let bytes): "it is damaged: a record claims \(bytes) bytes"
        }
    }
}

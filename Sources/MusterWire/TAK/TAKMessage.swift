import MusterCoding
import MusterCore

/// A message of TAK's protocol 1: an event of Cursor on Target in Protocol Buffers. In a stream, a byte and the length
/// come before it.
///
/// Source: the definitions of `takmessage.proto` and `cotevent.proto`, version 1, in ATAK's repository
/// (`commoncommo/core/impl/protobuf`).
package enum TAKMessage {
    /// The byte before each message.
    static let magic: UInt8 = 0xBF

    /// The numbers of the fields that are read and written.
    private enum Field {
        /// Of the message.
        static let event: UInt64 = 2
        /// Of the event.
        static let type: UInt64 = 1
        static let uid: UInt64 = 5
        static let sendTime: UInt64 = 6
        static let startTime: UInt64 = 7
        static let staleTime: UInt64 = 8
        static let how: UInt64 = 9
        static let latitude: UInt64 = 10
        static let longitude: UInt64 = 11
        static let height: UInt64 = 12
        static let circularError: UInt64 = 13
        static let linearError: UInt64 = 14
        static let detail: UInt64 = 15
        /// Of the detail.
        static let xml: UInt64 = 1
        static let contact: UInt64 = 2
        static let group: UInt64 = 3
        static let status: UInt64 = 5
        static let software: UInt64 = 6
        static let track: UInt64 = 7
    }

    /// Reads the event of a message.
    ///
    /// - Returns: nil where the message holds no event.
    /// - Throws: `CoTError` for bytes that are no message, or no event.
    package static func event(in payload: [UInt8]) throws(CoTError) -> CoTEvent? {
        guard payload.count <= CoTEvent.limitBytes else { throw .tooLarge }
        var reader = ProtobufReader(payload[...])
        var event: CoTEvent?
        while let field = try reader.next() {
            if field.number == Field.event { event = try Self.event(of: field.bytes()) }
        }
        return event
    }

    private static func event(of bytes: ArraySlice<UInt8>) throws(CoTError) -> CoTEvent {
        var reader = ProtobufReader(bytes)
        var (uid, type, how) = ("", "", "")
        var (time, stale): (UInt64?, UInt64?)
        var (latitude, longitude) = (0.0, 0.0)
        var (height, error): (Double?, Double?)
        var detailBytes: ArraySlice<UInt8>?
        while let field = try reader.next() {
            switch field.number {
            case Field.type: type = try field.text()
            case Field.uid: uid = try field.text()
            case Field.how: how = try field.text()
            case Field.sendTime: time = try field.integer()
            case Field.staleTime: stale = try field.integer()
            case Field.latitude: latitude = try field.double()
            case Field.longitude: longitude = try field.double()
            case Field.height: height = try field.double()
            case Field.circularError: error = try field.double()
            case Field.detail: detailBytes = try field.bytes()
            default: continue
            }
        }
        guard !uid.isEmpty else { throw .missing("uid") }
        guard !type.isEmpty else { throw .missing("type") }
        guard type.utf8.count <= CoTEvent.uidLimitBytes else { throw .invalid("type") }
        // A call for help counts without a time, a place, and details that can be read, and by any UID.
        let isAlert = type.hasPrefix(CoTEvent.alerts)
        guard isAlert || uid.utf8.count <= CoTEvent.uidLimitBytes else { throw .invalid("uid") }
        guard let time = instant(time) ?? (isAlert ? CoTEvent.unknownTime : nil) else { throw .invalid("time") }
        guard let stale = instant(stale) ?? (isAlert ? CoTEvent.unknownTime : nil) else { throw .invalid("stale") }
        var detail = CoTEvent.Detail()
        do throws(CoTError) {
            if let detailBytes { detail = try Self.detail(of: detailBytes) }
        } catch {
            if !isAlert { throw error }
        }
        var point: CoTEvent.Point?
        do throws(CoTError) {
            point = try CoTEvent.Point(latitude, longitude, height: finite(height), error: finite(error))
        } catch {
            if !isAlert { throw error }
        }
        return CoTEvent(
            uid: uid, type: type, how: CoTReader.cut(how), time: time, stale: stale, point: point, detail: detail)
    }

    private static func detail(of bytes: ArraySlice<UInt8>) throws(CoTError) -> CoTEvent.Detail {
        var reader = ProtobufReader(bytes)
        var detail = CoTEvent.Detail()
        var (contact, status, track): (ArraySlice<UInt8>?, ArraySlice<UInt8>?, ArraySlice<UInt8>?)
        var isOfSender = false
        while let field = try reader.next() {
            switch field.number {
            case Field.xml: detail = try CoTReader.detail(in: try field.text())
            case Field.contact: contact = try field.bytes()
            case Field.status: status = try field.bytes()
            case Field.track: track = try field.bytes()
            case Field.group, Field.software: isOfSender = true
            default: continue
            }
        }
        if isOfSender { detail.isOfSender = true }
        if let contact {
            var reader = ProtobufReader(contact)
            while let field = try reader.next() {
                if field.number == 2 { detail.callsign = CoTReader.cut(try field.text()) }
            }
        }
        if let status {
            var reader = ProtobufReader(status)
            while let field = try reader.next() {
                if field.number == 1 { detail.battery = Double(try field.integer()) }
            }
        }
        if let track {
            var reader = ProtobufReader(track)
            while let field = try reader.next() {
                if field.number == 1 { detail.speed = finite(try field.double()) }
                if field.number == 2 { detail.course = finite(try field.double()) }
            }
        }
        return detail
    }

    private static func finite(_ number: Double?) -> Double? { number.flatMap { $0.isFinite ? $0 : nil } }

    private static func instant(_ milliseconds: UInt64?) -> Instant? {
        guard let milliseconds, milliseconds <= UInt64(Instant.latestInternetTime.milliseconds) else { return nil }
        return Instant(milliseconds: Int64(milliseconds))
    }

    /// The bytes of an event in a stream of TAK's protocol 1.
    static func bytes(of message: CoTMessage) -> [UInt8] {
        var detail = ProtobufWriter()
        detail.add(Field.xml, message.detail.text)
        var event = ProtobufWriter()
        event.add(Field.type, message.type)
        event.add(Field.uid, message.uid)
        event.add(Field.sendTime, milliseconds(message.time))
        event.add(Field.startTime, milliseconds(message.start))
        event.add(Field.staleTime, milliseconds(message.stale))
        event.add(Field.how, message.how)
        event.add(Field.latitude, message.latitude)
        event.add(Field.longitude, message.longitude)
        event.add(Field.height, message.shownHeight)
        event.add(Field.circularError, message.shownError)
        event.add(Field.linearError, CoTEvent.unknown)
        event.add(Field.detail, detail.bytes)
        var whole = ProtobufWriter()
        whole.add(Field.event, event.bytes)
        var framed = ProtobufWriter()
        framed.addByte(magic)
        framed.addVarint(UInt64(whole.bytes.count))
        return framed.bytes + whole.bytes
    }

    private static func milliseconds(_ instant: Instant) -> UInt64 { UInt64(max(0, instant.milliseconds)) }
}

extension CoTMessage {
    /// The event as a message of TAK's protocol 1, with what comes before it in a stream.
    package var message: [UInt8] { TAKMessage.bytes(of: self) }
}

/// Reads the fields of a message in Protocol Buffers, one after the other.
private struct ProtobufReader {
    private let bytes: ArraySlice<UInt8>
    private var place: Int

    /// One field. What it holds is read only where the caller wants it, so that fields of other kinds can be skipped.
    struct Field {
        enum Content {
            case integer(UInt64)
            case fixed(UInt64)
            case bytes(ArraySlice<UInt8>)
        }

        let number: UInt64
        let content: Content

        func integer() throws(CoTError) -> UInt64 {
            guard case .integer(let number) = content else { throw .notAMessage }
            return number
        }

        func double() throws(CoTError) -> Double {
            guard case .fixed(let bits) = content else { throw .notAMessage }
            return Double(bitPattern: bits)
        }

        func bytes() throws(CoTError) -> ArraySlice<UInt8> {
            guard case .bytes(let bytes) = content else { throw .notAMessage }
            return bytes
        }

        func text() throws(CoTError) -> String {
            guard let text = String(utf8: try bytes()) else { throw .notAMessage }
            return text
        }
    }

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        place = bytes.startIndex
    }

    /// The next field; nil at the end.
    mutating func next() throws(CoTError) -> Field? {
        guard place < bytes.endIndex else { return nil }
        let tag = try varint()
        let number = tag >> 3
        switch tag & 7 {
        case 0: return Field(number: number, content: .integer(try varint()))
        case 1: return Field(number: number, content: .fixed(try fixed(8)))
        case 2:
            let length = try varint()
            guard length <= UInt64(bytes.endIndex - place) else { throw .notAMessage }
            let end = place + Int(length)
            defer { place = end }
            return Field(number: number, content: .bytes(bytes[place..<end]))
        case 5: return Field(number: number, content: .fixed(try fixed(4)))
        default: throw .notAMessage
        }
    }

    private mutating func varint() throws(CoTError) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard place < bytes.endIndex else { throw .notAMessage }
            let byte = bytes[place]
            place += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return value }
        }
        throw .notAMessage
    }

    private mutating func fixed(_ count: Int) throws(CoTError) -> UInt64 {
        guard bytes.endIndex - place >= count else { throw .notAMessage }
        defer { place += count }
        return bytes[place..<place + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// Writes the fields of a message in Protocol Buffers.
private struct ProtobufWriter {
    private(set) var bytes: [UInt8] = []

    mutating func addByte(_ byte: UInt8) { bytes.append(byte) }

    mutating func addVarint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func add(_ field: UInt64, _ value: UInt64) {
        addVarint(field << 3)
        addVarint(value)
    }

    mutating func add(_ field: UInt64, _ value: Double) {
        addVarint(field << 3 | 1)
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: value.bitPattern >> shift))
        }
    }

    mutating func add(_ field: UInt64, _ value: [UInt8]) {
        addVarint(field << 3 | 2)
        addVarint(UInt64(value.count))
        bytes += value
    }

    mutating func add(_ field: UInt64, _ value: String) { add(field, Array(value.utf8)) }
}

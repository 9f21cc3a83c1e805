package import MusterCore
import MusterGeometry

/// Reads the positions that devices report: one object, an array of objects, or an object on each line.
///
/// The decoder reads a request as a whole or not at all, and reports all of its faults. It ignores unknown keys, so
/// that a newer client can talk to an older server. A known key with a value of the wrong type or out of range is a
/// fault. `null` stands for an absent value where the value is optional.
///
/// An accuracy of 0 becomes unknown, and a heading of 360 becomes 0.
package struct PositionDecoder {
    /// The formats of a request.
    package enum Form: Hashable, Sendable {
        /// `application/json`: an object, or an array of objects.
        case json
        /// `application/x-ndjson`: an object on each line; empty lines are ignored.
        case lines
    }

    /// The limits of a request.
    package struct Limits: Hashable, Sendable {
        /// The largest number of positions.
        package var positions = 1000
        /// The longest attributes of one position, in bytes of JSON.
        package var attributeBytes = 4096
        /// The longest reference to a device: two names of 64 bytes and a slash.
        package var deviceBytes = 129
        /// The largest number of faults that are listed.
        package var faults = 100

        /// Creates the default limits.
        package init() {}
    }

    private let receivedAt: Instant
    private let source: Position.Source
    private let limits: Limits
    private var faults: [JSONError] = []
    private var hasMoreFaults = false
    private var names = NameTable()
    private var items: [ReportedPositions.Item] = []
    /// The offset of the line that is being read, to add to offsets within it.
    private var lineStart = 0

    /// Reads the positions of one request.
    ///
    /// - Parameters:
    ///   - bytes: the body; read only during the call.
    ///   - receivedAt: the received time of every position.
    /// - Throws: every fault, in order, up to `limits.faults`. A fault in the syntax ends the reading of the body, or
    ///   of its line.
    /// - Complexity: O(bytes).
    package static func decode(
        _ bytes: UnsafeRawBufferPointer, as form: Form = .json, receivedAt: Instant,
        source: Position.Source = .native, limits: Limits = Limits()
    ) throws(JSONFaults) -> ReportedPositions {
        var decoder = PositionDecoder(receivedAt: receivedAt, source: source, limits: limits)
        switch form {
        case .json: decoder.readJSON(bytes)
        case .lines: decoder.readLines(bytes)
        }
        guard decoder.faults.isEmpty else {
            throw JSONFaults(decoder.faults, hasMore: decoder.hasMoreFaults)
        }
        return ReportedPositions(deviceNames: decoder.names.names, items: decoder.items)
    }

    private init(receivedAt: Instant, source: Position.Source, limits: Limits) {
        self.receivedAt = receivedAt
        self.source = source
        self.limits = limits
    }

    // MARK: The forms

    private mutating func readJSON(_ bytes: UnsafeRawBufferPointer) {
        var reader = JSONReader(bytes)
        do {
            if try reader.peek() == .array {
                // A position is seldom shorter than 100 bytes.
                items.reserveCapacity(min(limits.positions, bytes.count / 100))
                try reader.beginArray()
                var index = 0
                while try reader.nextElement() {
                    guard index < limits.positions else {
                        return record(
                            JSONError(
                                pointer: "", offset: reader.offset, reason: .tooMany(limit: limits.positions)))
                    }
                    try readObject(&reader, index: index)
                    index += 1
                }
            } else {
                try readObject(&reader, index: nil)
            }
            try reader.finish()
        } catch {
            record(error)
        }
    }

    private mutating func readLines(_ bytes: UnsafeRawBufferPointer) {
        var index = 0
        while lineStart < bytes.count {
            let end = bytes[lineStart...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            let line = UnsafeRawBufferPointer(rebasing: bytes[lineStart..<end])
            if !line.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) {
                guard index < limits.positions else {
                    return record(JSONError(pointer: "", offset: 0, reason: .tooMany(limit: limits.positions)))
                }
                readLine(line, index: index)
                index += 1
            }
            lineStart = end + 1
        }
    }

    private mutating func readLine(_ line: UnsafeRawBufferPointer, index: Int) {
        var reader = JSONReader(line)
        do {
            try readObject(&reader, index: index)
            try reader.finish()
        } catch {
            record(JSONError(pointer: "/\(index)" + error.pointer, offset: error.offset, reason: error.reason))
        }
    }

    // MARK: One position

    /// The parts of one position read so far.
    private struct Draft {
        var seen = PositionFieldSet()
        var deviceIndex: Int?
        var latitude = 0.0
        var longitude = 0.0
        var sampleTime = Instant(milliseconds: 0)
        var accuracy: Double?
        var accuracyMeaning = AccuracyMeaning.radius68
        var altitude: Double?
        var speed: Double?
        var heading: Double?
        var battery: Double?
        var attributes: String?
    }

    private mutating func readObject(_ reader: inout JSONReader, index: Int?) throws(JSONError) {
        let kind = try reader.peek()
        let start = reader.offset
        let faultsBefore = faults.count
        guard kind == .object else {
            record(.wrongType(expected: .object, found: kind), nil, of: index, at: start)
            return _ = try reader.skip()
        }
        var draft = Draft()
        try reader.beginObject()
        while let key = try reader.nextKey() {
            guard let field = PositionField.named(key) else {
                try reader.skip()
                continue
            }
            if draft.seen.insert(field) {
                try read(field, into: &draft, from: &reader, index: index)
            } else {
                record(.duplicateKey, field, of: index, at: reader.offset)
                try reader.skip()
            }
        }
        for field in [PositionField.latitude, .longitude, .sampleTime] where !draft.seen.contains(field) {
            record(.missing, field, of: index, at: start)
        }
        guard faults.count == faultsBefore, !hasMoreFaults else { return }
        items.append(.init(deviceIndex: draft.deviceIndex, position: position(of: draft)))
    }

    private func position(of draft: Draft) -> Position {
        Position(
            coordinate: Coordinate(validLatitude: draft.latitude, longitude: draft.longitude),
            sampleTime: draft.sampleTime, receivedTime: receivedAt,
            accuracy: draft.accuracy.flatMap { $0 > 0 ? Metres(draft.accuracyMeaning.radius68(ofMetres: $0)) : nil },
            altitude: draft.altitude.map { Metres($0) }, speed: draft.speed,
            heading: draft.heading == 360 ? 0 : draft.heading, battery: draft.battery, source: source,
            attributes: draft.attributes)
    }

    private mutating func read(
        _ field: PositionField, into draft: inout Draft, from reader: inout JSONReader, index: Int?
    ) throws(JSONError) {
        switch field {
        case .device:
            guard let name = try text(field, from: &reader, index: index) else { return }
            guard name.bytes.count <= limits.deviceBytes else {
                return record(.tooLong(limitBytes: limits.deviceBytes), field, of: index, at: reader.offset)
            }
            draft.deviceIndex = names.number(of: name)
        case .latitude: draft.latitude = try number(field, from: &reader, index: index) ?? 0
        case .longitude: draft.longitude = try number(field, from: &reader, index: index) ?? 0
        case .sampleTime:
            guard let time = try text(field, from: &reader, index: index) else { return }
            do {
                draft.sampleTime = try Instant(rfc3339: time)
            } catch {
                record(.time(error), field, of: index, at: reader.offset)
            }
        case .accuracy: draft.accuracy = try number(field, from: &reader, index: index)
        case .altitude: draft.altitude = try number(field, from: &reader, index: index)
        case .speed: draft.speed = try number(field, from: &reader, index: index)
        case .heading: draft.heading = try number(field, from: &reader, index: index)
        case .battery: draft.battery = try number(field, from: &reader, index: index)
        case .attributes: draft.attributes = try attributes(from: &reader, index: index)
        case .accuracyPercent:
            let start = reader.offset
            switch try number(field, from: &reader, index: index) {
            case nil, 68: break
            case 95: draft.accuracyMeaning = .radius95
            default: record(.invalid("must be 68 or 95"), field, of: index, at: start)
            }
        }
    }

    // MARK: Values

    private mutating func number(
        _ field: PositionField, from reader: inout JSONReader, index: Int?
    ) throws(JSONError) -> Double? {
        guard try isPresent(field, as: .number, from: &reader, index: index) else { return nil }
        let start = reader.offset
        let value = try reader.scanDecimal().double
        let range = field.range
        guard range.contains(value) else {
            record(.outOfRange(lowest: range.lowerBound, highest: range.upperBound), field, of: index, at: start)
            return nil
        }
        return value
    }

    private mutating func text(
        _ field: PositionField, from reader: inout JSONReader, index: Int?
    ) throws(JSONError) -> JSONText? {
        guard try isPresent(field, as: .string, from: &reader, index: index) else { return nil }
        return try reader.scanString()
    }

    private mutating func attributes(from reader: inout JSONReader, index: Int?) throws(JSONError) -> String? {
        guard try isPresent(.attributes, as: .object, from: &reader, index: index) else { return nil }
        let start = reader.offset
        let text = try reader.skip()
        guard text.count <= limits.attributeBytes else {
            record(.tooLong(limitBytes: limits.attributeBytes), .attributes, of: index, at: start)
            return nil
        }
        return String(onOneLine: text)
    }

    /// Whether a value of the right kind comes next. The decoder records a value of another kind as a fault and skips
    /// it. It skips a null too, which is a fault only where the value is required.
    @inline(__always)
    private mutating func isPresent(
        _ field: PositionField, as kind: JSONKind, from reader: inout JSONReader, index: Int?
    ) throws(JSONError) -> Bool {
        let found = try reader.peek()
        if found == kind { return true }
        let isRequired = field == .latitude || field == .longitude || field == .sampleTime
        if found != .null || isRequired {
            record(.wrongType(expected: kind, found: found), field, of: index, at: reader.offset)
        }
        try reader.skip()
        return false
    }

    // MARK: Faults

    @inline(never)
    private mutating func record(_ reason: JSONError.Reason, _ field: PositionField?, of index: Int?, at offset: Int) {
        let position = index.map { "/\($0)" } ?? ""
        record(
            JSONError(
                pointer: field.map { "\(position)/\($0.name)" } ?? position, offset: offset, reason: reason))
    }

    @inline(never)
    private mutating func record(_ fault: JSONError) {
        guard faults.count < limits.faults else { return hasMoreFaults = true }
        var fault = fault
        fault.offset += lineStart
        faults.append(fault)
    }
}

extension Instant {
    /// Reads an RFC 3339 time from a JSON string.
    package init(rfc3339 text: JSONText) throws(InstantError) {
        if text.isPlain {
            try self.init(rfc3339: text.bytes)
        } else {
            try self.init(rfc3339: text.string)
        }
    }
}

extension String {
    /// Puts JSON text that the reader has checked on one line. A line break in it can only be white space between
    /// values, and would break newline-delimited JSON and event streams.
    init(onOneLine text: UnsafeRawBufferPointer) {
        if text.contains(where: { $0 < 0x20 }) {
            self.init(decoding: text.lazy.map { $0 < 0x20 ? 0x20 : $0 }, as: UTF8.self)
        } else {
            self.init(decoding: text, as: UTF8.self)
        }
    }
}

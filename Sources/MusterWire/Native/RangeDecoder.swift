package import MusterCore

/// A range as a device reports it: the peer is named by its tag.
package struct ReportedRange: Hashable, Sendable {
    /// The name of the device that measured; nil when the caller's credential determines the device.
    package var deviceName: String?
    /// The tag by which the device knows its peer.
    package var tag: RangeTag
    package var sampleTime: Instant
    package var metres: Double
    package var deviationMetres: Double
    package var source: PeerRange.Source
}

/// The ranges of one request.
package struct ReportedRanges: Hashable, Sendable {
    /// The ranges, in the order of the request.
    package var items: [ReportedRange]
    /// Whether the body is one object and no array.
    package var isSingle: Bool
}

/// Reads the native form of ranges: one object, or an array of up to `limit`:
/// `{"device":…,"peer":…,"sampleTime":…,"metres":…,"deviationMetres":…,"source":…}`.
package struct RangeDecoder {
    /// The largest number of ranges in one request.
    package static let limit = 500
    private static let faultLimit = 100
    private static let names = ["device", "peer", "sampleTime", "metres", "deviationMetres", "source"]

    private var faults: [BodyFaults.Fault] = []

    private init() {}

    /// Decodes a body.
    ///
    /// - Throws: `JSONError` for text that is not JSON, and `BodyFaults` with the faults of the body. The whole body is
    ///   then rejected.
    package static func decode(_ bytes: UnsafeRawBufferPointer) throws -> ReportedRanges {
        let body = try JSONValue(parsing: bytes, depthLimit: 3, valueLimit: limit * (names.count + 2))
        var decoder = RangeDecoder()
        let elements = body.elements ?? [body]
        guard elements.count <= limit else {
            throw BodyFaults(faults: [.init(pointer: "", words: "has more than \(limit) elements")])
        }
        let isSingle = body.elements == nil
        let items = elements.enumerated().compactMap { decoder.range($1, at: isSingle ? "" : "/\($0)") }
        guard decoder.faults.isEmpty else { throw BodyFaults(faults: decoder.faults) }
        return ReportedRanges(items: items, isSingle: isSingle)
    }

    private mutating func range(_ item: JSONValue, at path: String) -> ReportedRange? {
        guard let members = item.members else { return reject(path, "must be an object") }
        for member in members where !Self.names.contains(member.key) {
            record(JSONPointer.appending(member.key, to: path), "is unknown")
        }
        if item["device"].map({ $0.string == nil }) ?? false { record("\(path)/device", "must be a string") }
        let tag = read(item["peer"]?.string.flatMap { RangeTag($0) }, "\(path)/peer", "must be 32 hexadecimal digits")
        let time = read(
            item["sampleTime"]?.string.flatMap { try? Instant(rfc3339: $0) }, "\(path)/sampleTime",
            "must be a time in RFC 3339")
        let limits = PeerRange.metresLimits
        let metres = read(
            item["metres"]?.number.flatMap { limits.contains($0) ? $0 : nil }, "\(path)/metres",
            "must be a number from 0 to \(JSONWriter.text(limits.upperBound))")
        let deviation = read(
            item["deviationMetres"]?.number.flatMap { $0 > 0 && $0 <= PeerRange.deviationLimit ? $0 : nil },
            "\(path)/deviationMetres",
            "must be a number above 0, at most \(JSONWriter.text(PeerRange.deviationLimit))")
        let source = read(
            PeerRange.Source.allCases.first { $0.wireName.description == item["source"]?.string }, "\(path)/source",
            "must be one of " + PeerRange.Source.allCases.map(\.wireName.description).joined(separator: ", "))
        guard let tag, let time, let metres, let deviation, let source else { return nil }
        return ReportedRange(
            deviceName: item["device"]?.string, tag: tag, sampleTime: time, metres: metres, deviationMetres: deviation,
            source: source)
    }

    /// Returns a value that was read, or records that it is missing or wrong.
    private mutating func read<Value>(_ value: Value?, _ pointer: String, _ words: String) -> Value? {
        if value == nil { record(pointer, words) }
        return value
    }

    /// Records a fault, and returns nil.
    private mutating func reject<Value>(_ pointer: String, _ words: String) -> Value? {
        record(pointer, words)
        return nil
    }

    private mutating func record(_ pointer: String, _ words: String) {
        if faults.count < Self.faultLimit { faults.append(BodyFaults.Fault(pointer: pointer, words: words)) }
    }
}

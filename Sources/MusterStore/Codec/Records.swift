import MusterCore
import MusterDocuments

/// The optional fields that a record has, and its flags.
private struct RecordFields: OptionSet {
    let rawValue: UInt8
    static let evaluated = RecordFields(rawValue: 1)
    static let heard = RecordFields(rawValue: 2)
    static let located = RecordFields(rawValue: 4)
    static let storedBefore = RecordFields(rawValue: 8)
    static let watch = RecordFields(rawValue: 16)
    static let hasStood = RecordFields(rawValue: 32)
    static let isClockKnown = RecordFields(rawValue: 64)
    static let memory = RecordFields(rawValue: 128)
    static let all = RecordFields(rawValue: 255)
}

extension ByteWriter {
    mutating func put(_ record: DeviceRecord) {
        var fields: RecordFields = []
        if record.evaluated != nil { fields.insert(.evaluated) }
        if record.heard != nil { fields.insert(.heard) }
        if record.located != nil { fields.insert(.located) }
        if record.storedBefore != nil { fields.insert(.storedBefore) }
        if record.watch != nil { fields.insert(.watch) }
        if record.hasStood { fields.insert(.hasStood) }
        if record.isClockKnown { fields.insert(.isClockKnown) }
        if record.memory != BeaconMemory() { fields.insert(.memory) }
        put(byte: fields.rawValue)
        if let evaluated = record.evaluated { put(instant: evaluated) }
        if let heard = record.heard { put(instant: heard) }
        if let located = record.located { put(located) }
        if let stored = record.storedBefore { put(stored) }
        if let watch = record.watch {
            put(varint: UInt64(watch.count))
            for number in watch { put(signed: number) }
        }
        put(fixed: UInt64(record.intervalSeconds.bitPattern))
        put(varint: UInt64(record.seeming.count))
        for region in record.seeming { put(number: region.rawValue) }
        let words = record.track.words
        put(varint: UInt64(words.count))
        for word in words { put(fixed: word) }
        if fields.contains(.memory) { put(record.memory) }
        put(varint: UInt64(record.shelterEvidence.rawValue))
    }
}

extension ByteReader {
    /// Reads a record. If another version wrote its track, the track is empty, and the engine builds it anew from the
    /// recent positions.
    mutating func deviceRecord() throws(CodecError) -> DeviceRecord {
        let fields = RecordFields(rawValue: try byte())
        guard RecordFields.all.isSuperset(of: fields) else { throw .malformed(offset: offset) }
        let evaluated: Instant? = fields.contains(.evaluated) ? try instant() : nil
        let heard: Instant? = fields.contains(.heard) ? try instant() : nil
        let located: Position? = fields.contains(.located) ? try position() : nil
        let stored: Position? = fields.contains(.storedBefore) ? try position() : nil
        var watch: [Int64]?
        if fields.contains(.watch) {
            var numbers: [Int64] = []
            for _ in 0..<(try count(minimumBytes: 1)) { numbers.append(try signed()) }
            watch = numbers
        }
        let interval = Float(bitPattern: UInt32(truncatingIfNeeded: try fixed()))
        var seeming: [RegionNumber] = []
        for _ in 0..<(try count(minimumBytes: 1)) { seeming.append(RegionNumber(try number())) }
        var words: [UInt64] = []
        for _ in 0..<(try count(minimumBytes: 8)) { words.append(try fixed()) }
        let memory = fields.contains(.memory) ? try beaconMemory() : BeaconMemory()
        // A record of an earlier version ends here.
        let evidence = isAtEnd ? .outside : ShelterEvidence(rawValue: UInt16(truncatingIfNeeded: try varint()))
        guard let evidence else { throw .malformed(offset: offset) }
        return DeviceRecord(
            evaluated: evaluated, heard: heard, located: located, storedBefore: stored,
            track: ConfidentTrack(words: words) ?? ConfidentTrack(), intervalSeconds: interval,
            hasStood: fields.contains(.hasStood), isClockKnown: fields.contains(.isClockKnown), watch: watch,
            seeming: seeming, memory: memory, shelterEvidence: evidence)
    }
}

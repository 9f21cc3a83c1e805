import MusterCore
import MusterDocuments

/// The stored bytes of beacons, beacon areas and beacon tracks.
extension ByteWriter {
    /// Returns what `body` writes.
    static func bytes(_ body: (inout ByteWriter) -> Void) -> [UInt8] {
        var writer = ByteWriter()
        body(&writer)
        return writer.bytes
    }

    mutating func put(_ beacon: Beacon) {
        put(fixed: beacon.uuid.high)
        put(fixed: beacon.uuid.low)
        put(varint: UInt64(beacon.major))
        put(varint: UInt64(beacon.minor))
    }

    mutating func put(_ area: BeaconArea) {
        switch area.source {
        case .beacons(let uuid, let major, let minor):
            put(byte: 0)
            put(fixed: uuid.high)
            put(fixed: uuid.low)
            // 0 stands for any number.
            put(varint: major.map { UInt64($0) + 1 } ?? 0)
            put(varint: minor.map { UInt64($0) + 1 } ?? 0)
        case .scanner(let device):
            put(byte: 1)
            put(number: device.rawValue)
        }
        put(byte: area.reach.rawValue)
        put(byte: area.isRoom ? 1 : 0)
    }

    mutating func put(_ memory: BeaconMemory) {
        let fields: [Bool] = [
            memory.listened != nil, memory.challenger != nil, memory.ownFix != nil, memory.resumed != nil,
        ]
        put(byte: fields.enumerated().reduce(0) { $0 | ($1.element ? 1 << UInt8($1.offset) : 0) })
        if let listened = memory.listened { put(instant: listened) }
        if let challenger = memory.challenger {
            put(number: challenger.region.rawValue)
            put(instant: challenger.since)
        }
        if let fix = memory.ownFix { put(fix) }
        if let resumed = memory.resumed { put(instant: resumed) }
        put(varint: UInt64(memory.tracks.count))
        for track in memory.tracks {
            put(number: track.region.rawValue)
            put(number: track.listener.rawValue)
            put(signed: track.heard)
            put(signed: track.arrival)
            put(varint: UInt64(track.signal.bitPattern))
            put(varint: UInt64(track.hits.count))
            for hit in track.hits { put(signed: hit) }
        }
    }
}

extension ByteReader {
    mutating func beacon() throws(CodecError) -> Beacon {
        let uuid = BeaconUUID(high: try fixed(), low: try fixed())
        return Beacon(uuid: uuid, major: try sixteenBits(try varint()), minor: try sixteenBits(try varint()))
    }

    mutating func beaconArea() throws(CodecError) -> BeaconArea {
        let source: BeaconArea.Source
        switch try byte() {
        case 0:
            let uuid = BeaconUUID(high: try fixed(), low: try fixed())
            source = .beacons(uuid, major: try anyOrNumber(), minor: try anyOrNumber())
        case 1: source = .scanner(DeviceNumber(try number()))
        default: throw .malformed(offset: offset)
        }
        guard let reach = BeaconArea.Reach(rawValue: try byte()) else { throw .malformed(offset: offset) }
        return BeaconArea(source, reach: reach, isRoom: try byte() == 1)
    }

    mutating func beaconMemory() throws(CodecError) -> BeaconMemory {
        let fields = try byte()
        guard fields < 16 else { throw .malformed(offset: offset) }
        var memory = BeaconMemory()
        if fields & 1 != 0 { memory.listened = try instant() }
        if fields & 2 != 0 {
            let region = RegionNumber(try number())
            memory.challenger = BeaconMemory.Challenger(region: region, since: try instant())
        }
        if fields & 4 != 0 { memory.ownFix = try position() }
        if fields & 8 != 0 { memory.resumed = try instant() }
        for _ in 0..<(try count(minimumBytes: 6)) {
            let (region, listener) = (RegionNumber(try number()), DeviceNumber(try number()))
            let (heard, arrival) = (try signed(), try signed())
            guard let bits = UInt32(exactly: try varint()) else { throw .malformed(offset: offset) }
            var hits: [Int64] = []
            for _ in 0..<(try count(minimumBytes: 1)) { hits.append(try signed()) }
            memory.tracks.append(
                BeaconTrack(
                    region: region, listener: listener, hits: hits, heard: heard, signal: Float(bitPattern: bits),
                    arrival: arrival))
        }
        return memory
    }

    private func sixteenBits(_ number: UInt64) throws(CodecError) -> UInt16 {
        guard let number = UInt16(exactly: number) else { throw .malformed(offset: offset) }
        return number
    }

    private mutating func anyOrNumber() throws(CodecError) -> UInt16? {
        let number = try varint()
        return number == 0 ? nil : try sixteenBits(number - 1)
    }
}

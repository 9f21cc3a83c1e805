import MusterCore
import MusterDocuments
import MusterGeometry

/// Reads values that `ByteWriter+Values` wrote.
extension ByteReader {
    mutating func decimal() throws(CodecError) -> Double {
        let value = try varint()
        guard value & 1 == 0 else {
            guard value == 1 else { throw .malformed(offset: offset) }
            return try exactDouble()
        }
        return Double(Int64(zigzag: value >> 1)) / 1000
    }

    mutating func instant() throws(CodecError) -> Instant { Instant(milliseconds: try signed()) }

    mutating func coordinate() throws(CodecError) -> Coordinate {
        let latitude = try exactDouble()
        let longitude = try exactDouble()
        do {
            return try Coordinate(latitude: latitude, longitude: longitude)
        } catch {
            throw .malformed(offset: offset)
        }
    }

    mutating func position() throws(CodecError) -> Position {
        let sampleTime = try instant()
        let coordinate = try coordinate()
        let delay = try signed()
        guard let source = Position.Source(rawValue: try byte()) else { throw .malformed(offset: offset) }
        var position = Position(
            coordinate: coordinate, sampleTime: sampleTime,
            receivedTime: Instant(milliseconds: sampleTime.milliseconds &+ delay), source: source)
        let fields = PositionFields(rawValue: try byte())
        guard PositionFields.all.isSuperset(of: fields) else { throw .malformed(offset: offset) }
        if fields.contains(.accuracy) { position.accuracy = Metres(try decimal()) }
        if fields.contains(.altitude) { position.altitude = Metres(try decimal()) }
        if fields.contains(.speed) { position.speed = try decimal() }
        if fields.contains(.heading) { position.heading = try decimal() }
        if fields.contains(.battery) { position.battery = try decimal() }
        if fields.contains(.attributes) { position.attributes = try text() }
        if fields.contains(.reporter) { position.reporter = UserNumber(try number()) }
        return position
    }

    mutating func sighting() throws(CodecError) -> Sighting {
        let sampleTime = try instant()
        let high = try fixed()
        let uuid = BeaconUUID(high: high, low: try fixed())
        guard let major = UInt16(exactly: try varint()), let minor = UInt16(exactly: try varint()) else {
            throw .malformed(offset: offset)
        }
        let delay = try signed()
        let fields = try byte()
        guard fields <= 3, let proximity = Sighting.Proximity(rawValue: try byte()) else {
            throw .malformed(offset: offset)
        }
        return Sighting(
            of: Beacon(uuid: uuid, major: major, minor: minor), sampleTime: sampleTime,
            receivedTime: Instant(milliseconds: sampleTime.milliseconds &+ delay),
            distance: fields & 1 == 0 ? nil : Metres(try decimal()),
            signalStrength: fields & 2 == 0 ? nil : try decimal(), proximity: proximity)
    }

    mutating func noteName() throws(CodecError) -> DeviceNote.Name {
        guard let kind = DeviceNote.Kind(rawValue: try byte()) else { throw .malformed(offset: offset) }
        return DeviceNote.Name(kind, key: try text())
    }

    mutating func directoryEntry() throws(CodecError) -> DirectoryEntry {
        let kind = try byte()
        let number = try number()
        switch kind {
        case 0: return .user(UserNumber(number))
        case 1: return .team(TeamNumber(number))
        case 2: return .device(DeviceNumber(number))
        case 3: return .tracker(TrackerNumber(number))
        case 4: return .collection(CollectionNumber(number))
        case 5: return .rule(RuleNumber(number))
        case 6: return .target(TargetNumber(number))
        case 7: return .database(DatabaseNumber(number))
        case 8: return .crew(CrewNumber(number))
        default: throw .malformed(offset: offset)
        }
    }

    mutating func shape() throws(CodecError) -> Shape {
        switch try byte() {
        case 0: return .polygon(try polygon())
        case 1:
            let count = try count(minimumBytes: 2)
            var polygons: [Polygon] = []
            polygons.reserveCapacity(count)
            for _ in 0..<count { polygons.append(try polygon()) }
            return .multiPolygon(polygons)
        case 2:
            let centre = try coordinate()
            return .circle(Circle(centre: centre, radius: Metres(try exactDouble())))
        default: throw .malformed(offset: offset)
        }
    }

    private mutating func polygon() throws(CodecError) -> Polygon {
        let holes = try count(minimumBytes: 1)
        let exterior = try ring()
        var polygon = Polygon(exterior: exterior)
        polygon.holes.reserveCapacity(holes)
        for _ in 0..<holes { polygon.holes.append(try ring()) }
        return polygon
    }

    private mutating func ring() throws(CodecError) -> [Coordinate] {
        let count = try count(minimumBytes: 16)
        var ring: [Coordinate] = []
        ring.reserveCapacity(count)
        for _ in 0..<count { ring.append(try coordinate()) }
        return ring
    }
}

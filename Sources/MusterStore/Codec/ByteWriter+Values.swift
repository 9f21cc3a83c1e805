import MusterCore
import MusterDocuments
import MusterGeometry

/// The optional fields of a position that follow in its encoding.
struct PositionFields: OptionSet {
    let rawValue: UInt8
    static let accuracy = PositionFields(rawValue: 1)
    static let altitude = PositionFields(rawValue: 2)
    static let speed = PositionFields(rawValue: 4)
    static let heading = PositionFields(rawValue: 8)
    static let battery = PositionFields(rawValue: 16)
    static let attributes = PositionFields(rawValue: 32)
    static let reporter = PositionFields(rawValue: 64)
    static let all = PositionFields(rawValue: 127)

    init(rawValue: UInt8) { self.rawValue = rawValue }

    init(of position: Position) {
        var fields: PositionFields = []
        if position.accuracy != nil { fields.insert(.accuracy) }
        if position.altitude != nil { fields.insert(.altitude) }
        if position.speed != nil { fields.insert(.speed) }
        if position.heading != nil { fields.insert(.heading) }
        if position.battery != nil { fields.insert(.battery) }
        if position.attributes != nil { fields.insert(.attributes) }
        if position.reporter != nil { fields.insert(.reporter) }
        self = fields
    }
}

extension ByteWriter {
    /// Writes a Double exactly. One with at most three decimals takes fewer bytes.
    mutating func put(decimal value: Double) {
        if let thousandths = value.exactThousandths {
            put(varint: thousandths.zigzag << 1)
        } else {
            put(varint: 1)
            put(exact: value)
        }
    }

    mutating func put(instant: Instant) { put(signed: instant.milliseconds) }

    mutating func put(coordinate: Coordinate) {
        put(exact: coordinate.latitude)
        put(exact: coordinate.longitude)
    }

    /// Writes the sample time and the coordinate first, so that a reader that needs only the key can stop there.
    mutating func put(_ position: Position) {
        put(instant: position.sampleTime)
        put(coordinate: position.coordinate)
        put(signed: position.receivedTime.milliseconds &- position.sampleTime.milliseconds)
        put(byte: position.source.rawValue)
        put(byte: PositionFields(of: position).rawValue)
        if let accuracy = position.accuracy { put(decimal: accuracy.value) }
        if let altitude = position.altitude { put(decimal: altitude.value) }
        if let speed = position.speed { put(decimal: speed) }
        if let heading = position.heading { put(decimal: heading) }
        if let battery = position.battery { put(decimal: battery) }
        if let attributes = position.attributes { put(text: attributes) }
        if let reporter = position.reporter { put(number: reporter.rawValue) }
    }

    mutating func put(_ sighting: Sighting) {
        put(instant: sighting.sampleTime)
        put(fixed: sighting.beacon.uuid.high)
        put(fixed: sighting.beacon.uuid.low)
        put(varint: UInt64(sighting.beacon.major))
        put(varint: UInt64(sighting.beacon.minor))
        put(signed: sighting.receivedTime.milliseconds &- sighting.sampleTime.milliseconds)
        put(byte: (sighting.distance == nil ? 0 : 1) | (sighting.signalStrength == nil ? 0 : 2))
        put(byte: sighting.proximity.rawValue)
        if let distance = sighting.distance { put(decimal: distance.value) }
        if let signalStrength = sighting.signalStrength { put(decimal: signalStrength) }
    }

    mutating func put(_ name: DeviceNote.Name) {
        put(byte: name.kind.rawValue)
        put(text: name.key)
    }

    mutating func put(_ entry: DirectoryEntry) {
        let (kind, number): (UInt8, Int32) =
            switch entry {
            case .user(let number): (0, number.rawValue)
            case .team(let number): (1, number.rawValue)
            case .device(let number): (2, number.rawValue)
            case .tracker(let number): (3, number.rawValue)
            case .collection(let number): (4, number.rawValue)
            case .rule(let number): (5, number.rawValue)
            case .target(let number): (6, number.rawValue)
            case .database(let number): (7, number.rawValue)
            case .crew(let number): (8, number.rawValue)
            }
        put(byte: kind)
        put(number: number)
    }

    mutating func put(_ shape: Shape) {
        switch shape {
        case .polygon(let polygon):
            put(byte: 0)
            put(polygon)
        case .multiPolygon(let polygons):
            put(byte: 1)
            put(varint: UInt64(polygons.count))
            for polygon in polygons { put(polygon) }
        case .circle(let circle):
            put(byte: 2)
            put(coordinate: circle.centre)
            put(exact: circle.radius.value)
        }
    }

    private mutating func put(_ polygon: Polygon) {
        put(varint: UInt64(polygon.holes.count))
        for ring in [polygon.exterior] + polygon.holes {
            put(varint: UInt64(ring.count))
            for coordinate in ring { put(coordinate: coordinate) }
        }
    }
}

extension Double {
    /// The number of thousandths, if its quotient by 1000 has the same bits as this number; nil otherwise.
    var exactThousandths: Int64? {
        guard abs(self) < 1e12 else { return nil }
        let thousandths = Int64((self * 1000).rounded())
        return (Double(thousandths) / 1000).bitPattern == bitPattern ? thousandths : nil
    }
}

import MusterGeometry

/// A geometry as it is written: rings of positions, not yet validated as a shape.
enum GeometryDraft: Hashable {
    case polygon([[RawVertex]])
    case multiPolygon([[[RawVertex]]])
    case point(RawVertex)

    /// Whether its coordinates have a level for polygons.
    var isMultiple: Bool { if case .multiPolygon = self { true } else { false } }
}

extension RegionReader {
    /// Reads the value of `geometry`. Records a fault and returns nil when it is no geometry that a region can have.
    mutating func readGeometry(_ reader: inout JSONReader) throws(JSONError) -> GeometryDraft? {
        guard try expects(.object, at: "/geometry", from: &reader) else { return nil }
        var type: GeometryType?
        var keys: Set<String> = []
        var geometry: GeometryDraft?
        /// The coordinates when they came before the type.
        var waiting: UnsafeRawBufferPointer?
        try reader.beginObject()
        while let key = try reader.nextKey() {
            let name = key.string
            guard keys.insert(name).inserted else {
                record(.duplicateKey, at: JSONPointer.appending(name, to: "/geometry"))
                try reader.skip()
                continue
            }
            switch name {
            case "type": type = try readType(&reader)
            case "coordinates":
                if let type {
                    geometry = try readCoordinates(of: type, from: &reader)
                } else {
                    waiting = try reader.skip()
                }
            case "bbox": try readBox(&reader, at: "/geometry/bbox")
            case "geometry", "properties", "features":
                record(.invalid("does not belong in a geometry"), at: "/geometry/\(name)")
                try reader.skip()
            default: try reader.skip()
            }
        }
        if !keys.contains("type") { record(.missing, at: "/geometry/type") }
        guard let type else { return nil }
        if let waiting {
            var later = JSONReader(waiting)
            geometry = try readCoordinates(of: type, from: &later)
        } else if !keys.contains("coordinates") {
            record(.missing, at: "/geometry/coordinates")
        }
        return geometry
    }

    enum GeometryType: String {
        case polygon = "Polygon"
        case multiPolygon = "MultiPolygon"
        case point = "Point"
    }

    private mutating func readType(_ reader: inout JSONReader) throws(JSONError) -> GeometryType? {
        guard try expects(.string, at: "/geometry/type", from: &reader) else { return nil }
        let name = try reader.text().string
        if let type = GeometryType(rawValue: name) { return type }
        switch name {
        case "LineString", "MultiLineString", "MultiPoint", "GeometryCollection":
            record(
                .invalid("a region is a Polygon, a MultiPolygon or a Point with a radius, not a \(name)"),
                at: "/geometry/type")
        default: record(.invalid("there is no geometry \(Self.quoted(name))"), at: "/geometry/type")
        }
        return nil
    }

    private mutating func readCoordinates(
        of type: GeometryType, from reader: inout JSONReader
    ) throws(JSONError) -> GeometryDraft? {
        let mark = faultCount
        var place = CoordinatesPlace()
        let geometry: GeometryDraft?
        switch type {
        case .point: geometry = try readPosition(place, from: &reader).map { .point($0) }
        case .polygon: geometry = .polygon(try readRings(&place, level: 0, from: &reader))
        case .multiPolygon:
            var polygons: [[[RawVertex]]] = []
            try readArray(&place, level: 0, from: &reader) { (regions, place, reader) throws(JSONError) in
                polygons.append(try regions.readRings(&place, level: 1, from: &reader))
            }
            geometry = .multiPolygon(polygons)
        }
        return faultCount == mark ? geometry : nil
    }

    private mutating func readRings(
        _ place: inout CoordinatesPlace, level: Int, from reader: inout JSONReader
    ) throws(JSONError) -> [[RawVertex]] {
        var rings: [[RawVertex]] = []
        try readArray(&place, level: level, from: &reader) { (regions, place, reader) throws(JSONError) in
            rings.append(try regions.readRing(&place, level: level + 1, from: &reader))
        }
        return rings
    }

    private mutating func readRing(
        _ place: inout CoordinatesPlace, level: Int, from reader: inout JSONReader
    ) throws(JSONError) -> [RawVertex] {
        var ring: [RawVertex] = []
        try readArray(&place, level: level, from: &reader) { (regions, place, reader) throws(JSONError) in
            regions.vertices += 1
            if regions.vertices == regions.limits.verticesPerFeature + 1 {
                regions.record(.tooMany(limit: regions.limits.verticesPerFeature), at: "/geometry/coordinates")
            }
            guard regions.vertices <= regions.limits.verticesPerFeature else {
                try reader.skip()
                return
            }
            if let position = try regions.readPosition(place, from: &reader) { ring.append(position) }
        }
        if limits.closesRings, ring.count >= 3, let first = ring.first, ring.last != first { ring.append(first) }
        return ring
    }

    /// Reads one array level of the coordinates; `readElement` reads each element.
    @inline(__always)
    private mutating func readArray(
        _ place: inout CoordinatesPlace, level: Int, from reader: inout JSONReader,
        _ readElement: (inout RegionReader, inout CoordinatesPlace, inout JSONReader) throws(JSONError) -> Void
    ) throws(JSONError) {
        guard try expects(.array, at: place.path, from: &reader) else { return }
        try reader.beginArray()
        place.depth = level + 1
        place.indices[level] = 0
        while try reader.nextElement() {
            try readElement(&self, &place, &reader)
            place.depth = level + 1
            place.indices[level] += 1
        }
        place.depth = level
    }

    /// Reads a position: longitude, latitude, and perhaps an altitude, which it ignores.
    private mutating func readPosition(
        _ place: CoordinatesPlace, from reader: inout JSONReader
    ) throws(JSONError) -> RawVertex? {
        guard try expects(.array, at: place.path, from: &reader) else { return nil }
        try reader.beginArray()
        var numbers = (0.0, 0.0)
        var count = 0
        var isSound = true
        while try reader.nextElement() {
            if try expects(.number, at: "\(place.path)/\(count)", from: &reader) {
                let number = try reader.decimal()
                if count == 0 { numbers.0 = number.double }
                if count == 1 { numbers.1 = number.double }
            } else {
                isSound = false
            }
            count += 1
        }
        guard count == 2 || count == 3 else {
            record(.invalid("a position has 2 or 3 numbers, this has \(count)"), at: place.path)
            return nil
        }
        guard isSound else { return nil }
        let vertex = RawVertex(
            longitude: Self.clamped(numbers.0, to: 180), latitude: Self.clamped(numbers.1, to: 90))
        guard abs(vertex.longitude) <= 180 else {
            record(.outOfRange(lowest: -180, highest: 180), at: "\(place.path)/0")
            return nil
        }
        guard abs(vertex.latitude) <= 90 else {
            record(.outOfRange(lowest: -90, highest: 90), at: "\(place.path)/1")
            return nil
        }
        return vertex
    }

    /// Returns a number of degrees without the rounding errors of other programs: 180.00000000000014 becomes 180.
    static func clamped(_ degrees: Double, to limit: Double) -> Double {
        abs(degrees) > limit && abs(degrees) - limit <= 1e-9 ? (degrees < 0 ? -limit : limit) : degrees
    }
}

/// The reader's place in the coordinates, from which a pointer is made only when there is a fault.
struct CoordinatesPlace {
    /// The index on each level.
    var indices = SIMD4<Int>()
    /// How many levels are open.
    var depth = 0

    var path: String {
        (0..<depth).reduce("/geometry/coordinates") { path, level in "\(path)/\(indices[level])" }
    }
}

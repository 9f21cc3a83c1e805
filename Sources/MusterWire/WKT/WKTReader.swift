import MusterGeometry

/// Reads well-known text (OGC 06-103r4, section 7): x is the longitude, y the latitude. A third and a fourth number of
/// a position are ignored.
struct WKTReader {
    private let bytes: [UInt8]
    private var offset = 0
    private var room = PlainGeometry.positionLimit
    private var result = PlainGeometry()

    /// The longest text that the reader accepts, in bytes.
    static let limitBytes = 1_000_000

    private init(_ text: String) { bytes = Array(text.utf8) }

    /// Reads one geometry.
    static func read(_ text: String) throws(GeometryTextError) -> PlainGeometry {
        guard text.utf8.count <= limitBytes else { throw .tooLarge }
        var reader = WKTReader(text)
        try reader.geometry(depth: 0)
        reader.skipSpace()
        guard reader.offset == reader.bytes.count else { throw .malformed("something follows the geometry") }
        return reader.result
    }

    private mutating func geometry(depth: Int) throws(GeometryTextError) {
        let type = word()
        var mark = offset
        let dimensions = word()
        if !["Z", "M", "ZM"].contains(dimensions) { offset = mark }
        mark = offset
        if word() == "EMPTY" { return }
        offset = mark
        switch type {
        case "POINT":
            let points = try positions(isBare: false)
            guard points.count == 1 else { throw .malformed("a point has one position") }
            result.points += points
        case "MULTIPOINT": result.points += try positions(isBare: true)
        case "LINESTRING": result.lines.append(try PlainGeometry.checkedLine(positions(isBare: false)))
        case "MULTILINESTRING":
            try list { (reader) throws(GeometryTextError) in
                reader.result.lines.append(try PlainGeometry.checkedLine(reader.positions(isBare: false)))
            }
        case "POLYGON": result.polygons.append(try rings())
        case "MULTIPOLYGON":
            try list { (reader) throws(GeometryTextError) in reader.result.polygons.append(try reader.rings()) }
        case "GEOMETRYCOLLECTION":
            guard depth < 4 else { throw .malformed("a GEOMETRYCOLLECTION nests deeper than four levels") }
            try list { (reader) throws(GeometryTextError) in try reader.geometry(depth: depth + 1) }
        default:
            throw type.isEmpty ? .malformed("a geometry begins with its type, such as POINT") : .type(type)
        }
    }

    private mutating func rings() throws(GeometryTextError) -> [[Coordinate]] {
        var rings: [[Coordinate]] = []
        try list { (reader) throws(GeometryTextError) in
            rings.append(try PlainGeometry.checkedRing(reader.positions(isBare: false)))
        }
        return rings
    }

    /// Reads positions in parentheses.
    ///
    /// - Parameter isBare: whether each position may have parentheses of its own, as in a multipoint.
    private mutating func positions(isBare: Bool) throws(GeometryTextError) -> [Coordinate] {
        var positions: [Coordinate] = []
        try list { (reader) throws(GeometryTextError) in
            let isWrapped = isBare && reader.skipByte(UInt8(ascii: "("))
            positions.append(try reader.position())
            if isWrapped { try reader.require(UInt8(ascii: ")")) }
        }
        return positions
    }

    private mutating func position() throws(GeometryTextError) -> Coordinate {
        let longitude = try number()
        let latitude = try number()
        for _ in 0..<2 where startsNumber { _ = try number() }
        return try PlainGeometry.position(longitude, latitude, &room)
    }

    private mutating func list(
        _ readElement: (inout WKTReader) throws(GeometryTextError) -> Void
    ) throws(GeometryTextError) {
        try require(UInt8(ascii: "("))
        repeat { try readElement(&self) } while skipByte(UInt8(ascii: ","))
        try require(UInt8(ascii: ")"))
    }

    // MARK: Words and numbers

    private mutating func word() -> String {
        skipSpace()
        let start = offset
        while offset < bytes.count, (0x41...0x5A).contains(bytes[offset] & 0xDF) { offset += 1 }
        return String(decoding: bytes[start..<offset], as: UTF8.self).uppercased()
    }

    private var startsNumber: Bool {
        var place = offset
        while place < bytes.count, bytes[place] <= 0x20 { place += 1 }
        return place < bytes.count && "+-.0123456789".utf8.contains(bytes[place])
    }

    private mutating func number() throws(GeometryTextError) -> Double {
        skipSpace()
        let start = offset
        while offset < bytes.count, offset - start < 64, "+-.0123456789eE".utf8.contains(bytes[offset]) { offset += 1 }
        let text = String(decoding: bytes[start..<offset], as: UTF8.self)
        guard let number = Double(text), number.isFinite else { throw .malformed("'\(text)' is not a number") }
        return number
    }

    private mutating func skipSpace() {
        while offset < bytes.count, bytes[offset] <= 0x20 { offset += 1 }
    }

    private mutating func skipByte(_ byte: UInt8) -> Bool {
        skipSpace()
        guard offset < bytes.count, bytes[offset] == byte else { return false }
        offset += 1
        return true
    }

    private mutating func require(_ byte: UInt8) throws(GeometryTextError) {
        guard skipByte(byte) else {
            throw .malformed("expected '\(Unicode.Scalar(byte))' at character \(offset + 1)")
        }
    }
}

extension PlainGeometry {
    /// Reads well-known text.
    package init(wkt text: String) throws(GeometryTextError) { self = try WKTReader.read(text) }
}

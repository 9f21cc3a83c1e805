import MusterGeometry

/// Why a geobuf cannot be read.
package struct GeobufFault: Error, Hashable, Sendable {
    /// In words.
    package let reason: String

    init(_ reason: String) { self.reason = reason }
}

/// Reads polygons and multipolygons from Geobuf (https://github.com/mapbox/geobuf): a GeoJSON geometry, or one
/// feature, as a protocol buffer. Its message types are few and fixed, so its fields are read here directly.
enum Geobuf {
    /// The geometry in a geobuf; its rings closed, as the format leaves out each ring's last position.
    ///
    /// - Complexity: O(bytes): every number takes a byte at least.
    static func geometry(_ bytes: [UInt8]) throws(GeobufFault) -> AmazonGeometry {
        var dimensions: UInt64 = 2
        var precision: UInt64 = 6
        var geometry: ArraySlice<UInt8>?
        var data = ProtocolBuffer(bytes[...])
        while let field = try data.next() {
            switch field {
            case (2, .number(let number)): dimensions = number
            case (3, .number(let number)): precision = number
            case (4, _): throw GeobufFault("a feature collection is no geometry")
            case (5, .bytes(let feature)): geometry = try self.geometry(ofFeature: feature)
            case (6, .bytes(let bytes)): geometry = bytes
            default: break
            }
        }
        guard let geometry else { throw GeobufFault("it holds no geometry") }
        guard (2...3).contains(dimensions) else { throw GeobufFault("positions have two or three dimensions") }
        guard precision <= 15 else { throw GeobufFault("a precision of more than 15 digits") }
        var unit = 1.0
        for _ in 0..<precision { unit *= 10 }
        return try read(geometry, dimensions: Int(dimensions), unit: unit)
    }

    private static func geometry(ofFeature bytes: ArraySlice<UInt8>) throws(GeobufFault) -> ArraySlice<UInt8>? {
        var geometry: ArraySlice<UInt8>?
        var feature = ProtocolBuffer(bytes)
        while let field = try feature.next() {
            if case (1, .bytes(let bytes)) = field { geometry = bytes }
        }
        return geometry
    }

    private static func read(
        _ bytes: ArraySlice<UInt8>, dimensions: Int, unit: Double
    ) throws(GeobufFault) -> AmazonGeometry {
        var type: UInt64 = 0
        var lengths: [UInt64] = []
        var deltas: [Int64] = []
        var geometry = ProtocolBuffer(bytes)
        while let field = try geometry.next() {
            switch field {
            case (1, .number(let number)): type = number
            case (2, .number(let number)): lengths.append(number)
            case (2, .bytes(let packed)): lengths += try ProtocolBuffer.numbers(packed)
            case (3, .number(let number)): deltas.append(Int64(zigzag: number))
            case (3, .bytes(let packed)): deltas += try ProtocolBuffer.numbers(packed).map { Int64(zigzag: $0) }
            default: break
            }
        }
        var rings = RingReader(deltas: deltas, dimensions: dimensions, unit: unit)
        switch type {
        case 4:
            let polygon = try lengths.isEmpty ? [rings.rest()] : rings.take(lengths)
            try rings.finish()
            return .polygon(polygon)
        case 5:
            let polygons = try lengths.isEmpty ? [[rings.rest()]] : rings.take(polygons: lengths)
            try rings.finish()
            return .multiPolygon(polygons)
        default: throw GeobufFault("it holds neither a polygon nor a multipolygon")
        }
    }
}

/// Takes rings from a list of differences between coordinates; each ring begins anew at 0.
private struct RingReader {
    let deltas: [Int64]
    let dimensions: Int
    let unit: Double
    private var place = 0

    init(deltas: [Int64], dimensions: Int, unit: Double) {
        self.deltas = deltas
        self.dimensions = dimensions
        self.unit = unit
    }

    mutating func rest() throws(GeobufFault) -> [RawVertex] {
        try ring(UInt64((deltas.count - place) / dimensions))
    }

    mutating func take(_ lengths: some Swift.Sequence<UInt64>) throws(GeobufFault) -> [[RawVertex]] {
        var rings: [[RawVertex]] = []
        for length in lengths { rings.append(try ring(length)) }
        return rings
    }

    /// The number of polygons, then for each of them the number of its rings, and their lengths.
    mutating func take(polygons lengths: [UInt64]) throws(GeobufFault) -> [[[RawVertex]]] {
        var rest = lengths[...]
        guard let count = rest.popFirst(), count <= lengths.count else { throw GeobufFault("lengths that do not fit") }
        var polygons: [[[RawVertex]]] = []
        for _ in 0..<count {
            guard let rings = rest.popFirst(), rings <= rest.count else {
                throw GeobufFault("lengths that do not fit")
            }
            polygons.append(try take(rest.prefix(Int(rings))))
            rest = rest.dropFirst(Int(rings))
        }
        return polygons
    }

    func finish() throws(GeobufFault) {
        guard place == deltas.count else { throw GeobufFault("coordinates that belong to no ring") }
    }

    private mutating func ring(_ length: UInt64) throws(GeobufFault) -> [RawVertex] {
        guard length > 0, length <= UInt64((deltas.count - place) / dimensions) else {
            throw GeobufFault("a ring longer than the coordinates there are, or empty")
        }
        var (x, y): (Int64, Int64) = (0, 0)
        var ring: [RawVertex] = []
        for _ in 0..<length {
            x = x &+ deltas[place]
            y = y &+ deltas[place + 1]
            place += dimensions
            ring.append(RawVertex(longitude: Double(x) / unit, latitude: Double(y) / unit))
        }
        ring.append(ring[0])
        return ring
    }
}

/// Pulls fields out of a protocol buffer (https://protobuf.dev/programming-guides/encoding/), one after the other.
private struct ProtocolBuffer {
    enum Value {
        case number(UInt64)
        case bytes(ArraySlice<UInt8>)
    }

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// The next field's number and value; nil at the end.
    mutating func next() throws(GeobufFault) -> (field: UInt64, value: Value)? {
        if rest.isEmpty { return nil }
        let key = try number()
        switch key & 7 {
        case 0: return (key >> 3, .number(try number()))
        case 1: return (key >> 3, .bytes(try take(8)))
        case 2: return (key >> 3, .bytes(try take(try number())))
        case 5: return (key >> 3, .bytes(try take(4)))
        default: throw GeobufFault("it is no protocol buffer")
        }
    }

    /// The numbers of a packed field.
    static func numbers(_ bytes: ArraySlice<UInt8>) throws(GeobufFault) -> [UInt64] {
        var buffer = ProtocolBuffer(bytes)
        var numbers: [UInt64] = []
        while !buffer.rest.isEmpty { numbers.append(try buffer.number()) }
        return numbers
    }

    private mutating func number() throws(GeobufFault) -> UInt64 {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard let byte = rest.popFirst() else { throw GeobufFault("it ends too early") }
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return number }
        }
        throw GeobufFault("a number of more than 64 bits")
    }

    private mutating func take(_ count: UInt64) throws(GeobufFault) -> ArraySlice<UInt8> {
        guard count <= UInt64(rest.count) else { throw GeobufFault("it ends too early") }
        defer { rest = rest.dropFirst(Int(count)) }
        return rest.prefix(Int(count))
    }
}

extension Int64 {
    /// A signed number from its zigzag code.
    fileprivate init(zigzag code: UInt64) { self = Int64(bitPattern: code >> 1) ^ -Int64(bitPattern: code & 1) }
}

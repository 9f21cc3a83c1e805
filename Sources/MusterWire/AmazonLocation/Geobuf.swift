import GeobufMessages
import MusterGeometry
import SwiftProtobuf

/// The fault for which a geobuf cannot be read.
package struct GeobufError: Error, Hashable, Sendable {
    /// The fault in words.
    package let reason: String

    init(_ reason: String) { self.reason = reason }
}

/// Reads polygons and multipolygons from Geobuf (https://github.com/mapbox/geobuf): a GeoJSON geometry, or one
/// feature, as a protocol buffer.
enum Geobuf {
    /// Reads the geometry of a geobuf and closes its rings, because the format leaves out each ring's last position.
    ///
    /// - Complexity: O(bytes), because every number takes a byte at least.
    static func geometry(_ bytes: [UInt8]) throws(GeobufError) -> AmazonGeometry {
        let message: GeobufData
        do {
            message = try GeobufData(serializedBytes: bytes)
        } catch {
            throw GeobufError("it is not a protocol buffer of that format, or ends too early")
        }
        let geometry: GeobufGeometry
        switch message.dataType {
        case .geometry(let its): geometry = its
        case .feature(let feature) where feature.hasGeometry: geometry = feature.geometry
        case .featureCollection: throw GeobufError("a feature collection is not a geometry")
        case .feature, nil: throw GeobufError("it holds no geometry")
        }
        guard (2...3).contains(message.dimensions) else { throw GeobufError("positions have two or three dimensions") }
        guard message.precision <= 15 else { throw GeobufError("a precision of more than 15 digits") }
        var unit = 1.0
        for _ in 0..<message.precision { unit *= 10 }
        return try read(geometry, dimensions: Int(message.dimensions), unit: unit)
    }

    private static func read(
        _ geometry: GeobufGeometry, dimensions: Int, unit: Double
    ) throws(GeobufError) -> AmazonGeometry {
        var rings = RingReader(deltas: geometry.coords, dimensions: dimensions, unit: unit)
        let lengths = geometry.lengths
        switch geometry.type {
        case .polygon:
            let polygon = try lengths.isEmpty ? [rings.rest()] : rings.readRings(lengths)
            try rings.finish()
            return .polygon(polygon)
        case .multipolygon:
            let polygons = try lengths.isEmpty ? [[rings.rest()]] : rings.readPolygons(polygons: lengths)
            try rings.finish()
            return .multiPolygon(polygons)
        default: throw GeobufError("it holds neither a polygon nor a multipolygon")
        }
    }
}

/// Reads rings from a list of differences between coordinates; each ring starts from 0.
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

    mutating func rest() throws(GeobufError) -> [RawVertex] {
        try ring(UInt32(clamping: (deltas.count - place) / dimensions))
    }

    mutating func readRings(_ lengths: some Sequence<UInt32>) throws(GeobufError) -> [[RawVertex]] {
        var rings: [[RawVertex]] = []
        for length in lengths { rings.append(try ring(length)) }
        return rings
    }

    /// Reads the lengths of polygons: the number of polygons, then for each of them the number of its rings, and their
    /// lengths.
    mutating func readPolygons(polygons lengths: [UInt32]) throws(GeobufError) -> [[[RawVertex]]] {
        var rest = lengths[...]
        guard let count = rest.popFirst(), count <= lengths.count else { throw GeobufError("lengths that do not fit") }
        var polygons: [[[RawVertex]]] = []
        for _ in 0..<count {
            guard let rings = rest.popFirst(), rings <= rest.count else {
                throw GeobufError("lengths that do not fit")
            }
            polygons.append(try readRings(rest.prefix(Int(rings))))
            rest = rest.dropFirst(Int(rings))
        }
        return polygons
    }

    func finish() throws(GeobufError) {
        guard place == deltas.count else { throw GeobufError("coordinates that belong to no ring") }
    }

    private mutating func ring(_ length: UInt32) throws(GeobufError) -> [RawVertex] {
        guard length > 0, Int(length) <= (deltas.count - place) / dimensions else {
            throw GeobufError("a ring longer than the coordinates there are, or empty")
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

import Foundation
import MusterGeometry

/// The polygons of a GeoJSON file, as raw numbers.
struct GeoJSONFile {
    /// One polygon or multipolygon; a polygon is a multipolygon of one.
    struct Area {
        var name: String
        var polygons: [[[RawVertex]]]
        var isMulti: Bool

        /// The shape, or why there is none.
        func validated(winding: Winding = .corrected) throws(GeometryFaults) -> Shape {
            isMulti
                ? try Shape.validated(multiPolygon: polygons, winding: winding)
                : try Shape.validated(polygon: polygons[0], winding: winding)
        }
    }

    var areas: [Area] = []

    init(_ path: String) throws {
        add(try TestData.json(path), name: path)
    }

    private mutating func add(_ value: Any?, name: String) {
        guard let object = value as? [String: Any] else { return }
        switch object["type"] as? String {
        case "FeatureCollection":
            for (index, feature) in ((object["features"] as? [Any]) ?? []).enumerated() {
                add(feature, name: "\(name)#\(index)")
            }
        case "Feature": add(object["geometry"], name: name)
        case "GeometryCollection":
            for (index, part) in ((object["geometries"] as? [Any]) ?? []).enumerated() {
                add(part, name: "\(name)#\(index)")
            }
        case "Polygon":
            guard let rings = object["coordinates"] as? [[[Double]]] else { return }
            areas.append(Area(name: name, polygons: [Self.rings(rings)], isMulti: false))
        case "MultiPolygon":
            guard let polygons = object["coordinates"] as? [[[[Double]]]] else { return }
            areas.append(Area(name: name, polygons: polygons.map(Self.rings), isMulti: true))
        default: return
        }
    }

    private static func rings(_ rings: [[[Double]]]) -> [[RawVertex]] {
        rings.map { $0.map { RawVertex(longitude: $0[0], latitude: $0[1]) } }
    }
}

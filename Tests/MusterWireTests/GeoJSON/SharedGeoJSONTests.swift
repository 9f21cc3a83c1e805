import Foundation
import MusterCore
import MusterGeometry
import Testing

@testable import MusterWire

/// What becomes of GeoJSON that others wrote.
@Suite(.enabled(if: SharedData.isThere, Comment(rawValue: SharedData.reason)))
struct SharedGeoJSONTests {
    /// The number of regions, or what is wrong.
    private func outcome(_ bytes: [UInt8], closesRings: Bool = false) -> [String] {
        var limits = RegionDraft.Limits()
        limits.closesRings = closesRings
        do {
            return ["\(try RegionDraft.decode(bytes, limits: limits).count) regions"]
        } catch {
            return error.faults.map { "\($0.pointer): \($0.reason)" }
        }
    }

    private static let notARegion = "a region is a Polygon, a MultiPolygon or a Point with a radius, not a "
    private static let noRadius = "a Point needs a radius in metres to be a region"
    private static let notAFeature = "must be Feature, FeatureCollection or a geometry, is "

    /// Files that hold a Feature or a FeatureCollection, or nothing that GeoJSON knows.
    private static let documents: [String: [String]] = [
        "bad/bad-duplicate-properties": ["/type: the key appears twice in one object"],
        "bad/bad-json": ["/type: unexpected character '\"'"],
        "bad/bad-object-type": ["/type: must be a string, is an object"],
        "bad/bad-properties-as-array": [
            "/properties: must be an object, is an array", "/geometry: a region needs a geometry",
        ],
        "bad/badcoordtype": ["/features/0/geometry/coordinates/0/0/0: must be an array, is a number"],
        "bad/badfeature": ["/features/0: must be an object, is null"],
        "bad/badfeatureid": ["/features/0/id: must be a string or a number, is an object"],
        "bad/expected_object": [
            "/properties: must be an object, is a number", "/geometry: a region needs a geometry",
        ],
        "bad/feature_changed_semantics": [
            "/coordinates: does not belong in a Feature", "/features: does not belong in a Feature",
        ],
        "bad/featurecollection": ["/features: is required"],
        "bad/featurecollection-obj": ["/features: must be an array, is an object"],
        "bad/featurecollection-type-case": [
            "/features/0/geometry/type: there is no geometry \"point\"",
            "/features/0/type: must be Feature, is \"feature\"",
            "/features/1/geometry/type: there is no geometry \"linestring\"",
            "/features/1/type: must be Feature, is \"feature\"",
            "/features/2/geometry/type: there is no geometry \"polygon\"",
            "/features/2/type: must be Feature, is \"feature\"", "/type: \(notAFeature)\"featurecollection\"",
        ],
        "bad/featurecollection_changed_semantics": [
            "/features/0/properties/radius: \(noRadius)", "/features/1/geometry/type: \(notARegion)LineString",
            "/coordinates: does not belong in a FeatureCollection",
            "/properties: does not belong in a FeatureCollection",
        ],
        "bad/multiple_problems": [
            "/features/0/id: must be a string or a number, is an object",
            "/features/0/geometry/coordinates/1: must be a number, is a string",
            "/features/1/properties/radius: \(noRadius)", "/features/2/type: must be Feature, is \"Foo\"",
            "/features/3/geometry/coordinates: must be an array, is a string",
            "/features/3/type: must be Feature, is \"Foo\"",
        ],
        "bad/nofeaturetype": ["/features/0/type: must be Feature, is \"Featre\""],
        "bad/notype": ["/type: is required"],
        "bad/point-labeled-as-a-multipolygon": [
            "/geometry/coordinates/0: must be an array, is a number",
            "/geometry/coordinates/1: must be an array, is a number",
        ],
        "bad/rootstring": [": must be an object, is null"],
        "bad/stringcoord": [
            "/features/0/geometry/coordinates/1: must be a number, is a string",
            "/features/1/properties/radius: \(noRadius)",
        ],
        "bad/unknowntype": ["/type: \(notAFeature)\"FooBar\""],
        // Positions where rings should be, 50 and more of them: ten faults are enough for one feature.
        "bad/bad-polygonloop": (0..<5).flatMap { ring in
            (0..<2).map { "/geometry/coordinates/\(ring)/\($0): must be an array, is a number" }
        },

        // Good GeoJSON, but nothing that a device could be inside of.
        "good/good-feature": ["/properties/radius: \(noRadius)"],
        "good/good-feature-with-id": ["/properties/radius: \(noRadius)"],
        "good/good-feature-with-string-id": ["/properties/radius: \(noRadius)"],
        "good/good-featurecollection": [
            "/features/0/properties/radius: \(noRadius)", "/features/1/geometry/type: \(notARegion)LineString",
        ],
        "good/good-featurecollection-bbox": [
            "/features/0/properties/radius: \(noRadius)", "/features/1/properties/radius: \(noRadius)",
        ],
        "good/good-featurecollection-bbox3d": [
            "/features/0/properties/radius: \(noRadius)", "/features/1/properties/radius: \(noRadius)",
        ],
        "good/good-featurecollection-extensions": [
            "/features/0/properties/radius: \(noRadius)", "/features/1/geometry/type: \(notARegion)LineString",
        ],
        "good/nullgeometry": ["/features/0/geometry: a region needs a geometry"],
        "good/nullproperties": ["/features/0/properties/radius: \(noRadius)"],
    ]

    /// Files that hold a bare geometry; here with a Feature around it.
    private static let geometries: [String: [String]] = [
        "bad/bad-featurelist": ["/geometry/coordinates/0: must be an array, is a number"],
        "bad/badcoord": ["/geometry/coordinates/2: must be a number, is a string"],
        "bad/bbox-4or6elements": ["/geometry/bbox: must have 4 or 6 numbers, has 3"],
        "bad/bbox-contains-string": ["/geometry/bbox/3: must be a number, is a string"],
        "bad/bbox-string": ["/geometry/bbox: must be an array, is a string"],
        "bad/different-first-last": ["/geometry/coordinates/0/3: a ring ends where it begins"],
        "bad/excessive_precision_truncated": ["/geometry/type: \(notARegion)LineString"],
        "bad/false": ["/geometry/type: \(notARegion)GeometryCollection"],
        "bad/geometry_changed_semantics": [
            "/geometry/features: does not belong in a geometry", "/geometry/geometry: does not belong in a geometry",
            "/geometry/properties: does not belong in a geometry",
        ],
        "bad/geometrycollection_nested": ["/geometry/type: \(notARegion)GeometryCollection"],
        "bad/geometrycollection_single": ["/geometry/type: \(notARegion)GeometryCollection"],
        "bad/multipoint-multidimension": ["/geometry/type: \(notARegion)MultiPoint"],
        "bad/multipoint-nondimension": ["/geometry/type: \(notARegion)MultiPoint"],
        "bad/point": ["/geometry/coordinates: is required"],
        "bad/point-string": ["/geometry/coordinates/0: must be a number, is a string"],
        "bad/point-toofew": ["/geometry/coordinates: a position has 2 or 3 numbers, this has 1"],
        "bad/point-toomany": ["/geometry/coordinates: a position has 2 or 3 numbers, this has 4"],
        "bad/short-line": ["/geometry/type: \(notARegion)LineString"],
        "bad/short-linearring": [
            "/geometry/coordinates/0: a ring has at least 4 positions, this has 3",
            "/geometry/coordinates/0/2: a ring ends where it begins",
        ],
        "bad/short-multilinestring": ["/geometry/type: \(notARegion)MultiLineString"],
        // RFC 7946 §3.1.6: parsers should not reject a winding.
        "bad/bad-polygon-interiorring-rhr": ["1 regions"],
        "bad/polygon_winding_order": ["1 regions"],
        // The first and the last position differ in an altitude, which a region has no use for.
        "bad/different-first-size": ["1 regions"],

        "good/good-geometrycollection": ["/geometry/type: \(notARegion)GeometryCollection"],
        "good/good-linestring": ["/geometry/type: \(notARegion)LineString"],
        "good/good-multilinestring": ["/geometry/type: \(notARegion)MultiLineString"],
        "good/good-multipoint": ["/geometry/type: \(notARegion)MultiPoint"],
        "good/good-point": ["/properties/radius: \(noRadius)"],
        "good/good-point-3d": ["/properties/radius: \(noRadius)"],
        "good/good-polygon": ["1 regions"],
        "good/multipolygon": ["1 regions"],
    ]

    @Test(arguments: documents.keys.sorted())
    func `a document is judged as written here`(name: String) throws {
        #expect(try outcome(SharedData.bytes("geojson/\(name).geojson")) == Self.documents[name])
    }

    @Test(arguments: geometries.keys.sorted())
    func `a geometry is judged as written here`(name: String) throws {
        let bytes = try SharedData.bytes("geojson/\(name).geojson")
        #expect(outcome(Self.feature(around: bytes)) == Self.geometries[name])
        // By itself it is the same region, or none for the same reasons. A collection has a region for each geometry.
        let isCollection = Self.geometries[name]?.contains { $0.hasSuffix("GeometryCollection") } ?? false
        guard !isCollection, name != "bad/geometry_changed_semantics" else { return }
        let own = Self.geometries[name]?.map { fault in
            fault.hasPrefix("/geometry") ? String(fault.dropFirst("/geometry".count)) : fault
        }
        #expect(outcome(bytes) == own)
    }

    @Test func `no file is forgotten`() {
        for folder in ["good", "bad"] {
            for file in SharedData.names(in: "geojson/\(folder)", ending: ".geojson") {
                let name = "\(folder)/\(file.dropLast(8))"
                let isKnown = Self.documents[name] != nil || Self.geometries[name] != nil || name == "good/issue82"
                #expect(isKnown, "\(name)")
            }
        }
    }

    @Test func `projected coordinates off the globe are refused`() throws {
        let faults = outcome(Self.feature(around: try SharedData.bytes("geojson/good/issue82.geojson")))
        #expect(faults.count == 10)
        #expect(faults.first == "/geometry/coordinates/0/0/0/1: must be -90 to 90")
    }

    /// Collections of real polygons: how many features they have, and which of them the geometry target refuses.
    @Test(arguments: [
        ("geojson/switzerland.geojson", 1, []), ("geojson/switzerland-kinked.geojson", 0, ["/geometry"]),
        ("naturalearth/ne_50m_admin_1_states_provinces.json", 99, ["/features/19/geometry"]),
        ("naturalearth/ne_110m_land.json", 126, ["/features/78/geometry"]),
        ("naturalearth/ne_110m_admin_0_countries.json", 176, ["/features/139/geometry"]),
    ])
    func `a real collection is judged feature by feature`(name: String, sound: Int, places: [String]) throws {
        let bytes = try SharedData.bytes(name)
        do throws(RegionFaults) {
            let count = try RegionDraft.decode(bytes).count
            #expect(count == sound)
            #expect(places.isEmpty)
        } catch {
            #expect(error.soundFeatures == sound)
            for fault in error.faults {
                #expect(places.contains { fault.pointer.hasPrefix("\($0)/coordinates") }, "\(fault)")
                #expect(fault.coordinate != nil)
                #expect("\(fault.reason)".hasPrefix("the ring crosses or touches itself"))
            }
        }
    }

    @Test func `counties whose rings are open are refused, or closed on demand`() throws {
        let bytes = try SharedData.bytes("fences/us-counties.geojson")
        let strict = #expect(throws: RegionFaults.self) { try RegionDraft.decode(bytes) }
        #expect(strict?.faults.first?.reason == .invalid("a ring ends where it begins"))
        #expect(strict?.hasMore == true)
        var limits = RegionDraft.Limits()
        limits.closesRings = true
        let lenient = #expect(throws: RegionFaults.self) { try RegionDraft.decode(bytes, limits: limits) }
        // Thirteen counties are drawn as polygons that overlap.
        #expect(lenient?.soundFeatures == 3198)
        #expect(lenient?.faults.allSatisfy { "\($0.reason)".hasPrefix("the polygon overlaps another") } == true)
    }

    @Test func `a region written as a feature reads back the same`() throws {
        var count = 0
        for name in SharedData.names(in: "naturalearth", ending: ".json") {
            let document = try JSONValue(parsing: SharedData.bytes("naturalearth/\(name)"), valueLimit: 1_000_000)
            for feature in document["features"]?.elements ?? [] {
                guard let draft = try? RegionDraft.decode(feature.bytes).first else { continue }
                let region = Region(
                    number: RegionNumber(1), collection: CollectionNumber(1), id: "a", name: draft.name ?? "a",
                    shape: draft.shape, properties: draft.properties)
                var writer = JSONWriter()
                writer.feature(region)
                #expect(try RegionDraft.decode(writer.bytes).map(\.shape) == [draft.shape])
                count += 1
            }
        }
        #expect(count == 99 + 126 + 176)
    }

    @Test func `polygons across the antimeridian and round the poles are taken`() throws {
        let refused = [
            "force-north-pole", "issues-182", "issues-187", "line", "multi-line", "over-180", "overlap",
        ]
        for name in SharedData.names(in: "antimeridian/input", ending: ".json") {
            let faults = outcome(Self.feature(around: try SharedData.bytes("antimeridian/input/\(name)")))
            #expect((faults == ["1 regions"]) != refused.contains(String(name.dropLast(5))), "\(name): \(faults)")
        }
    }

    private static func feature(around geometry: [UInt8]) -> [UInt8] {
        #"{"type":"Feature","properties":{},"geometry":"#.bytes + geometry + "}".bytes
    }
}

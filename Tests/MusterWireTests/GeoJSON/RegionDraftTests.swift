import MusterCore
import MusterGeometry
import Testing

@testable import MusterWire

struct RegionDraftTests {
    private let ring = "[[0,0],[2,0],[2,1],[0,1],[0,0]]"
    private var square: String { #"{"type":"Polygon","coordinates":[\#(ring)]}"# }

    private func faults(_ text: String, limits: RegionDraft.Limits = .init()) -> [String] {
        do {
            _ = try RegionDraft.decode(text.bytes, limits: limits)
            return []
        } catch {
            return error.faults.map { "\($0.feature.map { "\($0) " } ?? "")\($0.pointer): \($0.reason)" }
        }
    }

    private func feature(_ members: String) -> String { #"{"type":"Feature",\#(members)}"# }

    @Test func `a geometry alone is a region, and each of a collection is one`() throws {
        let plain = try RegionDraft.decode(square.bytes)
        let feature = try RegionDraft.decode(feature(#""geometry":\#(square),"properties":null"#).bytes)
        #expect(plain == feature && plain.count == 1)
        // In any order, with members that mean nothing here, and behind a byte order mark.
        let other = "\u{FEFF}" + #"{"title":"x","bbox":[0,0,2,1],"coordinates":[\#(ring)],"type":"Polygon"}"#
        #expect(try RegionDraft.decode(other.bytes).map(\.shape) == plain.map(\.shape))
        let multiple = #"{"type":"MultiPolygon","coordinates":[[\#(ring)]]}"#
        let collection = #"{"type":"GeometryCollection","geometries":[\#(square),\#(multiple)]}"#
        let drafts = try RegionDraft.decode(collection.bytes)
        #expect(drafts.map(\.feature) == [0, 1] && drafts.first?.shape == plain.first?.shape)
        #expect(
            faults(#"{"type":"GeometryCollection","geometries":[\#(square),{"type":"Point","coordinates":[1,1]},5]}"#)
                == [
                    "1 /geometries/1/properties/radius: a Point needs a radius in metres to be a region",
                    "2 /geometries/2: must be an object, is a number",
                ])
        #expect(faults(#"{"type":"GeometryCollection"}"#) == ["/geometries: is required"])
        #expect(
            faults(#"{"type":"Polygon","coordinates":[[[0,0],[2,0],[2,1]]]}"#) == [
                "0 /coordinates/0: a ring has at least 4 positions, this has 3",
                "0 /coordinates/0/2: a ring ends where it begins",
            ])
        #expect(
            faults(#"{"type":"LineString","coordinates":[[0,0],[2,0]]}"#) == [
                "0 /type: a region is a Polygon, a MultiPolygon or a Point with a radius, not a LineString"
            ])
    }

    @Test func `a sequence of texts is read, and a fault names its text`() throws {
        let first = feature(#""id":7,"geometry":\#(square),"properties":{"name":"A"}"#)
        let both = "\u{1E}\(first)\n\u{1E}\(square)\n\u{1E}\n"
        let drafts = try RegionDraft.decode(both.bytes)
        #expect(drafts.map(\.id) == ["7", nil] && drafts.map(\.feature) == [0, 1])
        let list = #"{"type":"FeatureCollection","features":[\#(feature(#""geometry":\#(square),"properties":{}"#))]}"#
        #expect(try RegionDraft.decode("\u{1E}\(list)\u{1E}\(first)".bytes).map(\.id) == [nil, "7"])
        #expect(
            faults("\u{1E}\(first)\n\u{1E}\(first)\n\u{1E}{\"type\":\n") == [
                "1 /1/id: another feature has the id \"7\"", "2 /2/type: the text ends too early",
            ])
        #expect(faults("\u{1E}\n") == ["0 : the text ends too early"])
    }

    @Test func `a feature becomes a region with all its properties`() throws {
        let draft = try #require(
            try RegionDraft.decode(
                feature(
                    #"""
                    "id":"yard","geometry":\#(square),"properties":{"name":"Yard","muster":true,"dwell":60,
                    "exitDelay":30.5,"radius":"of no use","color":{"r":1}}
                    """#
                ).bytes
            ).first)
        #expect(draft.id == "yard" && draft.name == "Yard" && draft.isMuster && draft.feature == 0)
        #expect(draft.dwellSeconds == 60 && draft.exitDelaySeconds == 30.5)
        let corners = [(0, 0), (0, 2), (1, 2), (1, 0), (0, 0)].map { Coordinate(validLatitude: $0.0, longitude: $0.1) }
        #expect(draft.shape == .polygon(Polygon(exterior: corners)))
        #expect(
            draft.properties
                == #"{"name":"Yard","muster":true,"dwell":60, "exitDelay":30.5,"radius":"of no use","color":{"r":1}}"#
        )
    }

    @Test func `a point with a radius is a circle`() throws {
        let drafts = try RegionDraft.decode(
            feature(#""properties":{"radius":150},"geometry":{"type":"Point","coordinates":[8.5,47.25,400]}"#).bytes)
        let circle = Circle(centre: Coordinate(validLatitude: 47.25, longitude: 8.5), radius: 150)
        #expect(drafts.map(\.shape) == [.circle(circle)])
        for radius in ["0", "-1", "100001", "1e999"] {
            let text = #""properties":{"radius":\#(radius)},"geometry":{"type":"Point","coordinates":[8.5,47.25]}"#
            #expect(!faults(feature(text)).isEmpty, "\(radius)")
        }
        #expect(
            faults(feature(#""properties":{"radius":"9"},"geometry":{"type":"Point","coordinates":[8.5,47.25]}"#))
                == ["0 /properties/radius: must be a number, is a string"])
    }

    @Test func `members may come in any order`() throws {
        let text = #"""
            {"features":[{"geometry":{"coordinates":[[[5,5],[6,5],[6,6],[5,5]]],"type":"Polygon"},"id":7,
            "properties":null,"type":"Feature"}],"type":"FeatureCollection"}
            """#
        let drafts = try RegionDraft.decode(text.bytes)
        #expect(drafts.map(\.id) == ["7"])
        #expect(drafts.map(\.properties) == [nil])
    }

    @Test func `any winding becomes ours`() throws {
        let clockwise = "[[0,0],[0,1],[2,1],[2,0],[0,0]]"
        let hole = "[[0.5,0.5],[1,0.5],[1,0.75],[0.5,0.5]]"
        let text = feature(#""geometry":{"type":"Polygon","coordinates":[\#(clockwise),\#(hole)]},"properties":{}"#)
        guard case .polygon(let polygon) = try RegionDraft.decode(text.bytes).first?.shape else {
            Issue.record("no polygon")
            return
        }
        #expect(polygon.exterior.map(\.longitude) == [0, 2, 2, 0, 0])
        #expect(polygon.holes.first?.map(\.longitude) == [0.5, 1, 1, 0.5])
    }

    @Test func `the faults of every feature are reported`() {
        let empty = "a polygon has at least one ring, a MultiPolygon at least one polygon"
        let text = #"""
            {"type":"FeatureCollection","features":[
            {"type":"Feature","id":"","geometry":\#(square),"properties":{"dwell":-1,"exitDelay":1e9,"muster":"yes"}},
            {"type":"Feature","id":"a","geometry":\#(square),"properties":{}},
            {"type":"Feature","id":"a","geometry":\#(square),"properties":{"name":5}},
            {"type":"Feature","id":"b\u0007","properties":{}},
            {"type":"Feature","geometry":{"type":"Polygon","coordinates":[]},"properties":{}},
            {"type":"Feature","geometry":{"type":"MultiPolygon","coordinates":[]},"properties":{}},
            {"type":"Feature","geometry":{"type":"Polygon","coordinates":[[[181,0],[1,"0"],[1,1,1,1],[0,91]]]}}],
            "crs":{"type":"name","properties":{"name":"EPSG:3857"}}}
            """#
        #expect(
            faults(text) == [
                "0 /features/0/id: must have 1 to 100 characters",
                "0 /features/0/properties/dwell: must be 0 to 2592000",
                "0 /features/0/properties/exitDelay: must be 0 to 2592000",
                "0 /features/0/properties/muster: must be true or false, is a string",
                "2 /features/2/properties/name: must be a string, is a number",
                "2 /features/2/id: another feature has the id \"a\"",
                "3 /features/3/id: must have no control characters",
                "3 /features/3/geometry: is required",
                "4 /features/4/geometry/coordinates: \(empty)",
                "5 /features/5/geometry/coordinates: \(empty)",
                "6 /features/6/geometry/coordinates/0/0/0: must be -180 to 180",
                "6 /features/6/geometry/coordinates/0/1/1: must be a number, is a string",
                "6 /features/6/geometry/coordinates/0/2: a position has 2 or 3 numbers, this has 4",
                "6 /features/6/geometry/coordinates/0/3/1: must be -90 to 90",
                "/crs: the coordinates must be WGS-84, in degrees",
            ])
    }

    @Test func `a reference system that is ours is borne`() {
        for name in ["urn:ogc:def:crs:OGC:1.3:CRS84", "EPSG:4326", "urn:ogc:def:crs:EPSG::4326"] {
            let text = #"{"type":"FeatureCollection","crs":{"properties":{"name":"\#(name)"}},"features":[]}"#
            #expect(faults(text) == [])
        }
    }

    @Test func `requests are bounded`() throws {
        var limits = RegionDraft.Limits()
        limits.features = 2
        limits.verticesPerFeature = 5
        limits.propertyBytes = 20
        let one = feature(#""geometry":\#(square),"properties":{}"#)
        let three = #"{"type":"FeatureCollection","features":[\#(one),\#(one),\#(one)]}"#
        #expect(faults(three, limits: limits) == ["/features: has more than 2 items"])
        let long = #"{"type":"Polygon","coordinates":[[[0,0],[2,0],[2,1],[1,1],[0,1],[0,0]]]}"#
        #expect(
            faults(feature(#""geometry":\#(long),"properties":{}"#), limits: limits)
                == ["0 /geometry/coordinates: has more than 5 items"])
        #expect(
            faults(feature(#""geometry":\#(square),"properties":{"a":"aaaaaaaaaaaaaaaaaaa"}"#), limits: limits)
                == ["0 /properties: is longer than 20 bytes"])
        limits.bytes = 10
        #expect(faults(one, limits: limits) == [": is longer than 10 bytes"])
    }

    @Test func `sound features are counted beside the others`() {
        let one = feature(#""geometry":\#(square),"properties":{}"#)
        let text = #"{"type":"FeatureCollection","features":[\#(one),{},\#(one)]}"#
        let error = #expect(throws: RegionFaults.self) { try RegionDraft.decode(text.bytes) }
        #expect(error?.soundFeatures == 2)
    }

    @Test func `open rings are closed only on demand`() throws {
        let open = feature(#""geometry":{"type":"Polygon","coordinates":[[[0,0],[2,0],[2,1]]]},"properties":{}"#)
        #expect(
            faults(open) == [
                "0 /geometry/coordinates/0: a ring has at least 4 positions, this has 3",
                "0 /geometry/coordinates/0/2: a ring ends where it begins",
            ])
        var limits = RegionDraft.Limits()
        limits.closesRings = true
        #expect(faults(open, limits: limits) == [])
    }

    @Test func `a rounding error does not leave the globe`() throws {
        let text = feature(
            #""geometry":{"type":"Point","coordinates":[180.00000000000014,-90.0000000001]},"properties":{"radius":1}"#)
        let pole = Coordinate(validLatitude: -90, longitude: 180)
        #expect(try RegionDraft.decode(text.bytes).map(\.shape) == [.circle(Circle(centre: pole, radius: 1))])
    }
}

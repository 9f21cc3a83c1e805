import MusterWire
import Testing

/// What the readers of plain geometries say of a text that they refuse.
@Suite struct GeometryTextErrorTests {
    private static func nested(_ levels: Int) -> String {
        (0..<levels).reduce(#"{"type":"Point","coordinates":[1,2]}"#) { inner, _ in
            #"{"type":"GeometryCollection","geometries":[\#(inner)]}"#
        }
    }

    private static func nestedText(_ levels: Int) -> String {
        (0..<levels).reduce("POINT(1 2)") { inner, _ in "GEOMETRYCOLLECTION(\(inner))" }
    }

    private func fault(json: String) -> String? {
        do {
            _ = try PlainGeometry(geoJSON: JSONValue(parsing: Array(json.utf8)))
            return nil
        } catch {
            return "\(error)"
        }
    }

    private func fault(text: String) -> String? {
        do {
            _ = try PlainGeometry(wkt: text)
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test func `a GeoJSON geometry is refused with what is wrong`() {
        #expect(fault(json: #"{"type":"GeometryCollection"}"#) == "a GeometryCollection has geometries")
        #expect(
            fault(json: #"{"type":"Circle","coordinates":[]}"#)?.hasPrefix("unknown geometry type Circle: use ") == true
        )
        #expect(fault(json: Self.nested(4)) == nil)
        #expect(fault(json: Self.nested(5)) == "a GeometryCollection nests deeper than four levels")
    }

    @Test func `a text geometry is refused with what is wrong`() {
        #expect(fault(text: "") == "a geometry begins with its type, such as POINT")
        #expect(fault(text: "CIRCLE(1 2)")?.hasPrefix("unknown geometry type CIRCLE: use ") == true)
        #expect(fault(text: "POINT(1 .)") == "'.' is not a number")
        #expect(fault(text: Self.nestedText(4)) == nil)
        #expect(fault(text: Self.nestedText(5)) == "a GEOMETRYCOLLECTION nests deeper than four levels")
    }
}

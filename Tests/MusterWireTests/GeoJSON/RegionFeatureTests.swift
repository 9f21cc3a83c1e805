import MusterCore
import MusterGeometry
import Testing

@testable import MusterWire

struct RegionFeatureTests {
    private func place(_ latitude: Double, _ longitude: Double) -> Coordinate {
        Coordinate(validLatitude: latitude, longitude: longitude)
    }

    private func write(_ region: Region) -> String {
        var writer = JSONWriter()
        writer.feature(region)
        return writer.bytes.text
    }

    @Test func `a region is written as a feature and reads back the same`() throws {
        let exterior = [place(0, 0), place(0, 2), place(1, 2), place(1, 0), place(0, 0)]
        let hole = [place(0.5, 0.5), place(0.75, 1), place(0.5, 1), place(0.5, 0.5)]
        let region = Region(
            number: RegionNumber(1), collection: CollectionNumber(1), id: "y\"1", name: "Yard",
            shape: .polygon(Polygon(exterior: exterior, holes: [hole])), isMuster: true, dwellSeconds: 60,
            exitDelaySeconds: 30, properties: #"{"name":"old","muster":false,"radius":"north","tags":[1, {"a":null}]}"#)
        let text = write(region)
        #expect(
            text == #"{"type":"Feature","id":"y\"1","geometry":{"type":"Polygon","coordinates":"#
                + #"[[[0,0],[2,0],[2,1],[0,1],[0,0]],[[0.5,0.5],[1,0.75],[1,0.5],[0.5,0.5]]]},"#
                + #""properties":{"name":"Yard","muster":true,"dwell":60,"exitDelay":30,"radius":"north","#
                + #""tags":[1, {"a":null}]}}"#)
        let draft = try #require(try RegionDraft.decode(text.bytes).first)
        #expect(draft.shape == region.shape)
        #expect(draft.id == region.id && draft.name == region.name && draft.isMuster)
        #expect(draft.dwellSeconds == 60 && draft.exitDelaySeconds == 30)
    }

    @Test func `a circle is written as a point with a radius`() {
        let region = Region(
            number: RegionNumber(1), collection: CollectionNumber(1), id: "c", name: "c",
            shape: .circle(Circle(centre: place(47.25, 8.5), radius: 150)), properties: #"{"radius":9,"note":"x"}"#)
        #expect(
            write(region) == #"{"type":"Feature","id":"c","geometry":{"type":"Point","coordinates":[8.5,47.25]},"#
                + #""properties":{"name":"c","muster":false,"radius":150,"note":"x"}}"#)
    }

    @Test func `several polygons are written as one feature`() {
        let one = Polygon(exterior: [place(0, 0), place(0, 1), place(1, 1), place(0, 0)])
        let region = Region(
            number: RegionNumber(1), collection: CollectionNumber(1), id: "m", name: "m",
            shape: .multiPolygon([one, one]), properties: "no JSON")
        let ring = "[[[0,0],[1,0],[1,1],[0,0]]]"
        #expect(
            write(region)
                == #"{"type":"Feature","id":"m","geometry":{"type":"MultiPolygon","coordinates":[\#(ring),\#(ring)]},"#
                + #""properties":{"name":"m","muster":false}}"#)
    }

    @Test func `a region that only a rule makes a muster region reads back as none of its own`() throws {
        let region = Region(
            number: RegionNumber(1), collection: CollectionNumber(1), id: "c", name: "c",
            shape: .circle(Circle(centre: place(47.25, 8.5), radius: 150)))
        var writer = JSONWriter()
        writer.feature(region, isMuster: true, musterRules: ["points"])
        let text = writer.bytes.text
        #expect(text.contains(#""muster":true"#) && text.contains(#""musterByRule":true"#))
        let draft = try #require(try RegionDraft.decode(text.bytes).first)
        #expect(!draft.isMuster && draft.isMusterByRule)
        // What others mean by a member of that name says nothing.
        let other = text.replacing(#""musterByRule":true"#, with: #""musterByRule":"yes""#)
        #expect(try RegionDraft.decode(other.bytes).map(\.isMuster) == [true])
    }
}

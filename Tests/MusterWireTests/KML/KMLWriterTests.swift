import MusterCore
import MusterGeometry
import MusterWire
import Testing

/// KML that Muster writes: what it reads again, and what a name cannot do to it.
@Suite struct KMLWriterTests {
    private static let centre = Coordinate(validLatitude: 45, longitude: 14)

    private static func region(_ name: String, _ shape: Shape, id: String = "r", properties: String? = nil) -> Region {
        Region(
            number: RegionNumber(1), collection: CollectionNumber(1), id: id, name: name, shape: shape,
            isMuster: true, mode: .insideIsSafe, dwellSeconds: 60, exitDelaySeconds: 5.5, properties: properties)
    }

    private static func written(_ write: (inout KMLWriter) -> Void) -> String {
        var writer = KMLWriter()
        writer.begin(named: "town")
        write(&writer)
        writer.end()
        return String(decoding: writer.takeBytes(), as: UTF8.self)
    }

    private static func ring(_ west: Double, _ south: Double, _ east: Double, _ north: Double) -> [Coordinate] {
        [(west, south), (east, south), (east, north), (west, north), (west, south)].map {
            Coordinate(validLatitude: $0.1, longitude: $0.0)
        }
    }

    @Test func `a region is read again as it was, with its id, its settings and its properties`() throws {
        let shape = Shape.multiPolygon([
            Polygon(exterior: Self.ring(14, 45, 14.1, 45.1), holes: [Self.ring(14.04, 45.04, 14.06, 45.06).reversed()]),
            Polygon(exterior: Self.ring(15, 45, 15.1, 45.1)),
        ])
        let properties = #"{"gate":"7 & \"8\" <b>","description":"two\nlines","count":3}"#
        let file = Self.written {
            $0.append(Self.region("The yard", shape, id: "yard-1", properties: properties), isMuster: true)
            $0.append(Self.region("The yard", shape, id: "yard-2"), isMuster: true)
        }
        let document = KMLDocumentTests.read(file)
        #expect(document.faults.isEmpty && document.skipped.isEmpty)
        #expect(document.drafts.map(\.id) == ["yard-1", "yard-2"])
        #expect(document.drafts.allSatisfy { $0.name == "The yard" })
        let draft = try #require(document.drafts.first)
        #expect(draft.shape == shape && draft.isMuster && draft.mode == .insideIsSafe)
        #expect(draft.dwellSeconds == 60 && draft.exitDelaySeconds == 5.5)
        let read = try JSONValue(parsing: Array((draft.properties ?? "").utf8))
        #expect(read["gate"]?.string == #"7 & "8" <b>"# && read["description"]?.string == "two\nlines")
        #expect(read["count"]?.string == "3" && read["regionId"] == nil)
    }

    @Test(arguments: [1, 250, 100_000] as [Double])
    func `a circle becomes a polygon that holds no place outside of the circle`(radius: Double) throws {
        let circle = Circle(centre: Self.centre, radius: Metres(radius))
        let file = Self.written { $0.append(Self.region("Round", .circle(circle)), isMuster: true) }
        guard case .polygon(let polygon)? = KMLDocumentTests.read(file).drafts.first?.shape else {
            Issue.record("no polygon")
            return
        }
        for (corner, next) in zip(polygon.exterior, polygon.exterior.dropFirst()) {
            #expect(abs(Self.centre.distance(to: corner).value - radius) < max(0.02, radius * 1e-6))
            let middle = Coordinate(
                validLatitude: (corner.latitude + next.latitude) / 2,
                longitude: (corner.longitude + next.longitude) / 2)
            #expect(Self.centre.distance(to: middle).value < radius + 0.02)
            #expect(Self.centre.distance(to: middle).value > radius * 0.999 - 0.02)
        }
    }

    @Test func `a name is a text, whatever it looks like`() {
        let name = "</name><NetworkLink/>&amp;$[id]\u{1}"
        var placemark = KMLPlacemark(name)
        placemark.lines = [name, "<script>x</script>"]
        placemark.data = [("a\"><b", name)]
        placemark.geometry = .point(Self.centre)
        let file = Self.written { $0.append(placemark) }
        #expect(!file.contains("<NetworkLink") && !file.contains("<script") && !file.contains("<b"))
        // A description is HTML: what is text in it is escaped twice.
        #expect(file.contains("&amp;lt;script&amp;gt;") && file.contains("&amp;#36;[id]"))
        #expect(KMLDocumentTests.read(file).skipped.points == 1)
    }

    @Test func `a network link names its file, and how often to read it`() {
        let bytes = KMLWriter.networkLink(
            named: "A & B", describedBy: ["until then"], to: "https://muster.example/a?b&c", everySeconds: 10)
        let file = String(decoding: bytes, as: UTF8.self)
        #expect(file.contains("<href>https://muster.example/a?b&amp;c</href><refreshMode>onInterval</refreshMode>"))
        #expect(file.contains("<refreshInterval>10</refreshInterval>") && file.contains("<name>A &amp; B</name>"))
        #expect(KMLDocumentTests.read(file).faults.isEmpty)
    }
}

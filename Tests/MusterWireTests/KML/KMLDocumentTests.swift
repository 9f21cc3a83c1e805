import MusterGeometry
import MusterWire
import Testing

/// KML files as programs write them, and as nobody should.
@Suite struct KMLDocumentTests {
    /// A file in the form of Google Earth Pro: a document, folders, styles, a look-at, and tabs around the coordinates.
    static let googleEarth = """
        <?xml version="1.0" encoding="UTF-8"?>
        <kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2"
            xmlns:kml="http://www.opengis.net/kml/2.2" xmlns:atom="http://www.w3.org/2005/Atom">
        <Document>
        \t<name>Works.kml</name>
        \t<StyleMap id="m_ylw"><Pair><key>normal</key><styleUrl>#s_ylw</styleUrl></Pair></StyleMap>
        \t<Folder>
        \t\t<name>Assembly &amp; refuge</name>
        \t\t<open>1</open>
        \t\t<Placemark id="0A3B1C">
        \t\t\t<name>North yard</name>
        \t\t\t<description><![CDATA[Behind <b>hall 3</b>]]></description>
        \t\t\t<LookAt><longitude>14</longitude><latitude>45</latitude></LookAt>
        \t\t\t<styleUrl>#m_ylw</styleUrl>
        \t\t\t<Polygon>
        \t\t\t\t<tessellate>1</tessellate>
        \t\t\t\t<outerBoundaryIs>
        \t\t\t\t\t<LinearRing>
        \t\t\t\t\t\t<coordinates>
        \t\t\t\t\t\t\t14,45,0 14.1,45,12.5 14.1,45.1,-3 14,45.1,0 14,45,0\u{20}
        \t\t\t\t\t\t</coordinates>
        \t\t\t\t\t</LinearRing>
        \t\t\t\t</outerBoundaryIs>
        \t\t\t\t<innerBoundaryIs><LinearRing><coordinates>
        \t\t\t\t\t14.04,45.04 14.04,45.06 14.06,45.06 14.06,45.04 14.04,45.04
        \t\t\t\t</coordinates></LinearRing></innerBoundaryIs>
        \t\t\t</Polygon>
        \t\t</Placemark>
        \t\t<Placemark><name>Gate</name><Point><coordinates>14,45,0</coordinates></Point></Placemark>
        \t\t<Placemark><name>Fence</name><LineString><coordinates>14,45 14.1,45.1</coordinates></LineString></Placemark>
        \t</Folder>
        \t<NetworkLink><Link><href>http://example.org/other.kml</href></Link></NetworkLink>
        </Document>
        </kml>
        """

    /// A file in the form of QGIS's export: a schema, and its data in every placemark, whose geometry is multiple.
    static let qgis = """
        <?xml version="1.0" encoding="utf-8" ?>
        <kml xmlns="http://www.opengis.net/kml/2.2">
        <Document id="root_doc">
        <Schema name="areas" id="areas">
        \t<SimpleField name="muster" type="string"></SimpleField>
        \t<SimpleField name="dwell" type="float"></SimpleField>
        </Schema>
        <Folder><name>areas</name>
          <Placemark id="areas.1">
        \t<name>Halls</name>
        \t<Style><LineStyle><color>ff0000ff</color></LineStyle><PolyStyle><fill>0</fill></PolyStyle></Style>
        \t<ExtendedData><SchemaData schemaUrl="#areas">
        \t\t<SimpleData name="muster">true</SimpleData>
        \t\t<SimpleData name="dwell">60</SimpleData>
        \t\t<SimpleData name="owner">Plant 7</SimpleData>
        \t</SchemaData></ExtendedData>
              <MultiGeometry><Polygon><outerBoundaryIs><LinearRing><coordinates>14,45 14.1,45 14.1,45.1 14,45.1 14,45\
        </coordinates></LinearRing></outerBoundaryIs></Polygon><Polygon><outerBoundaryIs><LinearRing>\
        <coordinates>15,45 15.1,45 15.1,45.1 15,45.1 15,45</coordinates></LinearRing></outerBoundaryIs></Polygon>\
        </MultiGeometry>
          </Placemark>
        </Folder>
        </Document></kml>
        """

    static let square = "14,45 14.1,45 14.1,45.1 14,45.1 14,45"

    static func polygon(_ coordinates: String, holes: String...) -> String {
        let inner = holes.map {
            "<innerBoundaryIs><LinearRing><coordinates>\($0)</coordinates></LinearRing></innerBoundaryIs>"
        }
        return "<Polygon><outerBoundaryIs><LinearRing><coordinates>\(coordinates)</coordinates></LinearRing>"
            + "</outerBoundaryIs>\(inner.joined())</Polygon>"
    }

    static func file(_ placemarks: String...) -> String { "<kml>\n\(placemarks.joined(separator: "\n"))\n</kml>" }

    static func placemark(_ name: String, _ content: String) -> String {
        "<Placemark><name>\(name)</name>\(content)</Placemark>"
    }

    static func read(_ text: String, limits: RegionDraft.Limits = KMLDocument.limits) -> KMLDocument {
        Array(text.utf8).withUnsafeBytes { KMLDocument(parsing: $0, limits: limits) }
    }

    @Test func `a file of Google Earth gives its polygons, with names, folders and holes`() throws {
        let document = Self.read(Self.googleEarth)
        #expect(document.faults.isEmpty && document.faultCount == 0)
        let draft = try #require(document.drafts.first)
        #expect(document.drafts.count == 1)
        #expect(draft.id == "North yard" && draft.name == "North yard" && !draft.isMuster)
        guard case .polygon(let polygon) = draft.shape else {
            Issue.record("\(String(describing: draft.shape))")
            return
        }
        #expect(polygon.exterior.count == 5 && polygon.holes.map(\.count) == [5])
        #expect(polygon.exterior.contains { $0.longitude == 14.1 && $0.latitude == 45.1 })
        let properties = try JSONValue(parsing: Array((draft.properties ?? "").utf8))
        #expect(properties["description"]?.string == "Behind <b>hall 3</b>")
        #expect(properties["folder"]?.string == "Assembly & refuge")
        #expect(properties["document"]?.string == "Works.kml")
        #expect(document.skipped.points == 1 && document.skipped.lines == 1 && document.skipped.links == 1)
    }

    @Test func `a file of QGIS gives its data as properties, and several polygons as one region`() throws {
        let document = Self.read(Self.qgis)
        #expect(document.faults.isEmpty)
        let draft = try #require(document.drafts.first)
        #expect(draft.id == "Halls" && draft.isMuster && draft.dwellSeconds == 60)
        guard case .multiPolygon(let polygons) = draft.shape else {
            Issue.record("\(String(describing: draft.shape))")
            return
        }
        #expect(polygons.count == 2)
        let properties = try JSONValue(parsing: Array((draft.properties ?? "").utf8))
        #expect(properties["owner"]?.string == "Plant 7" && properties["folder"]?.string == "areas")
        #expect(document.skipped.isEmpty)
    }

    @Test func `names that are repeated get a number, long ones are cut, and none gives no id`() {
        let square = Self.polygon(Self.square)
        let long = String(repeating: "n", count: 150)
        let document = Self.read(
            Self.file(
                Self.placemark("Yard", square), Self.placemark("Yard", square), Self.placemark("Yard (2)", square),
                Self.placemark(long, square), "<Placemark>\(square)</Placemark>"))
        #expect(document.faults.isEmpty)
        let starts = document.drafts.map { $0.id?.prefix(12) }
        #expect(starts == ["Yard", "Yard (2)", "Yard (2) (2)", long.prefix(12), nil])
        #expect(document.drafts.allSatisfy { $0.id?.count ?? 1 <= 100 })
        #expect(document.drafts[1].name == "Yard")
    }

    /// What a file has, the line and a word of the fault, and the region that it names.
    static let faulty: [(String, line: Int, words: String, region: String?)] = [
        (file(placemark("A", polygon("14,45 14.1,45.1 14.1,45 14,45.1 14,45"))), 2, "crosses", "A"),
        (file(placemark("A", polygon("14,45 14.1,45 14.1,45.1 14,45.1"))), 2, "ends where it begins", "A"),
        (file(placemark("A", polygon("14,45 14.1,45\n 14.1,200 14,45"))), 3, "latitude", "A"),
        (file(placemark("A", polygon("14,45 200,45 14.1,45.1 14,45"))), 2, "longitude", "A"),
        (file(placemark("A", polygon("14,45 nan,45 14.1,45.1 14,45"))), 2, "longitude,latitude", "A"),
        (file(placemark("A", polygon("14,45 14.1,inf 14.1,45.1 14,45"))), 2, "longitude,latitude", "A"),
        (file(placemark("A", polygon("14,45 1e999,45 14.1,45.1 14,45"))), 2, "longitude", "A"),
        (file(placemark("A", polygon("14,45 \(String(repeating: "9", count: 5000)),45 14,45"))), 2, "longitude", "A"),
        (file(placemark("A", polygon("14 45 14.1 45 14.1 45.1 14 45"))), 2, "longitude,latitude", "A"),
        (file(placemark("A", polygon("14, 45, 0 14.1, 45, 0 14, 45, 0"))), 2, "longitude,latitude", "A"),
        (file(placemark("A", polygon(""))), 2, "4 positions", "A"),
        (file(placemark("A", "<Polygon></Polygon>")), 2, "outer boundary", "A"),
        (file(placemark("A", polygon(square, holes: "16,46 16.1,46 16.1,46.1 16,46"))), 2, "outside", "A"),
        (file(placemark(".", polygon(square))), 2, "URL", "."),
        ("<gpx></gpx>", 1, "not kml", nil), ("", 1, "no element", nil),
        ("<kml><Placemark>\n<name>B</name>", 2, "ends too early", "B"),
        ("<kml>\n<Placemark></Folder></kml>", 2, "expected </Placemark>", nil),
        ("<!DOCTYPE kml [<!ENTITY a \"b\">]>\n<kml>&a;</kml>", 1, "document type", nil),
        ("<kml><Placemark><name>&a;</name></Placemark></kml>", 1, "no entity", nil),
        (String(repeating: "<Folder>", count: 100), 1, "not kml", nil),
        ("<kml>" + String(repeating: "<Folder>", count: 100), 1, "nested deeper", nil),
        ("PK\u{3}\u{4}rest", 1, "KMZ", nil),
    ]

    @Test(arguments: faulty.indices)
    func `a fault has its line and its region`(_ index: Int) throws {
        let (text, line, words, region) = Self.faulty[index]
        let document = Self.read(text)
        let fault = try #require(document.faults.first { $0.detail.contains(words) }, "\(document.faults)")
        #expect(fault.line == line && fault.region == region)
        #expect(document.drafts.isEmpty)
        #expect(document.faultCount >= document.faults.count)
    }

    @Test func `a fault of the geometry has its place on the map, and leaves the other regions`() throws {
        let document = Self.read(
            Self.file(
                Self.placemark("Good", Self.polygon(Self.square)),
                Self.placemark("Bad", Self.polygon("14,45 14.1,45.1 14.1,45 14,45.1 14,45")),
                Self.placemark("Fine", Self.polygon(Self.square))))
        #expect(document.drafts.map(\.id) == ["Good", "Fine"])
        let fault = try #require(document.faults.first)
        #expect(document.faults.count == 1 && fault.region == "Bad" && fault.line == 3)
        let place = try #require(fault.coordinate)
        #expect(abs(place.longitude - 14.05) < 1e-9 && abs(place.latitude - 45.05) < 1e-9)
    }

    @Test func `faults are listed up to the limits, and all counted`() {
        let bad = Self.polygon(String(repeating: "x,y ", count: 50))
        var limits = KMLDocument.limits
        limits.faults = 25
        let marks = (0..<10).map { Self.placemark("p\($0)", bad) }
        let document = Self.read("<kml>\(marks.joined())</kml>", limits: limits)
        #expect(document.faults.count == 25 && document.faultCount >= 500)
        #expect(document.faults.count { $0.region == "p0" } == 10)
    }

    @Test func `the limits of a file hold`() {
        var limits = KMLDocument.limits
        limits.bytes = 100
        let short = Self.read(Self.googleEarth, limits: limits)
        #expect(short.faults.map(\.detail) == ["the file is larger than 100 bytes"])
        limits = KMLDocument.limits
        limits.features = 2
        let square = Self.polygon(Self.square)
        let three = Self.file(Self.placemark("a", square), Self.placemark("b", square), Self.placemark("c", square))
        #expect(Self.read(three, limits: limits).faults.map(\.detail) == ["the file has more than 2 placemarks"])
        limits.verticesPerFeature = 3
        #expect(Self.read(Self.file(Self.placemark("a", square)), limits: limits).faults.first?.region == "a")
        limits = KMLDocument.limits
        let data = (0..<3000).map { "<Data name=\"k\($0)\"><value>\(String(repeating: "v", count: 40))</value></Data>" }
        let heavy = Self.placemark("a", "<ExtendedData>\(data.joined())</ExtendedData>" + square)
        let fault = Self.read(Self.file(heavy), limits: limits).faults.first
        #expect(fault?.detail.hasPrefix("the data is longer") == true)
    }

    @Test func `a large file is read in one pass`() {
        // Each placemark is a ring of 100 positions; the whole has about 3 MB, a tenth of what may be sent.
        let marks = (0..<1_000).map { index -> String in
            let ring = (0...100).map { step -> String in
                let angle = Double(step % 100) / 100 * 2 * Double.pi
                let (x, y) = (14 + 0.001 * Double(index), 45.0)
                return "\(x + 0.0001 * _cos(angle)),\(y + 0.0001 * _sin(angle)),0"
            }
            return Self.placemark("r\(index)", Self.polygon(ring.joined(separator: " ")))
        }
        let document = Self.read("<kml>\(marks.joined(separator: "\n"))</kml>")
        #expect(document.drafts.count == 1_000 && document.faults.isEmpty)
    }

    private func _cos(_ angle: Double) -> Double { _sin(angle + Double.pi / 2) }

    /// A sine that is exact enough for a ring, without Foundation.
    private func _sin(_ angle: Double) -> Double {
        let x = angle.remainder(dividingBy: 2 * Double.pi)
        let parabola = 4 / Double.pi * x - 4 / (Double.pi * Double.pi) * x * abs(x)
        return 0.775 * parabola + 0.225 * parabola * abs(parabola)
    }
}

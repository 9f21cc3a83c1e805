package import MusterCore
package import MusterGeometry

/// Writes a KML document (OGC KML 2.2, https://www.ogc.org/standard/kml/) piece by piece, so that many regions need
/// little memory.
///
/// Call `begin`, then append folders, regions and placemarks, then `end`. Call `takeBytes` whenever enough bytes have
/// gathered. Every text is escaped: as XML, and in descriptions, which programs show as HTML, as HTML, too.
///
/// KML has no circles: a circle is written as a polygon whose corners lie on the circle, so that it holds no place
/// which the circle does not hold.
package struct KMLWriter {
    private var xml = XMLElements()

    /// Creates a writer that has written nothing yet.
    package init() {}

    /// The media type of KML.
    package static let mediaType = "application/vnd.google-earth.kml+xml"

    /// Begins the document.
    ///
    /// - Parameters:
    ///   - lines: the description, a line each.
    ///   - control: what a program that reads the document again and again should know.
    package mutating func begin(
        named name: String, describedBy lines: [String] = [], styles: [KMLStyle] = KMLStyle.ofRegions,
        control: KMLControl? = nil
    ) {
        beginFile()
        if let control { add(control) }
        xml.begin("Document", [])
        xml.add("name", [], text: name)
        xml.add("open", [], text: "1")
        add(description: lines)
        for style in styles { add(style) }
    }

    /// Ends the document.
    package mutating func end() {
        xml.end("Document")
        xml.end("kml")
    }

    /// Returns the bytes written so far and removes them.
    package mutating func takeBytes() -> [UInt8] { xml.takeBytes() }

    package mutating func beginFolder(named name: String) {
        xml.begin("Folder", [])
        xml.add("name", [], text: name)
    }

    package mutating func endFolder() { xml.end("Folder") }

    /// Appends a region with its properties, which `KMLDocument` reads again.
    ///
    /// - Parameter isMuster: whether people are safe there, also where a rule and not the region says so.
    package mutating func append(_ region: Region, isMuster: Bool) {
        var placemark = KMLPlacemark(region.name)
        placemark.style = isMuster ? KMLStyle.muster.id : KMLStyle.region.id
        placemark.data = region.data
        placemark.geometry = region.shape.map { .area($0) }
        append(placemark)
    }

    package mutating func append(_ placemark: KMLPlacemark) {
        xml.begin("Placemark", [])
        xml.add("name", [], text: placemark.name)
        add(description: placemark.lines)
        if let time = placemark.time {
            xml.begin("TimeStamp", [])
            xml.add("when", [], text: time.rfc3339)
            xml.end("TimeStamp")
        }
        if let style = placemark.style { xml.add("styleUrl", [], text: "#\(style)") }
        if !placemark.data.isEmpty {
            xml.begin("ExtendedData", [])
            for (name, value) in placemark.data {
                xml.begin("Data", [("name", name)])
                xml.add("value", [], text: value)
                xml.end("Data")
            }
            xml.end("ExtendedData")
        }
        switch placemark.geometry {
        case .point(let place):
            xml.begin("Point", [])
            xml.add("coordinates", [], text: Self.text(place))
            xml.end("Point")
        case .area(let shape): add(shape)
        case nil: break
        }
        xml.end("Placemark")
    }

    /// Returns a file with a network link: a program that opens it reads another file at once, and again and again.
    package static func networkLink(
        named name: String, describedBy lines: [String], to address: String, everySeconds seconds: Int
    ) -> [UInt8] {
        var writer = KMLWriter()
        writer.beginFile()
        writer.xml.begin("NetworkLink", [])
        writer.xml.add("name", [], text: name)
        writer.xml.add("open", [], text: "1")
        writer.add(description: lines)
        writer.xml.begin("Link", [])
        writer.xml.add("href", [], text: address)
        writer.xml.add("refreshMode", [], text: "onInterval")
        writer.xml.add("refreshInterval", [], text: "\(seconds)")
        writer.xml.end("Link")
        writer.xml.end("NetworkLink")
        writer.xml.end("kml")
        return writer.takeBytes()
    }

    // MARK: Elements

    private mutating func beginFile() {
        xml.begin("kml", [("xmlns", "http://www.opengis.net/kml/2.2")])
    }

    private mutating func add(_ control: KMLControl) {
        xml.begin("NetworkLinkControl", [])
        xml.add("minRefreshPeriod", [], text: "\(control.leastSeconds)")
        if let message = control.message { xml.add("message", [], text: message) }
        xml.add("linkName", [], text: control.name)
        if let end = control.expiresAt { xml.add("expires", [], text: end.rfc3339) }
        xml.end("NetworkLinkControl")
    }

    private mutating func add(description lines: [String]) {
        guard !lines.isEmpty else { return }
        xml.add("description", [], text: lines.map(Self.escapedForHTML).joined(separator: "<br/>"))
    }

    private mutating func add(_ style: KMLStyle) {
        xml.begin("Style", [("id", style.id)])
        if let icon = style.icon {
            xml.begin("IconStyle", [])
            xml.begin("Icon", [])
            xml.add("href", [], text: icon)
            xml.end("Icon")
            xml.end("IconStyle")
        }
        xml.begin("LineStyle", [])
        xml.add("color", [], text: style.line)
        xml.add("width", [], text: "2")
        xml.end("LineStyle")
        xml.begin("PolyStyle", [])
        xml.add("color", [], text: style.fill)
        xml.end("PolyStyle")
        xml.end("Style")
    }

    private mutating func add(_ shape: Shape) {
        switch shape {
        case .polygon(let polygon): add(polygon)
        case .multiPolygon(let polygons):
            xml.begin("MultiGeometry", [])
            for polygon in polygons { add(polygon) }
            xml.end("MultiGeometry")
        case .circle(let circle): add(Polygon(exterior: circle.corners))
        }
    }

    private mutating func add(_ polygon: Polygon) {
        xml.begin("Polygon", [])
        add(polygon.exterior, as: "outerBoundaryIs")
        for hole in polygon.holes { add(hole, as: "innerBoundaryIs") }
        xml.end("Polygon")
    }

    private mutating func add(_ ring: [Coordinate], as boundary: String) {
        xml.begin(boundary, [])
        xml.begin("LinearRing", [])
        xml.add("coordinates", [], text: ring.map(Self.text).joined(separator: " "))
        xml.end("LinearRing")
        xml.end(boundary)
    }

    /// A place, longitude first.
    private static func text(_ place: Coordinate) -> String {
        "\(JSONWriter.text(place.longitude)),\(JSONWriter.text(place.latitude))"
    }

    private static func escapedForHTML(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            // Programs put the values of the placemark in the place of $[name].
            case "$": result += "&#36;"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}

/// A feature of a KML document: a name, what is known, and its place.
package struct KMLPlacemark {
    package var name: String
    /// The description, a line each.
    package var lines: [String] = []
    /// When it was so.
    package var time: Instant?
    /// The id of a style of the document.
    package var style: String?
    /// Named values for programs.
    package var data: [(name: String, value: String)] = []
    /// Where it is; nil for a feature without a place, which programs list and do not draw.
    package var geometry: Geometry?

    /// A place, or an area.
    package enum Geometry {
        case point(Coordinate)
        case area(Shape)
    }

    package init(_ name: String) { self.name = name }
}

/// How a program draws features.
package struct KMLStyle: Hashable, Sendable {
    package var id: String
    /// The address of an image; nil for areas.
    package var icon: String?
    /// Colours in KML's order: 8 hexadecimal digits for alpha, blue, green and red.
    package var line: String
    package var fill: String

    package init(_ id: String, icon: String? = nil, line: String = "ffffffff", fill: String = "33ffffff") {
        self.id = id
        self.icon = icon
        self.line = line
        self.fill = fill
    }

    /// Regions where people are safe, in green, and all others.
    package static let muster = KMLStyle("muster", line: "ff3a6b0b", fill: "553a6b0b")
    package static let region = KMLStyle("region")
    package static let ofRegions = [muster, region]
}

/// What a program should know that reads a document again and again.
package struct KMLControl: Hashable, Sendable {
    /// The fewest seconds between two reads.
    package var leastSeconds: Int
    /// What the network link is called from now on.
    package var name: String
    /// What the program shows once; nil for nothing.
    package var message: String?
    /// When the document ends; nil when it has ended.
    package var expiresAt: Instant?

    package init(leastSeconds: Int, name: String, message: String? = nil, expiresAt: Instant? = nil) {
        self.leastSeconds = leastSeconds
        self.name = name
        self.message = message
        self.expiresAt = expiresAt
    }
}

extension Region {
    /// The properties, as `KMLDocument` reads them. The id has a datum of its own, because KML knows names only.
    fileprivate var data: [(name: String, value: String)] {
        var data = [(name: KMLDocument.idDatum, value: id)]
        if isMuster { data.append(("muster", "true")) }
        if let mode { data.append(("crossingMode", mode.wireName.description)) }
        if let dwellSeconds { data.append(("dwell", JSONWriter.text(dwellSeconds))) }
        if exitDelaySeconds > 0 { data.append(("exitDelay", JSONWriter.text(exitDelaySeconds))) }
        let own = try? JSONValue(parsing: Array("{".utf8) + ownProperties + Array("}".utf8))
        for member in own?.members ?? [] where member.key != KMLDocument.idDatum {
            data.append((member.key, member.value.string ?? String(decoding: member.value.bytes, as: UTF8.self)))
        }
        return data
    }
}

extension Circle {
    /// How many corners a circle is drawn with: its sides are up to 0.04 % of the radius inside the circle.
    private static let cornerCount = 120

    /// A closed ring of corners on the circle, counter-clockwise.
    fileprivate var corners: [Coordinate] {
        let open = (0..<Self.cornerCount).map { index in
            centre.destination(
                bearing: Degrees(360 - 360 * Double(index) / Double(Self.cornerCount)), distance: radius)
        }
        return open + open.prefix(1)
    }
}

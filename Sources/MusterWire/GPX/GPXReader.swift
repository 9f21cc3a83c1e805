import MusterCore
import MusterGeometry

/// Builds a document from the elements of a GPX file.
struct GPXReader {
    private var xml: XMLReader
    private let limits: GPXDocument.Limits
    private var document = GPXDocument()
    /// The kinds of the open elements, the innermost last.
    private var open: [Element] = []
    /// The point that is being read.
    private var point: GPXDocument.Point?
    /// The text of the innermost leaf so far.
    private var text = ""
    private var points = 0
    private var groups = 0

    /// The kind of an element, by its name and its parent.
    private enum Element: Hashable {
        case file, metadata, track, segment, route, waypoint, routePoint, trackPoint
        /// The extensions of a point, with everything in them.
        case pointExtensions
        /// An element whose text the reader uses.
        case leaf(Leaf)
        /// Any other element, with everything in it.
        case other
    }

    fileprivate enum Leaf {
        case name, elevation, time, dilution, speed, course, heading, accuracy
    }

    init(_ bytes: UnsafeRawBufferPointer, limits: GPXDocument.Limits) {
        xml = XMLReader(bytes)
        self.limits = limits
    }

    mutating func read() throws(GPXError) -> GPXDocument {
        while true {
            switch try wrapped({ (xml) throws(XMLError) in try xml.next() }) {
            case .start: try begin()
            case .end: try end()
            case .text:
                guard case .leaf = open.last else { continue }
                text += try wrapped { (xml) throws(XMLError) in try xml.text() }
                guard text.utf8.count <= limits.textBytes else {
                    throw fault(.textTooLong(limitBytes: limits.textBytes))
                }
            case .finished: return document
            }
        }
    }

    // MARK: Elements

    private mutating func begin() throws(GPXError) {
        let element = element()
        open.append(element)
        switch element {
        case .file:
            guard xml.isNamed("gpx") else { throw fault(.notGPX(root: xml.localName)) }
            document.creator = try attribute("creator")
        case .track:
            try countGroup()
            document.tracks.append(GPXDocument.Track())
        case .segment:
            try countGroup()
            document.tracks[document.tracks.count - 1].segments.append([])
        case .route:
            try countGroup()
            document.routes.append(GPXDocument.Route())
        case .waypoint, .routePoint, .trackPoint:
            points += 1
            guard points <= limits.points else { throw fault(.tooManyPoints(limit: limits.points)) }
            point = GPXDocument.Point(
                coordinate: Coordinate(
                    validLatitude: try degrees("lat", limit: 90), longitude: try degrees("lon", limit: 180)))
        case .leaf: text = ""
        case .metadata, .pointExtensions, .other: break
        }
    }

    /// Returns the kind of the element that has just begun.
    private func element() -> Element {
        guard let parent = open.last else { return .file }
        switch parent {
        case .file:
            if xml.isNamed("trk") { return .track }
            if xml.isNamed("rte") { return .route }
            if xml.isNamed("wpt") { return .waypoint }
            if xml.isNamed("metadata") { return .metadata }
            // GPX 1.0 puts the file's name here, GPX 1.1 in its metadata.
            return xml.isNamed("name") ? .leaf(.name) : .other
        case .metadata: return xml.isNamed("name") ? .leaf(.name) : .other
        case .track:
            if xml.isNamed("trkseg") { return .segment }
            return xml.isNamed("name") ? .leaf(.name) : .other
        case .segment: return xml.isNamed("trkpt") ? .trackPoint : .other
        case .route:
            if xml.isNamed("rtept") { return .routePoint }
            return xml.isNamed("name") ? .leaf(.name) : .other
        case .waypoint, .routePoint, .trackPoint:
            if xml.isNamed("extensions") { return .pointExtensions }
            return [.name, .elevation, .time, .dilution, .speed, .course].first { xml.isNamed($0.tag) }
                .map { .leaf($0) } ?? .other
        case .pointExtensions:
            return [Leaf.speed, .course, .heading, .accuracy].first { xml.isNamed($0.tag) }
                .map { .leaf($0) } ?? .pointExtensions
        case .leaf, .other: return .other
        }
    }

    private mutating func end() throws(GPXError) {
        guard let element = open.popLast() else { return }
        switch element {
        case .leaf(let leaf):
            let value = text.trimmed
            if !value.isEmpty { try setValue(value, as: leaf) }
        case .waypoint: if let point { document.waypoints.append(point) }
        case .routePoint: if let point { document.routes[document.routes.count - 1].points.append(point) }
        case .trackPoint:
            guard let point else { break }
            let track = document.tracks.count - 1
            document.tracks[track].segments[document.tracks[track].segments.count - 1].append(point)
        case .file, .metadata, .track, .segment, .route, .pointExtensions, .other: return
        }
        if case .leaf = element { return }
        point = nil
    }

    // MARK: Values

    private mutating func setValue(_ value: String, as leaf: Leaf) throws(GPXError) {
        guard var point else {
            // Outside of points the reader uses only names.
            switch open.last {
            case .file, .metadata: document.name = value
            case .track: document.tracks[document.tracks.count - 1].name = value
            case .route: document.routes[document.routes.count - 1].name = value
            default: break
            }
            return
        }
        switch leaf {
        case .name: point.name = value
        case .elevation: point.elevation = Metres(try number(value, "ele"))
        case .time: point.time = try time(value)
        case .dilution: point.dilution = try number(value, "hdop")
        case .speed: point.speed = try number(value, "speed")
        case .course: point.course = try number(value, "course")
        case .heading: point.course = try number(value, "heading")
        case .accuracy: point.accuracy = Metres(try number(value, "accuracy"))
        }
        self.point = point
    }

    private mutating func degrees(_ name: StaticString, limit: Double) throws(GPXError) -> Double {
        guard let text = try attribute(name) else { throw fault(.missingAttribute(name.description)) }
        let value = try number(text.trimmed, name.description)
        guard abs(value) <= limit else { throw fault(.offGlobe(element: name.description, degrees: value)) }
        return value
    }

    private func number(_ text: String, _ element: String) throws(GPXError) -> Double {
        // `xsd:decimal`, and also exponents, which some programs write; no words and no hexadecimal.
        let isDecimal = text.utf8.allSatisfy { byte in
            byte &- 0x30 <= 9 || byte == 0x2D || byte == 0x2B || byte == 0x2E || byte | 0x20 == 0x65
        }
        guard isDecimal, text.utf8.count <= JSONNumber.limitBytes, let value = Double(text), value.isFinite else {
            throw fault(.invalidNumber(element: element, text: text))
        }
        return value
    }

    private func time(_ text: String) throws(GPXError) -> Instant {
        do {
            return try Instant(rfc3339: text)
        } catch {
            // `xsd:dateTime` may lack an offset.
            if let instant = try? Instant(rfc3339: text + "Z") { return instant }
            throw fault(.time(error))
        }
    }

    // MARK: Pieces

    private mutating func countGroup() throws(GPXError) {
        groups += 1
        guard groups <= limits.groups else { throw fault(.tooManyGroups(limit: limits.groups)) }
    }

    private mutating func attribute(_ name: StaticString) throws(GPXError) -> String? {
        try wrapped { (xml) throws(XMLError) in try xml.attribute(name) }
    }

    private func fault(_ reason: GPXError.Reason) -> GPXError { GPXError(line: xml.line, reason: reason) }

    private mutating func wrapped<Value>(
        _ body: (inout XMLReader) throws(XMLError) -> Value
    ) throws(GPXError) -> Value {
        do {
            return try body(&xml)
        } catch {
            throw GPXError(line: error.line, reason: .xml(error.reason))
        }
    }
}

extension GPXReader.Leaf {
    /// The element's name.
    fileprivate var tag: StaticString {
        switch self {
        case .name: "name"
        case .elevation: "ele"
        case .time: "time"
        case .dilution: "hdop"
        case .speed: "speed"
        case .course: "course"
        case .heading: "heading"
        case .accuracy: "accuracy"
        }
    }
}

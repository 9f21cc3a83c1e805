import MusterGeometry

/// Builds regions from the elements of a KML file. It knows elements by their names without a prefix, and skips those
/// that it does not know, with everything in them.
struct KMLReader {
    private var xml: XMLReader
    var lines: LineCounter
    let bytes: UnsafeRawBufferPointer
    let limits: RegionDraft.Limits
    /// Checks the parts of a region, and makes it.
    var regions: RegionReader
    var document = KMLDocument()
    /// The kinds of the open elements, the innermost last.
    private var open: [Element] = []
    /// The text of the innermost leaf so far.
    private var text = ""
    /// The names of the open documents and folders.
    private var containers: [Container] = []
    /// The placemark that is being read.
    var placemark = Placemark()
    private var ids: Set<String> = []
    /// By name: the number that the next placemark with this name gets.
    private var numbers: [String: Int] = [:]

    /// The kind of an element, by its name and its parent.
    private enum Element: Hashable {
        case file, container, placemark, geometry, polygon, outer, inner
        /// A ring of a polygon; `isHole` tells which.
        case ring(isHole: Bool)
        case coordinates(isHole: Bool)
        case extendedData, data, schemaData
        case leaf(Leaf)
        /// Any other element, with everything in it.
        case other
    }

    private enum Leaf { case containerName, name, description, value, simpleData }

    private struct Container {
        var isFolder: Bool
        var name = ""
    }

    /// The parts of a placemark read so far.
    struct Placemark {
        var line = 1
        var name: String?
        var description = ""
        var polygons: [Polygon] = []
        var data: [(key: String, value: String)] = []
        var keys: Set<String> = []
        /// The key of the datum that is being read.
        var key: String?
        /// How many bytes the data have.
        var dataBytes = 0
        /// Whether anything in it was counted as left out.
        var hasSkipped = false
        /// How many vertices it has.
        var vertices = 0
        /// How many faults there were before it.
        var mark = 0

        /// Rings as they are written, with the line of each: the exterior, if there is one, and the holes.
        struct Polygon {
            var exterior: (ring: [RawVertex], line: Int)?
            var holes: [(ring: [RawVertex], line: Int)] = []
        }
    }

    init(_ bytes: UnsafeRawBufferPointer, limits: RegionDraft.Limits) {
        xml = XMLReader(bytes)
        lines = LineCounter(bytes)
        self.bytes = bytes
        self.limits = limits
        regions = RegionReader(limits: limits)
    }

    mutating func read() -> KMLDocument {
        do throws(XMLError) {
            while try step() {}
        } catch {
            // This fault ended the reading, so it is listed even where the list is full.
            document.faults.removeLast(max(0, document.faults.count - limits.faults + 1))
            placemark.mark = faultMark
            record(error.reason.description, line: error.line)
        }
        document.drafts = regions.drafts
        return document
    }

    /// Reads one event.
    ///
    /// - Returns: whether there are more.
    private mutating func step() throws(XMLError) -> Bool {
        switch try xml.next() {
        case .start: return try begin()
        case .end: end()
        case .text:
            switch open.last {
            case .coordinates(let isHole): readCoordinates(xml.textRange, isHole: isHole)
            case .leaf:
                // A text that is longer than properties may be is refused when the placemark ends.
                if text.utf8.count <= limits.propertyBytes { text += try xml.text() }
            default: break
            }
        case .finished: return false
        }
        return true
    }

    // MARK: Elements

    private mutating func begin() throws(XMLError) -> Bool {
        let element = element()
        open.append(element)
        switch element {
        case .file:
            guard xml.isNamed("kml") else {
                record("the root element is \(RegionReader.quoted(xml.localName)), not kml", line: line)
                return false
            }
        case .container: containers.append(Container(isFolder: xml.isNamed("Folder")))
        case .placemark:
            guard regions.featureCount < limits.features else {
                record("the file has more than \(limits.features) placemarks", line: line)
                return false
            }
            placemark = Placemark()
            placemark.line = line
            placemark.mark = faultMark
        case .polygon: placemark.polygons.append(Placemark.Polygon())
        case .ring(let isHole): beginRing(isHole: isHole)
        case .data: placemark.key = try xml.attribute("name") ?? ""
        case .leaf(let leaf):
            text = ""
            if leaf == .simpleData { placemark.key = try xml.attribute("name") ?? "" }
        case .other: countSkipped()
        case .geometry, .outer, .inner, .coordinates, .extendedData, .schemaData: break
        }
        return true
    }

    /// Returns the kind of the element that has just begun.
    private func element() -> Element {
        guard let parent = open.last else { return .file }
        switch parent {
        case .file: return isContainer ? .container : xml.isNamed("Placemark") ? .placemark : .other
        case .container:
            if xml.isNamed("name") { return .leaf(.containerName) }
            return isContainer ? .container : xml.isNamed("Placemark") ? .placemark : .other
        case .placemark:
            if xml.isNamed("name") { return .leaf(.name) }
            if xml.isNamed("description") { return .leaf(.description) }
            if xml.isNamed("ExtendedData") { return .extendedData }
            return geometry
        case .geometry: return geometry
        case .polygon:
            return xml.isNamed("outerBoundaryIs") ? .outer : xml.isNamed("innerBoundaryIs") ? .inner : .other
        case .outer: return xml.isNamed("LinearRing") ? .ring(isHole: false) : .other
        case .inner: return xml.isNamed("LinearRing") ? .ring(isHole: true) : .other
        case .ring(let isHole): return xml.isNamed("coordinates") ? .coordinates(isHole: isHole) : .other
        case .extendedData: return xml.isNamed("Data") ? .data : xml.isNamed("SchemaData") ? .schemaData : .other
        case .data: return xml.isNamed("value") ? .leaf(.value) : .other
        case .schemaData: return xml.isNamed("SimpleData") ? .leaf(.simpleData) : .other
        case .coordinates, .leaf, .other: return .other
        }
    }

    private var isContainer: Bool { xml.isNamed("Folder") || xml.isNamed("Document") }

    private var geometry: Element {
        xml.isNamed("Polygon") ? .polygon : xml.isNamed("MultiGeometry") ? .geometry : .other
    }

    /// Counts an element without an area, if the element that has just begun is one.
    private mutating func countSkipped() {
        switch open.dropLast().last {
        case .placemark, .geometry:
            if xml.isNamed("Point") {
                document.skipped.points += 1
            } else if xml.isNamed("LineString") || xml.isNamed("LinearRing") || xml.isNamed("Track")
                || xml.isNamed("MultiTrack")
            {
                document.skipped.lines += 1
            } else if xml.isNamed("Model") {
                document.skipped.others += 1
            } else {
                return
            }
            placemark.hasSkipped = true
        case .file, .container:
            if xml.isNamed("NetworkLink") {
                document.skipped.links += 1
            } else if xml.isNamed("GroundOverlay") || xml.isNamed("ScreenOverlay") || xml.isNamed("PhotoOverlay")
                || xml.isNamed("Tour")
            {
                document.skipped.others += 1
            }
        default: break
        }
    }

    private mutating func end() {
        switch open.popLast() {
        case .leaf(let leaf): setText(of: leaf)
        case .container: containers.removeLast()
        case .placemark: finishPlacemark()
        default: break
        }
    }

    private mutating func setText(of leaf: Leaf) {
        let value = text.trimmed
        switch leaf {
        case .containerName: containers[containers.count - 1].name = value
        case .name: if !value.isEmpty { placemark.name = value }
        case .description: placemark.description = value
        case .value, .simpleData: if let key = placemark.key { add(value, as: key) }
        }
    }

    private mutating func add(_ value: String, as key: String) {
        guard !key.isEmpty, placemark.dataBytes <= limits.propertyBytes, placemark.keys.insert(key).inserted else {
            return
        }
        placemark.dataBytes += key.utf8.count + value.utf8.count
        placemark.data.append((key, value))
    }

    // MARK: Placemarks

    private mutating func finishPlacemark() {
        defer {
            placemark = Placemark()
            placemark.mark = faultMark
        }
        guard !placemark.polygons.isEmpty else {
            if !placemark.hasSkipped { document.skipped.others += 1 }
            return
        }
        if placemark.name == nil, let named = placemark.data.first(where: { $0.key == "name" }) {
            placemark.name = named.value.isEmpty ? nil : named.value
        }
        regions.feature = regions.featureCount
        regions.featureCount += 1
        let mark = regions.faultCount
        var polygons: [[[RawVertex]]] = []
        for polygon in placemark.polygons {
            guard let exterior = polygon.exterior else {
                record("a polygon needs an outer boundary", line: placemark.line)
                continue
            }
            polygons.append([exterior.ring] + polygon.holes.map(\.ring))
        }
        let properties = readProperties()
        let isSound = faultMark == placemark.mark
        if isSound, let first = polygons.first {
            let stated = placemark.data.first { $0.key == KMLDocument.idDatum && !$0.value.isEmpty }?.value
            let id = (stated ?? placemark.name).map { unusedID($0) }
            if let id { regions.check(id: id) }
            let geometry = polygons.count == 1 ? GeometryDraft.polygon(first) : .multiPolygon(polygons)
            regions.finish(id, geometry, isPlaceless: false, properties, since: mark)
        }
        takeFaults(since: mark)
    }

    /// The properties of the placemark, with what they mean for a region.
    private mutating func readProperties() -> PropertiesDraft {
        if !placemark.description.isEmpty { add(placemark.description, as: "description") }
        let folders = containers.filter { $0.isFolder && !$0.name.isEmpty }.map(\.name)
        if !folders.isEmpty { add(folders.joined(separator: "/"), as: "folder") }
        if let name = containers.last(where: { !$0.isFolder })?.name, !name.isEmpty { add(name, as: "document") }
        var writer = JSONWriter()
        writer.beginObject()
        if let name = placemark.name {
            writer.key("name")
            writer.value(name)
        }
        for (key, value) in placemark.data where key != "name" && key != KMLDocument.idDatum {
            // A known property without a value states nothing.
            if value.isEmpty, PropertiesDraft.keys.contains(key) { continue }
            writer.key(key)
            writer.datum(value, of: key)
        }
        writer.endObject()
        return writer.bytes.withUnsafeBytes { bytes in
            var reader = JSONReader(bytes)
            return (try? regions.readProperties(&reader)) ?? PropertiesDraft()
        }
    }

    /// Returns a name as the id of a region: cut to the longest id, and with a number if another placemark has it.
    private mutating func unusedID(_ name: String) -> String {
        let base = String(name.prefix(limits.idCharacters - 8))
        var id = name.count <= limits.idCharacters ? name : base
        var number = numbers[id] ?? 2
        let first = id
        while !ids.insert(id).inserted {
            id = "\(base) (\(number))"
            number += 1
        }
        if id != first { numbers[first] = number }
        return id
    }

    // MARK: Faults

    /// The line of the reader's place.
    var line: Int { mutating get { lines.line(at: xml.place) } }

    /// How many faults there were so far.
    var faultMark: Int { document.faultCount }

    mutating func record(_ detail: String, line: Int, coordinate: Coordinate? = nil) {
        document.faultCount += 1
        guard document.faults.count < limits.faults, document.faultCount - placemark.mark <= limits.faultsPerFeature
        else { return }
        document.faults.append(
            KMLDocument.Fault(line: line, region: placemark.name, detail: detail, coordinate: coordinate))
    }

    /// Takes the faults that the check of a region found, and gives them lines.
    private mutating func takeFaults(since mark: Int) {
        let unlisted = regions.faultCount - mark
        let faults = regions.takeFaults()
        for fault in faults {
            let words = fault.reason.description
            let detail = placemark.property(of: fault.pointer).map { "\($0) \(words)" } ?? words
            record(detail, line: placemark.line(of: fault.pointer), coordinate: fault.coordinate)
        }
        document.faultCount += unlisted - faults.count
    }
}

extension KMLReader.Placemark {
    /// The line of the ring that a pointer leads to, and the placemark's own for any other pointer.
    fileprivate func line(of pointer: String) -> Int {
        let parts = pointer.split(separator: "/")
        guard parts.starts(with: ["geometry", "coordinates"]) else { return line }
        let indices = parts.dropFirst(2).prefix(2).compactMap { Int($0) }
        let sound = polygons.filter { $0.exterior != nil }
        let (polygon, ring) = sound.count == 1 ? (0, indices.first ?? 0) : (indices.first ?? 0, indices.last ?? 0)
        guard sound.indices.contains(polygon) else { return line }
        if ring == 0 { return sound[polygon].exterior?.line ?? line }
        return ring <= sound[polygon].holes.count ? sound[polygon].holes[ring - 1].line : line
    }

    /// The name of the property that a pointer leads to; nil for any other pointer.
    fileprivate func property(of pointer: String) -> String? {
        if pointer == "/id" { return "name" }
        guard pointer.hasPrefix("/properties") else { return nil }
        return pointer == "/properties" ? "the data" : String(pointer.dropFirst("/properties/".count))
    }
}

extension JSONWriter {
    /// Writes a datum, which KML has as a text, in the type that the property of this name has.
    fileprivate mutating func datum(_ text: String, of key: String) {
        switch (key, text.lowercased()) {
        case ("muster", "true"), ("muster", "1"), ("muster", "yes"): value(true)
        case ("muster", "false"), ("muster", "0"), ("muster", "no"): value(false)
        case ("dwell", _), ("exitDelay", _):
            if let number = Double(text), number.isFinite { value(number) } else { value(text) }
        default: value(text)
        }
    }
}

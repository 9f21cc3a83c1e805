package import MusterGeometry

/// The regions of a KML file (OGC KML 2.2 and 2.3, https://www.ogc.org/standard/kml/): its placemarks with polygons.
///
/// A placemark's name becomes the id and the name of the region; a name that another placemark has gets a number. A
/// datum `regionId`, as `KMLWriter` writes it, is the id in its place. The properties are the placemark's extended
/// data, its description, and the names of the folders and the document that it is in. Altitudes, styles and times
/// have no meaning for a region. What has no area (points, lines, links, images) is counted and left out. Nothing is
/// fetched, and a document type is refused, so nothing is expanded.
package struct KMLDocument: Hashable, Sendable {
    /// The regions without a fault, in the order of the file.
    package var drafts: [RegionDraft] = []
    /// The faults, in the order of the file; at most `RegionDraft.Limits.faults`.
    package var faults: [Fault] = []
    /// How many faults there are, listed or not.
    package var faultCount = 0
    /// What was left out because it has no area.
    package var skipped = Skipped()

    /// The name of the datum that has a region's id.
    static let idDatum = "regionId"

    /// Creates a document without regions.
    package init() {}

    /// A fault, and its place.
    package struct Fault: Hashable, Sendable {
        /// The line in the file, from 1. For a fault in a ring, the line where its coordinates begin.
        package var line: Int
        /// The name of the placemark; nil outside of one, and while it has no name.
        package var region: String?
        /// One sentence without a full stop.
        package var detail: String
        /// The place of the fault on the map; nil when it has none.
        package var coordinate: Coordinate?
    }

    /// How many things have no area.
    package struct Skipped: Hashable, Sendable {
        package var points = 0
        package var lines = 0
        /// Links to other files, which are never followed.
        package var links = 0
        /// Images, models, tours, and placemarks without a geometry.
        package var others = 0

        /// Creates counts of nothing.
        package init() {}

        package var isEmpty: Bool { self == Skipped() }
    }

    /// The limits within which a KML file is read: 30 MB, and otherwise those of GeoJSON.
    package static var limits: RegionDraft.Limits {
        var limits = RegionDraft.Limits()
        limits.bytes = 30_000_000
        return limits
    }

    /// Reads a file. A fault in the XML ends the reading; any other fault leaves out its placemark.
    ///
    /// - Complexity: O(bytes), and O(n log n) for the rings of a placemark with n vertices.
    package init(parsing bytes: UnsafeRawBufferPointer, limits: RegionDraft.Limits = KMLDocument.limits) {
        guard bytes.count <= limits.bytes else {
            add("the file is larger than \(limits.bytes) bytes", line: 1)
            return
        }
        guard !bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) else {
            add("this is a KMZ file, a ZIP archive: unpack it, and send the doc.kml in it", line: 1)
            return
        }
        let text: [UInt8]
        do {
            text = try XMLEncoding.utf8(bytes)
        } catch {
            add(error.reason.description, line: error.line)
            return
        }
        text.withUnsafeBytes { buffer in
            var reader = KMLReader(buffer, limits: limits)
            self = reader.read()
        }
    }

    private mutating func add(_ detail: String, line: Int) {
        faults.append(Fault(line: line, detail: detail))
        faultCount += 1
    }
}

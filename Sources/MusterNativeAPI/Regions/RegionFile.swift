import HTTPTypes
import Hummingbird
import MusterCore
import MusterGeometry
import MusterServer
import MusterWire
import NIOCore

/// A file of regions as it was read: the sound regions, and every fault.
struct RegionFile: Sendable {
    var drafts: [RegionDraft]
    /// The faults that are listed, in the order of the file.
    var faults: [Problem.Fault]
    /// How many faults there are, listed or not.
    var faultCount: Int
    /// How many things in a KML file have no area.
    var skipped = KMLDocument.Skipped()
    /// The problem of a file in GeoJSON with a fault.
    private var geoJSONFaults: RegionFaults?

    /// The formats of region files.
    enum Form: Sendable {
        case geoJSON, kml

        /// The media types of KML. Programs that do not know it state only that it is XML.
        static let kmlTypes = ["application/vnd.google-earth.kml+xml", "application/xml", "text/xml"]
        private static let packedType = "application/vnd.google-earth.kmz"

        /// - Throws: `Problem.unsupportedMediaType`.
        init(of request: Request) throws(Problem) {
            if let type = request.mediaType {
                guard type != Self.packedType else {
                    throw .unsupportedMediaType("This is KMZ, a ZIP archive: unpack it, and send the doc.kml in it.")
                }
                if Self.kmlTypes.contains(type) {
                    self = .kml
                    return
                }
            }
            try request.requireJSON()
            self = .geoJSON
        }
    }

    /// Reads a file.
    ///
    /// - Parameter faultLimit: the largest number of faults that are listed.
    init(reading bytes: UnsafeRawBufferPointer, as form: Form, faultLimit: Int) {
        switch form {
        case .geoJSON:
            var limits = RegionDraft.Limits()
            limits.faults = faultLimit
            do throws(RegionFaults) {
                drafts = try RegionDraft.decode(bytes, limits: limits)
                (faults, faultCount) = ([], 0)
            } catch {
                drafts = error.drafts
                faults = error.faults.map {
                    Problem.Fault($0.pointer, $0.reason.description, feature: $0.feature, coordinate: $0.coordinate)
                }
                faultCount = error.count
                geoJSONFaults = error
            }
        case .kml:
            var limits = KMLDocument.limits
            limits.faults = faultLimit
            let document = KMLDocument(parsing: bytes, limits: limits)
            drafts = document.drafts
            faults = document.faults.map { fault in
                var listed = Problem.Fault(line: fault.line, column: nil, fault.detail)
                listed.region = fault.region
                listed.coordinate = fault.coordinate
                return listed
            }
            faultCount = document.faultCount
            skipped = document.skipped
        }
    }

    /// Checks that the file has no fault.
    ///
    /// - Throws: the problem with the faults.
    func requireSound() throws {
        if let geoJSONFaults { throw geoJSONFaults }
        guard faultCount > 0 else { return }
        var problem = Problem.invalid(faults, "Nothing was stored.")
        problem.faultCount = faultCount
        throw problem
    }
}

extension JSONWriter {
    /// How many regions a dry run shows, and how many positions they have together.
    private static let shownRegions = 2_000
    private static let shownPositions = 200_000

    /// Writes what a dry run found.
    ///
    /// - Parameter replaced: how many of the regions are in the collection already; nil if it does not exist.
    mutating func value(_ file: RegionFile, replaced: Int?) {
        beginObject()
        // All or none: a file with a fault stores nothing.
        member("stored", file.faultCount == 0 ? file.drafts.count : 0)
        member("regions", file.drafts.count)
        if let replaced { member("replaced", replaced) }
        member("faults", listing: file.faults) { $0.listed($1) }
        member("moreFaults", file.faultCount - file.faults.count)
        skippedMember(file.skipped)
        features(of: file.drafts)
        endObject()
    }

    /// Writes how many things in a file have no area.
    mutating func skippedMember(_ skipped: KMLDocument.Skipped) {
        key("skipped")
        beginObject()
        member("points", skipped.points)
        member("lines", skipped.lines)
        member("links", skipped.links)
        member("others", skipped.others)
        endObject()
    }

    private mutating func listed(_ fault: Problem.Fault) {
        beginObject()
        if let line = fault.line { member("line", line) } else { member("pointer", fault.pointer) }
        if let feature = fault.feature { member("feature", feature) }
        member("region", fault.region)
        member("detail", fault.detail)
        if let coordinate = fault.coordinate {
            key("coordinates")
            beginArray()
            value(coordinate.longitude)
            value(coordinate.latitude)
            endArray()
        }
        endObject()
    }

    private mutating func features(of drafts: [RegionDraft]) {
        key("features")
        beginObject()
        member("type", "FeatureCollection")
        key("features")
        beginArray()
        var positions = 0
        var shown = 0
        for draft in drafts.prefix(Self.shownRegions) {
            positions += draft.shape?.positionCount ?? 0
            guard positions <= Self.shownPositions else { break }
            let id = draft.id ?? ""
            feature(
                Region(
                    number: RegionNumber(0), collection: CollectionNumber(0), id: id, name: draft.name ?? id,
                    shape: draft.shape, isMuster: draft.isMuster, mode: draft.mode, dwellSeconds: draft.dwellSeconds,
                    exitDelaySeconds: draft.exitDelaySeconds, properties: draft.properties))
            shown += 1
        }
        endArray()
        endObject()
        member("moreFeatures", drafts.count - shown)
    }
}

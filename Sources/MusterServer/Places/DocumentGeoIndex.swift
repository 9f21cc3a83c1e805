import MusterCore
import MusterDocuments
import MusterGeometry
import MusterWire

/// The geometries of the documents of one scope, by id, in a spatial index, as of one change of the log.
package struct DocumentGeoIndex: Sendable {
    /// The spatial index of the geometries.
    private(set) var index = PlaceIndex()
    /// The document ids, by slot.
    private(set) var ids: [String] = []
    /// The coordinates of points, by slot.
    private(set) var coordinates: [Coordinate] = []
    /// The geometries that are not points, by slot.
    private(set) var geometries: [Int32: PlainGeometry] = [:]
    private var slots: [ExactText: Int32] = [:]
    /// The last change that the index includes.
    private(set) var sequence = LogSequence(0)

    /// The largest number of documents with a geometry in a scope.
    static let placeLimit = 3_000_000
    private static let pageSize = 1_000

    /// The number of documents with a geometry.
    package var count: Int { index.count }

    /// Adds the changes since the last call.
    ///
    /// - Throws: `MangoError` when there are more geometries than the index may hold; the reader's errors.
    mutating func follow(_ reader: any DocumentReader, _ scope: DatabaseScope) throws {
        let newest = reader.lastSequence
        while sequence < newest {
            try BoundedWork.bound?.check()
            let page = try reader.changes(
                in: scope, since: sequence, isDescending: false, withBodies: true, limit: Self.pageSize)
            for document in page { indexDocument(document) }
            guard index.count <= Self.placeLimit else {
                throw MangoError("too_many_places", "More than \(Self.placeLimit) documents have a place", status: 503)
            }
            guard let last = page.last?.sequence, last < newest else { break }
            sequence = last
        }
        sequence = newest
        if ids.count > 2 * index.count + 10_000 { shrink() }
    }

    private mutating func indexDocument(_ document: StoredDocument) {
        let name = ExactText(document.id)
        if let old = slots.removeValue(forKey: name) {
            index.remove(old)
            geometries[old] = nil
        }
        guard document.tree.winner?.isDeleted == false, let body = document.body,
            let geometry = Self.geometry(of: body)
        else { return }
        insert(geometry, name)
    }

    private mutating func insert(_ geometry: PlainGeometry, _ name: ExactText) {
        let slot: Int32
        if let point = geometry.point {
            slot = index.insert(point)
            coordinates.append(point)
        } else {
            guard let box = UnrolledGeometry(geometry).boundingBox else { return }
            slot = index.insert(box)
            geometries[slot] = geometry
            let east = box.crossesAntimeridian ? box.east + 360 : box.east
            coordinates.append(
                Coordinate(
                    validLatitude: (box.south + box.north) / 2,
                    longitude: ((box.west + east) / 2).remainder(dividingBy: 360)))
        }
        ids.append(name.text)
        slots[name] = slot
    }

    /// The geometry that `st_index(doc.geometry)` indexes; nil for a document without a valid geometry.
    private static func geometry(of body: DocumentBody) -> PlainGeometry? {
        guard let document = try? JSONValue(parsing: body.json, depthLimit: 64), let value = document["geometry"],
            value["coordinates"] != nil || value["geometries"] != nil,
            let geometry = try? PlainGeometry(geoJSON: value), !geometry.isEmpty
        else { return nil }
        return geometry
    }

    /// Numbers the slots anew, so that removed documents take no memory.
    private mutating func shrink() {
        var fresh = DocumentGeoIndex()
        fresh.sequence = sequence
        for (name, slot) in slots {
            fresh.insert(geometries[slot] ?? PlainGeometry(coordinates[Int(slot)]), name)
        }
        self = fresh
    }
}

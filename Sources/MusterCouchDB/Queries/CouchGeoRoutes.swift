import HTTPTypes
import Hummingbird
import MusterCore
import MusterDocuments
import MusterServer
import MusterWire

/// Routes of `_geo`: queries of a database's spatial index.
struct CouchGeoRoutes: CouchRoutes {
    let geoIndexes: GeoIndexCache

    func register(in routes: inout CouchRouteTable) {
        routes.add(
            .get, "/{db}/_design/{document}/_geo/{index}",
            "Find documents by place: in a radius, in a box, or by their relation to a geometry."
        ) { call in
            let database = try call.readable()
            let index = try GeoIndexName(design: call.parameter("document"), name: call.parameter("index"))
            return try await GeoQueryHandler(coordinator: call.coordinator, geoIndexes: geoIndexes).respond(
                call.query.parameters, index, in: database)
        }
        routes.add(.get, "/{db}/_design/{document}/_geo_info/{index}", "The size of a spatial index.") { call in
            let database = try call.readable()
            let index = try GeoIndexName(design: call.parameter("document"), name: call.parameter("index"))
            return try await GeoQueryHandler(coordinator: call.coordinator, geoIndexes: geoIndexes).information(
                index, in: database)
        }
    }
}

/// The name of a spatial index.
struct GeoIndexName: Sendable {
    /// The design document, without `_design/`.
    var design: String
    var name: String
}

/// Answers the queries of Cloudant Geo. Callers check the right to read first.
struct GeoQueryHandler: Sendable {
    let coordinator: StoreCoordinator
    let geoIndexes: GeoIndexCache

    /// Returns the documents that match a query.
    func respond(
        _ parameters: [(name: String, value: String)], _ index: GeoIndexName, in database: ResolvedDatabase
    ) async throws -> Response {
        let query = try GeoQuery(parameters)
        let scope = try Self.scope(of: database)
        let geoIndexes = geoIndexes
        let (found, documents) = try await coordinator.readDocuments { reader in
            try Self.check(index, in: database, scope, reader)
            let found = Array(try GeoSearch.page(query, try geoIndexes.geoIndex(of: scope, reader)))
            let documents = try found.map { try reader.document($0.id, in: scope) }
            return (found, documents)
        }
        let bookmark = found.last?.bookmark ?? query.bookmark ?? ""
        return .json { writer in
            writer.beginObject()
            writer.member("bookmark", bookmark)
            switch query.format {
            case .view: writer.key("rows")
            case .legacy, .geojson:
                writer.member("type", "FeatureCollection")
                writer.key("features")
            }
            writer.beginArray()
            for document in documents.compactMap({ $0 }) { writer.geoRow(document, query) }
            writer.endArray()
            writer.endObject()
        }
    }

    /// Returns the size of an index.
    func information(_ index: GeoIndexName, in database: ResolvedDatabase) async throws -> Response {
        let scope = try Self.scope(of: database)
        let geoIndexes = geoIndexes
        let count = try await coordinator.readDocuments { reader in
            try Self.check(index, in: database, scope, reader)
            return try geoIndexes.geoIndex(of: scope, reader).count
        }
        return .json { writer in
            writer.beginObject()
            writer.member("name", DocumentID.designPrefix + "\(index.design)/\(index.name)")
            writer.key("geo_index")
            writer.beginObject()
            writer.key("doc_count")
            writer.value(count)
            // The index is in memory. The server builds it from the documents after a start.
            writer.key("disk_size")
            writer.value(0)
            writer.key("data_size")
            writer.value(count * 64)
            writer.endObject()
            writer.endObject()
        }
    }

    private static func scope(of database: ResolvedDatabase) throws(MangoError) -> DatabaseScope {
        guard let scope = database.scope else {
            throw MangoError("not_implemented", "This database has no spatial index.", status: 501)
        }
        return scope
    }

    /// Checks that the index exists. Location databases and the union have the standard one without a design document.
    private static func check(
        _ index: GeoIndexName, in database: ResolvedDatabase, _ scope: DatabaseScope, _ reader: any DocumentReader
    ) throws {
        if let body = try reader.document(DocumentID.designPrefix + index.design, in: scope)?.body,
            let design = try? JSONValue(parsing: body.json, depthLimit: 64)
        {
            switch SpatialIndexes.declaration(of: index.name, in: design) {
            case .standard: return
            case .foreign:
                throw MangoError(
                    "not_implemented",
                    "Muster runs no JavaScript. It supports only the function that indexes doc.geometry.", status: 501)
            case .none: break
            }
        }
        let isStandard = DocumentID.designPrefix + index.design == SpatialIndexes.standardDesign
        if case .made = database.kind {} else if isStandard, index.name == SpatialIndexes.standardName { return }
        throw CouchError.missing
    }
}

extension JSONWriter {
    /// Writes a found document.
    fileprivate mutating func geoRow(_ document: StoredDocument, _ query: GeoQuery) {
        guard let body = document.body, let winner = document.tree.winner else { return }
        let value = JSONValue(documentWithID: document.id, revision: winner.revision.text, body: body)
        let geometry = value["geometry"] ?? .null
        beginObject()
        switch query.format {
        case .legacy: member("id", document.id)
        case .view:
            member("id", document.id)
            if query.includesDocuments { member("rev", winner.revision.text) }
            key("geometry")
            self.value(geometry)
        case .geojson:
            member("_id", document.id)
            key("geometry")
            self.value(geometry)
            key("properties")
            beginArray()
            endArray()
            member("type", "Feature")
        }
        if query.includesDocuments {
            key("doc")
            self.value(value)
        }
        endObject()
    }
}

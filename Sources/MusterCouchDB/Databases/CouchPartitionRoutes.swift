import HTTPTypes
import Hummingbird
import MusterDocuments
import MusterServer
import MusterWire

/// The routes of partitioned databases. The id of each document begins with the name of its partition, and a query of
/// one partition reads no other.
struct CouchPartitionRoutes: CouchRoutes {
    func register(in routes: inout CouchRouteTable) {
        let (path, json) = ("/{db}/_partition/{partition}", ["application/json"])
        routes.add(.get, path, "Count the documents of a partition.") { try await describePartition($0) }
        routes.add(.get, path + "/_all_docs", "List a partition's documents by id.") { call in
            try await CouchListRoutes.list(call, body: .object([]), partition: call.partition())
        }
        routes.add(.post, path + "/_all_docs", "List a partition's documents by id.", body: json) { call in
            let partition = try call.partition()
            let body = try await call.tree(limit: CouchLimits.bulkBytes)
            return try await CouchListRoutes.list(call, body: body, partition: partition)
        }
        routes.add(.post, path + "/_find", "Find a partition's documents by a selector.", body: json) {
            try await CouchFindRoutes.find($0, in: $0.partition())
        }
        routes.add(.post, path + "/_explain", "Show which index a query of a partition uses.", body: json) {
            try await CouchExplainRoutes.explain($0, in: $0.partition())
        }
        for method in [HTTPRequest.Method.get, .post] {
            // Without this route the router would take these paths for attachments.
            routes.add(method, path + "/{rest...}", "A partition has no other paths.", statuses: []) { call in
                _ = try call.partition()
                throw CouchError.missing
            }
        }
    }

    private func describePartition(_ call: CouchCall) async throws -> Response {
        let database = try call.readable()
        let partition = try call.partition()
        let counts = try await call.coordinator.readDocuments { reader in
            try database.number.map { try reader.counts(ofIDPrefix: partition + ":", in: $0) } ?? DocumentCounts()
        }
        return .json { writer in
            writer.beginObject()
            writer.member("db_name", database.name)
            writer.key("sizes")
            writer.beginObject()
            for name: StaticString in ["active", "external"] { writer.member(name, counts.bytes) }
            writer.endObject()
            writer.member("partition", partition)
            writer.member("doc_count", counts.living)
            writer.member("doc_del_count", counts.deleted)
            writer.endObject()
        }
    }
}

extension CouchCall {
    /// Returns the partition in the path.
    ///
    /// - Throws: `CouchError`, also if the database is not partitioned, or the query names another partition.
    func partition() throws -> String {
        let database = try readable()
        let partition = try parameter("partition")
        guard database.isPartitioned else { throw CouchError.badRequest("database is not partitioned") }
        for (fault, isSo) in [
            ("start with an underscore", partition.hasPrefix("_")), ("have a colon", partition.contains(":")),
        ] where isSo {
            throw CouchError(.badRequest, "illegal_partition", "Partition must not \(fault)")
        }
        guard try partitionOfQuery(in: database) ?? partition == partition else { throw CouchError.otherPartition }
        return partition
    }

    /// Returns the partition in the query; nil if it names none.
    func partitionOfQuery(in database: ResolvedDatabase) throws -> String? {
        guard let text = query.text("partition") else { return nil }
        guard database.isPartitioned else { throw CouchError.badRequest("database is not partitioned") }
        return text
    }
}

extension CouchError {
    /// The path and the query, or the path and the body, name different partitions.
    static let otherPartition = CouchError.badRequest("Conflicting value for `partition` in query string")
}

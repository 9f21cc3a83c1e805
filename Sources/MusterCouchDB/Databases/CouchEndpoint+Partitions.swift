import HTTPTypes
import Hummingbird
import MusterCore
import MusterDocuments
import MusterServer
import MusterWire

/// The routes of partitioned databases. The id of each document begins with the name of its partition, and a query of
/// one partition reads no other.
extension CouchEndpoint {
    func addPartitions(to routes: inout RouteTable) {
        let (path, json) = ("/{db}/_partition/{partition}", ["application/json"])
        add(.get, path, "Count the documents of a partition.", to: &routes) { try await describePartition($0) }
        add(.get, path + "/_all_docs", "List a partition's documents by id.", to: &routes) { call in
            try await Self.list(call, body: .object([]), partition: call.partition())
        }
        add(.post, path + "/_all_docs", "List a partition's documents by id.", body: json, to: &routes) { call in
            let partition = try call.partition()
            let body = try await call.tree(limit: CouchLimits.bulkBytes)
            return try await Self.list(call, body: body, partition: partition)
        }
        add(.post, path + "/_find", "Find a partition's documents by a selector.", body: json, to: &routes) {
            try await find($0, in: $0.partition())
        }
        add(.post, path + "/_explain", "Show which index a query of a partition uses.", body: json, to: &routes) {
            try await explain($0, in: $0.partition())
        }
        for method in [HTTPRequest.Method.get, .post] {
            // Without this route the router would take these paths for attachments.
            add(method, path + "/{rest...}", "A partition has no other paths.", statuses: [], to: &routes) { call in
                _ = try call.partition()
                throw CouchError.missing
            }
        }
    }

    private func describePartition(_ call: CouchCall) async throws -> Response {
        let place = try call.readable()
        let partition = try call.partition()
        let counts = try await coordinator.readDocuments { reader in
            try place.number.map { try reader.counts(ofIDPrefix: partition + ":", in: $0) } ?? DocumentCounts()
        }
        return .json { writer in
            writer.beginObject()
            writer.member("db_name", place.name)
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
        let place = try readable()
        let partition = try parameter("partition")
        guard place.isPartitioned else { throw CouchError.badRequest("database is not partitioned") }
        for (fault, isSo) in [
            ("start with an underscore", partition.hasPrefix("_")), ("have a colon", partition.contains(":")),
        ] where isSo {
            throw CouchError(.badRequest, "illegal_partition", "Partition must not \(fault)")
        }
        guard try partitionOfQuery(in: place) ?? partition == partition else { throw CouchError.otherPartition }
        return partition
    }

    /// Returns the partition in the query; nil if it names none.
    func partitionOfQuery(in place: ResolvedDatabase) throws -> String? {
        guard let text = query.text("partition") else { return nil }
        guard place.isPartitioned else { throw CouchError.badRequest("database is not partitioned") }
        return text
    }
}

extension CouchError {
    /// The path and the query, or the path and the body, name different partitions.
    static let otherPartition = CouchError.badRequest("Conflicting value for `partition` in query string")
}

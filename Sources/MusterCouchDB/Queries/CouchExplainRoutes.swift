import Hummingbird
import MusterDocuments
import MusterServer
import MusterWire

/// The route `_explain`: which index a Mango query would use.
struct CouchExplainRoutes: CouchRoutes {
    func register(in routes: inout CouchRouteTable) {
        routes.add(
            .post, "/{db}/_explain", "Explain which index a query uses, and why.", body: ["application/json"]
        ) { try await Self.explain($0) }
    }

    /// Answers `_explain`.
    ///
    /// - Parameter partition: the partition in the path; nil if the path names none.
    static func explain(_ call: CouchCall, in partition: String? = nil) async throws -> Response {
        let database = try call.readable()
        let body = try await call.tree(limit: CouchLimits.documentBytes)
        let request = try CouchFindRoutes.request(body, in: database, partition)
        let (plan, explanation) = try await call.coordinator.readDocuments { reader in
            let plan: QueryPlan?
            do {
                plan = try QueryPlan(request, of: database, reader)
            } catch let error as MangoError where error == .noSortIndex {
                plan = nil
            }
            let indexes = try reader.indexes(of: database)
            return (plan, QueryExplanation(plan, for: request, indexes: indexes))
        }
        return .json { writer in
            writer.beginObject()
            writer.member("dbname", database.name)
            writer.key("index")
            if let plan { writer.index(plan.index) } else { writer.null() }
            writer.member("partitioned", database.isPartitioned)
            writer.key("selector")
            writer.value(request.selectorValue)
            writer.key("opts")
            writer.options(of: request, body)
            writer.member("limit", request.limit)
            writer.member("skip", request.skip)
            writer.key("fields")
            writer.fields(of: request)
            writer.candidates(of: explanation)
            writer.hints(of: explanation)
            if let plan { writer.view(plan, request, explanation, body) }
            writer.endObject()
        }
    }
}

extension JSONWriter {
    fileprivate mutating func fields(of request: FindRequest) {
        value(JSONValue.array(request.projection.fields.map { .string($0.text) }))
    }

    /// Writes the options of the query, with the defaults of those that the request lacks. `r`, `stale`, `update` and
    /// `stable` have no effect.
    fileprivate mutating func options(of request: FindRequest, _ body: JSONValue) {
        beginObject()
        member("use_index", listing: request.index) { writer, name in writer.value(name) }
        member("bookmark", request.bookmark ?? "nil")
        member("limit", request.limit)
        member("skip", request.skip)
        key("sort")
        beginObject()
        for field in request.sort?.fields ?? [] {
            key(field.text)
            value(request.sort?.isDescending == true ? "desc" : "asc")
        }
        endObject()
        key("fields")
        fields(of: request)
        member("partition", request.partition ?? "")
        key("r")
        value(body["r"] ?? .integer(1))
        member("conflicts", request.wantsConflicts)
        key("stale")
        value(body["stale"] ?? .boolean(false))
        key("update")
        value(body["update"] ?? .boolean(true))
        key("stable")
        value(body["stable"] ?? .boolean(false))
        member("execution_stats", request.wantsStatistics)
        member("allow_fallback", request.allowsFallback)
        endObject()
    }

    /// Writes which part of the index the query reads, as the arguments of a view, and whether it reads documents.
    fileprivate mutating func view(
        _ plan: QueryPlan, _ request: FindRequest, _ explanation: QueryExplanation, _ body: JSONValue
    ) {
        key("mrargs")
        beginObject()
        member("include_docs", !plan.isCovering)
        member("view_type", "map")
        member("reduce", false)
        key("partition")
        if let partition = request.partition { value(partition) } else { null() }
        key("start_key")
        value(explanation.startKey)
        key("end_key")
        value(explanation.endKey)
        member("direction", plan.isDescending ? "rev" : "fwd")
        key("stable")
        value(body["stable"] ?? .boolean(false))
        key("update")
        value(body["update"] ?? .boolean(true))
        key("conflicts")
        if request.wantsConflicts { value(true) } else { null() }
        endObject()
        member("covering", plan.isCovering)
    }

    fileprivate mutating func candidates(of explanation: QueryExplanation) {
        member("index_candidates", listing: explanation.candidates) { writer, candidate in
            writer.beginObject()
            writer.key("index")
            writer.index(candidate.index)
            writer.key("analysis")
            writer.beginObject()
            writer.member("usable", candidate.isUsable)
            writer.member("reasons", listing: [candidate.reason]) { writer, reason in
                writer.beginObject()
                writer.member("name", reason)
                writer.endObject()
            }
            writer.member("ranking", candidate.ranking)
            writer.key("covering")
            if let isCovering = candidate.isCovering { writer.value(isCovering) } else { writer.null() }
            writer.endObject()
            writer.endObject()
        }
    }

    fileprivate mutating func hints(of explanation: QueryExplanation) {
        key("selector_hints")
        beginArray()
        beginObject()
        member("type", "json")
        member("indexable_fields", listing: explanation.indexableFields) { writer, field in writer.value(field) }
        member("unindexable_fields", listing: explanation.unindexableFields) { writer, field in writer.value(field) }
        endObject()
        endArray()
    }
}

import Hummingbird
import MusterCore
import MusterServer
import MusterStore
import MusterWire

/// Routes for datasets: preferences and app state that follow the caller across devices. Every route acts on the
/// caller's own datasets; nobody else can read them.
struct DatasetRoutes: NativeRoutes {
    let server: ServerParts

    /// A dataset is at most 1 MiB; JSON escapes may double its text.
    private static let bodyLimits = BodyLimits(bytes: 4 << 20, inflatedBytes: 8 << 20)

    func register(in routes: inout RouteTable) {
        let datasets = "\(Self.root)/datasets"
        let everyone: Route.Admission = .roles(Route.Admission.everyRole, devices: false)
        routes.add(
            Route(
                .get, datasets, admits: everyone,
                .init(
                    "Datasets", "List your own datasets.", answers: [.init(200, "Datasets.", json: "DatasetPage")]),
                handler: listDatasets))
        routes.add(
            Route(
                .get, "\(datasets)/{dataset}", admits: everyone,
                .init(
                    "Datasets",
                    "Read the records changed after a sync count, also removed ones. `exists` is false if there is "
                        + "no such dataset.",
                    query: [.init("since", "The sync count that the client has reached.", schema: Schema.since)]
                        + Self.paging, answers: [.init(200, "Records.", json: "DatasetRecords")]),
                handler: readDataset))
        routes.add(
            Route(
                .patch, "\(datasets)/{dataset}", admits: everyone,
                .init(
                    "Datasets",
                    "Change records, all or none; creates the dataset if necessary. A null `value` removes a "
                        + "record; a `syncCount` that is not the record's is a conflict.",
                    body: Self.json("DatasetPatches"),
                    answers: [.init(200, "The changed records.", json: "DatasetUpdated")]), handler: patchDataset))
        routes.add(
            Route(
                .delete, "\(datasets)/{dataset}", admits: everyone,
                .init("Datasets", "Delete a dataset with its records.", answers: [.init(204, "Deleted.")]),
                handler: deleteDataset))
    }

    private func listDatasets(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let owner = try context.access(in: coordinator.directory).principal.user
        let datasets = try await coordinator.read { try $0.datasets(of: owner) }
        return .json { writer in
            writer.beginObject()
            writer.member("items", listing: datasets) { $0.value($1) }
            writer.endObject()
        }
    }

    private func readDataset(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let owner = try context.access(in: coordinator.directory).principal.user
        let name = try datasetName(context)
        var query = Query(request)
        let since = query.integer("since", in: 0...Query.largestSequence) ?? 0
        let limit = query.limit()
        let cursor = query.datasetCursor("cursor")
        try query.finish()
        let page = try await coordinator.readDataset(name, of: owner, since: since, after: cursor, limit: limit)
        let merged = try await coordinator.mergedDatasets(into: name, of: owner)
        return .json { writer in
            writer.beginObject()
            writer.member("name", name)
            writer.member("syncCount", page.dataset.syncCount)
            writer.member("exists", page.dataset.exists)
            writer.member("deletedSince", page.dataset.wasDeleted(since: since))
            writer.member("records", listing: page.records) { $0.value($1) }
            if !merged.isEmpty { writer.member("mergedDatasets", listing: merged) { $0.value($1) } }
            writer.member("nextCursor", page.next?.token)
            writer.endObject()
        }
    }

    private func patchDataset(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let directory = coordinator.directory
        let principal = try context.access(in: directory).principal
        let owner = principal.user
        let name = try datasetName(context)
        var fields = try await Fields(
            request, Self.bodyLimits, valueLimit: 8 * (DatasetLimits.records + DatasetLimits.removedRecords))
        let device = fields.text("pushDevice", limitBytes: DatasetLimits.deviceIDBytes.upperBound)
        let patches = fields.patches("records")
        try fields.finish()
        let update = DatasetUpdate(
            owner: owner, name: name, order: .patch(patches), device: device,
            author: device ?? directory.users[owner]?.name ?? "")
        let identity = coordinator.origin.text(of: .identity(owner))
        guard let changed = try await server.syncTrigger.change(update, called: identity, in: principal.team) else {
            let unchanged = try await coordinator.readDataset(name, of: owner, since: 0, after: nil, limit: 1)
            return Self.updated(unchanged.dataset, [])
        }
        let decision = try await coordinator.updateDataset(changed)
        return Self.updated(decision.dataset, decision.records)
    }

    private static func updated(_ dataset: Dataset, _ records: [DatasetRecord]) -> Response {
        .json { writer in
            writer.beginObject()
            writer.member("syncCount", dataset.syncCount)
            writer.member("records", listing: records) { $0.value($1) }
            writer.endObject()
        }
    }

    private func deleteDataset(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let directory = coordinator.directory
        let owner = try context.access(in: directory).principal.user
        _ = try await coordinator.updateDataset(
            DatasetUpdate(
                owner: owner, name: try datasetName(context), order: .delete,
                author: directory.users[owner]?.name ?? ""))
        return .noContent
    }

    /// The dataset's name in the path.
    ///
    /// - Throws: `Problem.notFound` for a text that is not a valid name.
    private func datasetName(_ context: AppRequestContext) throws(Problem) -> String {
        let name = try context.parameter("dataset")
        guard DatasetLimits.isName(name) else { throw .notFound }
        return name
    }
}

extension JSONWriter {
    fileprivate mutating func value(_ dataset: Dataset) {
        beginObject()
        member("name", dataset.name)
        member("syncCount", dataset.syncCount)
        member("records", Int64(dataset.recordCount))
        member("bytes", Int64(dataset.bytes))
        member("createdAt", dataset.createdAt)
        member("modifiedAt", dataset.modifiedAt)
        member("modifiedBy", dataset.modifiedBy)
        endObject()
    }

    fileprivate mutating func value(_ record: DatasetRecord) {
        beginObject()
        member("key", record.key)
        key("value")
        if let text = record.value { value(text) } else { null() }
        member("syncCount", record.syncCount)
        member("modifiedAt", record.modifiedAt)
        member("deviceModifiedAt", record.deviceModifiedAt)
        member("modifiedBy", record.modifiedBy)
        endObject()
    }
}

extension Query {
    /// A cursor from an earlier answer.
    fileprivate mutating func datasetCursor(_ name: String) -> DatasetCursor? {
        guard let text = text(name) else { return nil }
        return DatasetCursor(token: text) ?? fault(name, "is not a cursor from an answer")
    }
}

extension Fields {
    /// Parses the list of patches in a member, and records every fault.
    fileprivate mutating func patches(_ member: String) -> [DatasetPatch] {
        guard let value = json(member, isRequired: true) else { return [] }
        guard let elements = value.elements else {
            addFault(member, "must be an array")
            return []
        }
        return elements.enumerated().compactMap { index, element in
            do throws(DatasetPatch.ParsingError) {
                return try DatasetPatch(element)
            } catch {
                addFault(member, "\(index): \(error.words)")
                return nil
            }
        }
    }
}

extension DatasetPatch {
    /// Why a patch is invalid.
    fileprivate struct ParsingError: Error {
        var words: String
    }

    fileprivate init(_ value: JSONValue) throws(ParsingError) {
        guard let members = value.members else { throw ParsingError(words: "must be an object") }
        var (key, text, count, moment): (String?, JSONValue?, Int64?, Instant?) = (nil, nil, nil, nil)
        for member in members {
            switch member.key {
            case "key": key = member.value.string
            case "value": text = member.value
            case "syncCount":
                count = member.value.number.flatMap { Int64(exactly: $0) }
                guard let count, count >= 0 else {
                    throw ParsingError(words: "syncCount must be a whole number from 0")
                }
            case "deviceModifiedAt":
                moment = member.value.string.flatMap { try? Instant(rfc3339: $0) }
                guard moment != nil else { throw ParsingError(words: "deviceModifiedAt must be a time (RFC 3339)") }
            default: throw ParsingError(words: "\"\(member.key)\" means nothing here")
            }
        }
        guard let key else { throw ParsingError(words: "key is required, a string") }
        guard let text else { throw ParsingError(words: "value is required, a string or null") }
        guard let count else { throw ParsingError(words: "syncCount is required") }
        if case .null = text {
            self.init(key: key, value: nil, syncCount: count, deviceModifiedAt: moment)
        } else {
            guard let string = text.string else { throw ParsingError(words: "value must be a string or null") }
            self.init(key: key, value: string, syncCount: count, deviceModifiedAt: moment)
        }
    }
}

import HTTPTypes
import MusterCoding
import MusterCore
import MusterServer
import MusterStore
import MusterWire

/// Cognito Sync's operations on datasets: list, describe, delete.
extension CognitoSyncService {
    func addDatasets(to routes: inout RouteTable) {
        let everyone = Self.owners
        let page: [Route.Parameter] = [
            .init("nextToken", "The `NextToken` of the page before.", schema: Schema.cursor),
            .init("maxResults", "How many items at most.", schema: #"{"type":"integer","minimum":1}"#),
        ]
        add(
            "ListDatasets", .get, "\(Self.identity)/datasets", admits: everyone, query: page, to: &routes, listDatasets)
        add("DescribeDataset", .get, Self.dataset, admits: everyone, to: &routes, describeDataset)
        add("DeleteDataset", .delete, Self.dataset, admits: everyone, to: &routes, deleteDataset)
    }

    private func listDatasets(_ call: AmazonCall) async throws -> [UInt8] {
        let owner = try ownIdentity(call)
        let limit = try pageSize(call, most: DatasetLimits.datasets)
        let after = try Query(call.request).text("nextToken").map { token throws(AmazonError) in
            guard let bytes = Base64.decodeUnpadded(token, .forURLs),
                let name = String(validating: bytes, as: UTF8.self), DatasetLimits.isName(name)
            else { throw .badToken }
            return name
        }
        let all = try await coordinator.read { try $0.datasets(of: owner.owner) }
        let rest = all.filter { dataset in after.map { $0 < dataset.name } ?? true }
        let items = rest.prefix(limit)
        return JSONWriter.object { writer in
            writer.member("Datasets", listing: items) { $0.amazonDataset($1, of: owner.text) }
            writer.member("Count", Int64(items.count))
            if rest.count > limit, let last = items.last {
                writer.member("NextToken", Base64.encodeUnpadded(Array(last.name.utf8), .forURLs))
            }
        }
    }

    private func describeDataset(_ call: AmazonCall) async throws -> [UInt8] {
        let owner = try ownIdentity(call)
        let name = try datasetName(call)
        let page = try await coordinator.readDataset(name, of: owner.owner, since: 0, after: nil, limit: 0)
        guard page.dataset.exists else { throw DatasetError.noDataset(name) }
        return json(page.dataset, of: owner)
    }

    private func deleteDataset(_ call: AmazonCall) async throws -> [UInt8] {
        let owner = try ownIdentity(call)
        let name = try datasetName(call)
        let before = try await coordinator.readDataset(
            name, of: owner.owner, since: 0, after: nil, limit: 0
        ).dataset
        let update = DatasetUpdate(owner: owner.owner, name: name, order: .delete, author: author(call))
        try spendGuestLimit(update, of: owner, call)
        _ = try await store(update, of: owner)
        return json(before, of: owner)
    }

    /// Counts an update against the limits of guests; does nothing for a user.
    ///
    /// - Throws: `AmazonError` when the guest, or all guests, update too often.
    func spendGuestLimit(_ update: DatasetUpdate, of identity: SyncIdentity, _ call: AmazonCall) throws {
        guard identity.guest != nil else { return }
        let act = GuestLimiter.Act.update(bytes: update.bytes)
        if let wait = guestLimiter.spend(act, from: call.context.remoteAddress, at: coordinator.now()) {
            throw AmazonError.throttled(retryAfterSeconds: wait)
        }
    }

    /// Stores an update of the caller's own dataset.
    ///
    /// - Throws: the errors of `StoreCoordinator.updateDataset`.
    func store(_ update: DatasetUpdate, of identity: SyncIdentity) async throws -> DatasetDecision {
        guard let guest = identity.guest else { return try await coordinator.updateDataset(update) }
        return try await coordinator.updateDataset(update, of: guest)
    }

    private func json(_ dataset: Dataset, of identity: SyncIdentity) -> [UInt8] {
        JSONWriter.object { writer in
            writer.key("Dataset")
            writer.amazonDataset(dataset, of: identity.text)
        }
    }

    /// The author of an update that names no device: the name of the user, or the name that all guests have.
    func author(_ call: AmazonCall) -> String {
        call.principal.guest != nil ? call.principal.name : coordinator.directory.users[call.principal.user]?.name ?? ""
    }
}

extension JSONWriter {
    fileprivate mutating func amazonDataset(_ dataset: Dataset, of identity: String) {
        beginObject()
        member("IdentityId", identity)
        member("DatasetName", dataset.name)
        amazonEpoch("CreationDate", dataset.createdAt)
        amazonEpoch("LastModifiedDate", dataset.modifiedAt)
        member("LastModifiedBy", dataset.modifiedBy)
        member("DataStorage", Int64(dataset.bytes))
        member("NumRecords", Int64(dataset.recordCount))
        endObject()
    }
}

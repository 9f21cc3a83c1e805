import HTTPTypes
import MusterCoding
import MusterCore
import MusterServer
import MusterStore
import MusterWire

/// Cognito Sync's operations on records: `ListRecords` and `UpdateRecords`.
extension CognitoSyncService {
    func addRecords(to routes: inout RouteTable) {
        let everyone = Self.owners
        add(
            "ListRecords", .get, "\(Self.dataset)/records", admits: everyone,
            query: [
                .init("lastSyncCount", "The sync count that is known already.", schema: Schema.since),
                .init("nextToken", "The `NextToken` of the page before.", schema: #"{"type":"string"}"#),
                .init("maxResults", "How many items at most.", schema: #"{"type":"integer","minimum":1}"#),
                .init("syncSessionToken", "Passed over.", schema: #"{"type":"string"}"#),
            ], to: &routes, listRecords)
        add(
            "UpdateRecords", .post, Self.dataset, admits: everyone, bodyLimit: Self.updateLimit, to: &routes,
            updateRecords)
    }

    /// The most records of one page: all of a dataset, removed ones included, because Amazon's client for iOS asks for
    /// no second page.
    static let pageLimit = DatasetLimits.records + DatasetLimits.removedRecords

    private func listRecords(_ call: AmazonCall) async throws -> [UInt8] {
        let owner = try ownIdentity(call)
        let name = try datasetName(call)
        let query = Query(call.request)
        let limit = try pageSize(call, most: Self.pageLimit)
        let since = try query.text("lastSyncCount").map { text throws(AmazonError) in
            guard let count = Int64(text), count >= 0 else {
                throw .validation("LastSyncCount", "must be a whole number from 0")
            }
            return count
        }
        let cursor = try query.text("nextToken").map { token throws(AmazonError) in
            guard let cursor = DatasetCursor(token: token) else { throw .badToken }
            return cursor
        }
        let page = try await coordinator.readDataset(
            name, of: owner.owner, since: since ?? 0, after: cursor, limit: limit)
        let merged = try await coordinator.mergedDatasets(into: name, of: owner.owner)
        return JSONWriter.object { writer in
            writer.member("Records", listing: page.records) { $0.amazonRecord($1) }
            writer.member("Count", Int64(page.records.count))
            writer.member("DatasetSyncCount", page.dataset.syncCount)
            writer.member("LastModifiedBy", page.dataset.modifiedBy)
            writer.member("MergedDatasetNames", listing: merged) { $0.value($1) }
            writer.member("DatasetExists", page.dataset.exists)
            writer.member(
                "DatasetDeletedAfterRequestedSyncCount", page.dataset.wasDeleted(since: since ?? 0))
            writer.member("SyncSessionToken", sessionToken(of: owner))
            writer.member("NextToken", page.next?.token)
        }
    }

    private func updateRecords(_ call: AmazonCall) async throws -> [UInt8] {
        let owner = try ownIdentity(call)
        let name = try datasetName(call)
        let (patches, device, token) = try call.read { request, faults in
            let token = request.text("SyncSessionToken", .any, required: true, &faults)
            let device = request.text("DeviceId", .deviceOfSync, &faults)
            let patches =
                request.value("RecordPatches", &faults) == nil
                ? [] : request.objects("RecordPatches", 0...Self.pageLimit, &faults)
            return (patches.map { DatasetPatch($0, &faults) }, device, token)
        }
        guard token == sessionToken(of: owner) else {
            throw AmazonError.validation("SyncSessionToken", "is not a token that ListRecords gave this identity")
        }
        let update = DatasetUpdate(
            owner: owner.owner, name: name, order: .patch(patches), device: device, author: device ?? author(call))
        // The limit is spent before the target is asked, because guests must not occupy the target.
        try spendGuestLimit(update, of: owner, call)
        let changed = try await trigger.change(
            update, called: owner.text, isGuest: owner.guest != nil, in: owner.pool)
        guard let changed else {
            return JSONWriter.object { $0.member("Records", listing: [String]()) { $0.value($1) } }
        }
        let decision = try await store(changed, of: owner)
        return JSONWriter.object { writer in
            writer.member("Records", listing: decision.records) { $0.amazonRecord($1) }
        }
    }

    /// The token that `ListRecords` returns and `UpdateRecords` requires. It identifies no session: the sync counts of
    /// the records show which versions a device has.
    private func sessionToken(of owner: SyncIdentity) -> String {
        Base64.encodeUnpadded(Array(owner.text.utf8), .forURLs)
    }
}

extension DatasetPatch {
    /// Reads a `RecordPatch` of the model.
    fileprivate init(_ members: AmazonMembers, _ faults: inout AmazonFaults) {
        let operation = members.text("Op", .any, required: true, &faults)
        let key = members.text("Key", .recordKey, required: true, &faults) ?? ""
        let value = members.text("Value", .recordValue, &faults)
        let count = members.number("SyncCount", in: 0...9_007_199_254_740_991, required: true, &faults) ?? 0
        let moment = members.number("DeviceLastModifiedDate", in: 0...253_402_300_799, &faults)
        if let operation, operation != "replace", operation != "remove" {
            faults.addFault(members.name("Op"), "Member must satisfy enum value set: [replace, remove]")
        }
        if operation == "replace", value == nil {
            faults.addFault(members.name("Value"), "Member must not be null", isMissing: true)
        }
        self.init(
            key: key, value: operation == "remove" ? nil : value ?? "", syncCount: Int64(count),
            deviceModifiedAt: moment.map { Instant(milliseconds: Int64(($0 * 1_000).rounded())) })
    }
}

extension JSONWriter {
    fileprivate mutating func amazonRecord(_ record: DatasetRecord) {
        beginObject()
        member("Key", record.key)
        member("Value", record.value)
        member("SyncCount", record.syncCount)
        amazonEpoch("LastModifiedDate", record.modifiedAt)
        amazonEpoch("DeviceLastModifiedDate", record.deviceModifiedAt)
        member("LastModifiedBy", record.modifiedBy)
        endObject()
    }
}

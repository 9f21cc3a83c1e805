import MusterCoding
package import MusterCore
import MusterReplication
import MusterWire

/// The server's datasets of the person who is signed in (`/api/v1/datasets`).
package struct DatasetService: Sendable {
    /// Sends a request to the native API as the person, and returns the status and the body.
    package typealias Exchange =
        @Sendable (
            _ method: String, _ path: String, _ json: [UInt8]?
        ) async throws -> (status: Int, body: [UInt8])

    private let exchange: Exchange
    private let isClosed: @Sendable () -> Bool

    /// - Parameters:
    ///   - isClosed: whether the `Muster` object was closed; `checkOpen` then throws.
    ///   - exchange: sends a request; throws `MusterError.signedOut` when nobody is signed in, other `MusterError`s,
    ///     and `ReplicationError`.
    package init(isClosed: @escaping @Sendable () -> Bool = { false }, exchange: @escaping Exchange) {
        self.exchange = exchange
        self.isClosed = isClosed
    }

    /// Throws `MusterError.closed` once the `Muster` object was closed.
    func checkOpen() throws(MusterError) {
        if isClosed() { throw .closed }
    }

    // MARK: Datasets

    /// The largest number of records of a page.
    private static let pageLimit = 1_000
    /// The largest number of pages that are read. A dataset needs fewer: it has at most 1,024 records and 4,096 removed
    /// ones.
    private static let pagesLimit = 100

    /// Reads the records above a count.
    ///
    /// - Returns: nil where another device deleted or created the dataset while its pages were read.
    /// - Throws: `ReplicationError`, `MusterError`.
    package func read(_ name: String, since count: Int64) async throws -> RemoteDataset? {
        var found: RemoteDataset?
        var cursor: String?
        for _ in 0..<Self.pagesLimit {
            let after = cursor.map { "&cursor=" + PercentEncoding.encode($0) } ?? ""
            let value = try await requestJSON("GET", "\(path(name))?since=\(count)&limit=\(Self.pageLimit)\(after)")
            let page = try RemoteDataset(value)
            if let before = found {
                guard page.exists == before.exists, page.isDeletedSince == before.isDeletedSince else { return nil }
                // The result has the count of the first page: every record up to that count has been read in the end.
                found?.records += page.records
            } else {
                found = page
            }
            cursor = value["nextCursor"]?.string
            if cursor == nil { return found }
        }
        throw ReplicationError.malformed("the dataset \(name) has more than \(Self.pagesLimit) pages")
    }

    /// The server's answer to an update.
    package enum Update: Sendable {
        /// The server stored the update: the dataset's count after it, and the records that it changed.
        case stored(syncCount: Int64, records: [RemoteRecord])
        /// Another device changed one of the records first. Nothing is stored.
        case conflict
    }

    /// Changes records, all or none.
    ///
    /// - Parameters:
    ///   - patches: each names its record's count as the caller knows it.
    ///   - device: the id of the push device that makes the change and receives no push about it; nil if it is not
    ///     registered.
    /// - Throws: `MusterError.datasetRefused`; `ReplicationError`, `MusterError`.
    package func update(
        _ name: String, with patches: [DatasetPatch], by device: String? = nil
    ) async throws -> Update {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("records")
        writer.beginArray()
        for patch in patches { writer.value(patch) }
        writer.endArray()
        if let device { writer.member("pushDevice", device) }
        writer.endObject()
        let (status, body) = try await exchange("PATCH", path(name), writer.takeBytes())
        let value = try? JSONValue(parsing: body)
        switch status {
        case 200:
            guard let value, let count = value["syncCount"]?.integer, let elements = value["records"]?.elements else {
                throw ReplicationError.malformed("the answer to an update of a dataset")
            }
            return .stored(syncCount: count, records: try elements.map { try RemoteRecord($0) })
        case 409 where value?["type"]?.string == "urn:muster:problem:conflict": return .conflict
        case 409, 413, 422: throw MusterError.datasetRefused(name: name, reason: Self.reason(value, status))
        default: throw Self.failure(status, body)
        }
    }

    /// Deletes a dataset.
    ///
    /// - Returns: false where there was none.
    /// - Throws: `ReplicationError`, `MusterError`.
    @discardableResult
    package func delete(_ name: String) async throws -> Bool {
        let (status, body) = try await exchange("DELETE", path(name), nil)
        guard (200..<300).contains(status) || status == 404 else { throw Self.failure(status, body) }
        return status != 404
    }

    // MARK: Requests

    private func path(_ name: String) -> String { "datasets/\(PercentEncoding.encode(name))" }

    /// Sends a request, and reads the answer as JSON.
    ///
    /// - Parameter admitted: a status that counts as success too, without an answer.
    /// - Returns: null for an answer without a body.
    /// - Throws: `ReplicationError` for every other status; `MusterError`.
    @discardableResult
    func requestJSON(
        _ method: String, _ path: String, json: [UInt8]? = nil, admitting admitted: Int? = nil
    ) async throws -> JSONValue {
        let (status, body) = try await exchange(method, path, json)
        if status == admitted { return .null }
        guard (200..<300).contains(status) else { throw Self.failure(status, body) }
        if body.isEmpty { return .null }
        guard let value = try? JSONValue(parsing: body) else { throw ReplicationError.malformed("\(path) is not JSON") }
        return value
    }

    private static func failure(_ status: Int, _ body: [UInt8]) -> ReplicationError {
        ReplicationError(status: status, reason: reason(try? JSONValue(parsing: body), status))
    }

    private static func reason(_ problem: JSONValue?, _ status: Int) -> String {
        let faults = problem?["errors"]?.elements?.compactMap { $0["detail"]?.string } ?? []
        return problem?["detail"]?.string ?? faults.first ?? problem?["title"]?.string ?? "status \(status)"
    }
}

/// A dataset as the server has it: what changed since a count.
package struct RemoteDataset: Sendable {
    /// The dataset's count.
    package var syncCount: Int64
    /// Whether the dataset is there.
    package var exists: Bool
    /// Whether it was deleted after the count that was asked for, and may have been created again.
    package var isDeletedSince: Bool
    /// The datasets that came from identities that were merged into this person's.
    var merged: [String]
    /// The records above the count, removed ones included.
    package var records: [RemoteRecord]

    fileprivate init(_ value: JSONValue) throws(ReplicationError) {
        guard let count = value["syncCount"]?.integer, let exists = value["exists"]?.boolean,
            let isDeletedSince = value["deletedSince"]?.boolean, let elements = value["records"]?.elements
        else { throw .malformed("a page of a dataset") }
        syncCount = count
        self.exists = exists
        self.isDeletedSince = isDeletedSince
        merged = value["mergedDatasets"]?.elements?.compactMap(\.string) ?? []
        records = try elements.map { element throws(ReplicationError) in try RemoteRecord(element) }
    }
}

/// A record as the server has it.
package struct RemoteRecord: Sendable {
    package var key: String
    /// Nil for a removed record.
    package var value: String?
    package var syncCount: Int64
    /// When the value was set, by the clock of the device that set it.
    package var modifiedAt: Instant

    init(_ value: JSONValue) throws(ReplicationError) {
        guard let key = value["key"]?.string, let text = value["value"], let count = value["syncCount"]?.integer,
            let time = value["deviceModifiedAt"]?.string, let modifiedAt = try? Instant(rfc3339: time)
        else { throw .malformed("a record of a dataset") }
        self.key = key
        self.value = text.string
        syncCount = count
        self.modifiedAt = modifiedAt
    }

    /// The record as the device stores it once both have it.
    var local: LocalRecord {
        LocalRecord(key: key, value: value, syncCount: syncCount, modifiedAt: modifiedAt, edit: 0)
    }
}

extension JSONWriter {
    fileprivate mutating func value(_ patch: DatasetPatch) {
        beginObject()
        member("key", patch.key)
        key("value")
        if let text = patch.value { value(text) } else { null() }
        member("syncCount", patch.syncCount)
        if let moment = patch.deviceModifiedAt { member("deviceModifiedAt", moment) }
        endObject()
    }
}

package import MusterCore

/// A record of a Cognito stream: one update of a dataset, or all of one, as JSON text by the names of Amazon's
/// developer guide ("Implementing Amazon Cognito Sync streams").
package struct StreamRecord: Sendable {
    /// The identity pool, as clients name it.
    package var pool: String
    /// The identity, as clients name it.
    package var identity: String
    package var dataset: String
    package var syncCount: Int64
    package var modifiedAt: Instant
    /// Whether the dataset was deleted.
    package var isDeleted: Bool
    /// The records that the update touched.
    package var records: [DatasetRecord]

    /// Creates a record from its fields.
    package init(
        pool: String, identity: String, dataset: Dataset, records: [DatasetRecord]
    ) {
        self.pool = pool
        self.identity = identity
        self.dataset = dataset.name
        syncCount = dataset.syncCount
        modifiedAt = dataset.modifiedAt
        isDeleted = !dataset.exists
        self.records = records
    }

    /// The record with its contents.
    package var inline: [UInt8] { json { writer in writer.member("payloadType", "Inline") } }

    /// The record with the address of its contents in place of them.
    package func referring(to address: String) -> [UInt8] {
        json(hasRecords: false) { writer in
            writer.member("kinesisSyncRecordsURL", address)
            writer.member("payloadType", "S3Url")
        }
    }

    private func json(hasRecords: Bool = true, _ body: (inout JSONWriter) -> Void) -> [UInt8] {
        JSONWriter.object { writer in
            writer.member("identityPoolId", pool)
            writer.member("identityId", identity)
            writer.member("dataSetName", dataset)
            writer.member("operation", isDeleted ? "remove" : "replace")
            if hasRecords {
                writer.key("kinesisSyncRecords")
                writer.streamRecords(records)
            }
            writer.member("lastModifiedDate", modifiedAt.milliseconds)
            body(&writer)
            writer.member("syncCount", syncCount)
        }
    }

    /// Returns the contents of a record for a response at its address: a JSON array.
    package static func contents(_ records: [DatasetRecord]) -> [UInt8] {
        var writer = JSONWriter()
        writer.streamRecords(records)
        return writer.bytes
    }
}

extension JSONWriter {
    fileprivate mutating func streamRecords(_ records: [DatasetRecord]) {
        beginArray()
        for record in records { streamRecord(record) }
        endArray()
    }

    private mutating func streamRecord(_ record: DatasetRecord) {
        beginObject()
        member("key", record.key)
        if let value = record.value { member("value", value) }
        member("syncCount", record.syncCount)
        member("lastModifiedDate", record.modifiedAt.milliseconds)
        member("deviceLastModifiedDate", record.deviceModifiedAt.milliseconds)
        member("op", record.value == nil ? "remove" : "replace")
        endObject()
    }
}

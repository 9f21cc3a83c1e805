import MusterCoding
import MusterCore
import MusterMutex
import MusterWire

/// Reads revisions from a peer over HTTP.
extension HTTPPeer {
    /// Requests `_bulk_get`, or each document by itself if the server has no such route.
    public func read(_ wanted: [DocumentRevisions]) async throws -> [ReplicatedRevision] {
        if knowsBulkGet.withLock({ $0 }) != false {
            var writer = JSONWriter()
            writer.beginObject()
            writer.key("docs")
            writer.beginArray()
            for document in wanted {
                for revision in document.revisions {
                    writer.beginObject()
                    writer.key("id")
                    writer.value(document.id)
                    writer.key("rev")
                    writer.value(revision.text)
                    writer.endObject()
                }
            }
            writer.endArray()
            writer.endObject()
            let request = exchange.makeRequest(
                .POST, "_bulk_get", query: "revs=true&latest=true&attachments=false", json: writer.takeBytes())
            let answer = try await exchange.send(request, admitting: [404, 405, 501])
            if answer.status < 300 {
                knowsBulkGet.withLock { $0 = true }
                return try Self.bulk(answer.body, asked: wanted)
            }
            if answer.status == 404 { try await mustBeThere() }
            knowsBulkGet.withLock { $0 = false }
        }
        var revisions: [ReplicatedRevision] = []
        for document in wanted { revisions += try await read(document) }
        return revisions
    }

    /// Checks after a 404 that the database exists, so that the 404 means a missing route and not a database that is
    /// temporarily unavailable. The next session first checks whether the database is gone for good.
    private func mustBeThere() async throws {
        let isAway = ReplicationError.busy(status: 404, retryAfterSeconds: nil)
        if knowsBulkGet.withLock({ $0 }) == true { throw isAway }
        do {
            _ = try await information()
        } catch ReplicationError.noDatabase {
            throw isAway
        }
    }

    /// Reads one document by `open_revs`, for servers without `_bulk_get`.
    private func read(_ document: DocumentRevisions) async throws -> [ReplicatedRevision] {
        let names = JSONValue.array(document.revisions.map { .string($0.text) })
        let list = PercentEncoding.encode(String(decoding: names.bytes, as: UTF8.self))
        let request = exchange.makeRequest(
            .GET, DatabaseAddress.path(ofDocument: document.id), query: "revs=true&latest=true&open_revs=\(list)")
        let answer = try await exchange.send(request, admitting: [404, 500])
        if answer.status == 404 {
            // Only the database itself states this reason; a proxy in between does not.
            let reason = (try? JSONValue(parsing: answer.body))?["reason"]?.string
            guard reason == "missing" || reason == "deleted" else {
                throw ReplicationError.busy(status: 404, retryAfterSeconds: nil)
            }
            return []
        }
        if answer.status == 500 {
            return document.revisions.map {
                ReplicatedRevision(refused: document.id, $0, error: "unknown_error", reason: "500", isPassing: true)
            }
        }
        return try Self.parse(answer.body) { reader in
            var revisions: [ReplicatedRevision] = []
            try reader.beginArray()
            let asked = (document.id, document.revisions.first)
            while try reader.nextElement() { try Self.row(&reader, asked: asked, into: &revisions) }
            return revisions
        }
    }

    /// Reads `{"results":[{"id":…,"docs":[{"ok":{…}}]}]}`. A revision in several rows is returned once.
    static func bulk(_ body: [UInt8], asked wanted: [DocumentRevisions]) throws -> [ReplicatedRevision] {
        // The results have the order of the request.
        let asked = wanted.flatMap { document in document.revisions.map { (document.id, $0) } }
        return try parse(body) { reader in
            var revisions: [ReplicatedRevision] = []
            var index = 0
            try reader.beginObject()
            while let key = try reader.nextKey() {
                guard key == "results" else {
                    _ = try reader.skip()
                    continue
                }
                try reader.beginArray()
                while try reader.nextElement() {
                    try result(&reader, asked: index < asked.count ? asked[index] : (nil, nil), into: &revisions)
                    index += 1
                }
            }
            return revisions
        }
    }

    /// The id and revision that a row responds to.
    private typealias Asked = (id: String?, revision: Revision?)

    private static func result(
        _ reader: inout JSONReader, asked: Asked, into revisions: inout [ReplicatedRevision]
    ) throws {
        var asked = asked
        try reader.beginObject()
        while let key = try reader.nextKey() {
            switch (key.string, try reader.peek()) {
            case ("id", .string):
                // Some servers return one row for all revisions of a document.
                let id = try reader.text().string
                if id != asked.id { asked = (id, nil) }
            case ("docs", .array):
                try reader.beginArray()
                while try reader.nextElement() { try row(&reader, asked: asked, into: &revisions) }
            default: _ = try reader.skip()
            }
        }
    }

    /// Reads `{"ok":{…}}`, and skips `missing` and `not_found`. Another error is returned as a revision that is refused
    /// for now, so that it is neither treated as absent nor prevents the others.
    ///
    /// - Throws: `ReplicationError.busy` for an error whose row names no revision.
    private static func row(
        _ reader: inout JSONReader, asked: Asked, into revisions: inout [ReplicatedRevision]
    ) throws {
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if key == "ok", try reader.peek() == .object {
                if let revision = try DocumentText.readOne(of: &reader, asked: asked) { revisions.append(revision) }
            } else if key == "error" {
                let told = try reader.tree()
                let error = (told["error"] ?? told).string
                if error == "not_found" { continue }
                guard let id = told["id"]?.string ?? asked.id,
                    let revision = told["rev"]?.string.flatMap({ Revision($0) }) ?? asked.revision
                else { throw ReplicationError.busy(status: 500, retryAfterSeconds: nil) }
                revisions.append(
                    ReplicatedRevision(
                        refused: id, revision, error: error ?? "unknown_error", reason: told["reason"]?.string ?? "",
                        isPassing: true))
            } else {
                _ = try reader.skip()
            }
        }
    }

    private static func parse(
        _ body: [UInt8], _ read: (inout JSONReader) throws -> [ReplicatedRevision]
    ) throws -> [ReplicatedRevision] {
        let revisions: [ReplicatedRevision]
        do {
            revisions = try body.withUnsafeBytes { bytes in
                var reader = JSONReader(bytes, depthLimit: DocumentText.depthLimit)
                let revisions = try read(&reader)
                try reader.finish()
                return revisions
            }
        } catch let error as JSONError {
            throw ReplicationError.malformed("documents: \(error)")
        }
        var seen: Set<ReplicatedRevision.Key> = []
        return revisions.filter { seen.insert($0.key).inserted }
    }

    /// Reads `_snapshot`; nil if the server has no such route, as every server but Muster.
    public func snapshot(since sequence: PeerSequence) async throws -> SnapshotPages? {
        var request = exchange.makeRequest(.GET, "_snapshot", query: "since=\(Self.query(sequence))")
        request.accept = "application/x-ndjson"
        request.acceptEncoding = "gzip"
        request.deadlineSeconds = nil
        let response = try await exchange.open(request, admitting: [400, 404, 405, 501])
        guard response.status == 200,
            response.header("Content-Type")?.hasPrefix("application/x-ndjson") == true
        else { return nil }
        let lines = SnapshotLines(PulledBody(response).pieces)
        return SnapshotPages { try await lines.next() }
    }
}

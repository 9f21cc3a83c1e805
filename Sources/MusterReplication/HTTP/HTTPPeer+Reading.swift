import AsyncHTTPClient
import MusterCore
import MusterWire
import NIOCore
import NIOHTTP1
import Synchronization

extension HTTPPeer {
    /// Asks `_bulk_get`, or every document for itself where the server does not know that.
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
            let ask = exchange.ask(
                .POST, "_bulk_get", query: "revs=true&latest=true&attachments=false", json: writer.takeBytes())
            let answer = try await exchange.send(ask, admitting: [404, 405, 501])
            if answer.status < 300 { return try Self.bulk(answer.body) }
            knowsBulkGet.withLock { $0 = false }
        }
        var revisions: [ReplicatedRevision] = []
        for document in wanted { revisions += try await read(document) }
        return revisions
    }

    /// One document by `open_revs`, as servers without `_bulk_get` have it.
    private func read(_ document: DocumentRevisions) async throws -> [ReplicatedRevision] {
        let names = JSONValue.array(document.revisions.map { .string($0.text) })
        let list = PeerAddress.encoded(String(decoding: names.bytes, as: UTF8.self))
        let ask = exchange.ask(
            .GET, PeerAddress.path(ofDocument: document.id), query: "revs=true&latest=true&open_revs=\(list)")
        let answer = try await exchange.send(ask, admitting: [404])
        if answer.status == 404 { return [] }
        return try Self.parse(answer.body) { reader in
            var revisions: [ReplicatedRevision] = []
            try reader.beginArray()
            while try reader.nextElement() { try Self.row(&reader, into: &revisions) }
            return revisions
        }
    }

    /// Reads `{"results":[{"id":…,"docs":[{"ok":{…}}]}]}`; a revision that several rows led to comes once.
    static func bulk(_ body: [UInt8]) throws -> [ReplicatedRevision] {
        try parse(body) { reader in
            var revisions: [ReplicatedRevision] = []
            try reader.beginObject()
            while let key = try reader.nextKey() {
                guard key == "results" else {
                    _ = try reader.skip()
                    continue
                }
                try reader.beginArray()
                while try reader.nextElement() { try result(&reader, into: &revisions) }
            }
            return revisions
        }
    }

    private static func result(_ reader: inout JSONReader, into revisions: inout [ReplicatedRevision]) throws {
        try reader.beginObject()
        while let key = try reader.nextKey() {
            guard key == "docs" else {
                _ = try reader.skip()
                continue
            }
            try reader.beginArray()
            while try reader.nextElement() { try row(&reader, into: &revisions) }
        }
    }

    /// Reads `{"ok":{…}}`; what is `missing` or `not_found` is passed over.
    ///
    /// - Throws: `ReplicationFault.busy` for another error: what cannot be read now must not be taken for nothing.
    private static func row(_ reader: inout JSONReader, into revisions: inout [ReplicatedRevision]) throws {
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if key == "ok", try reader.peek() == .object {
                if let revision = try DocumentText.read(&reader) { revisions.append(revision) }
            } else if key == "error" {
                let error = try reader.tree()
                guard (error["error"] ?? error).string == "not_found" else {
                    throw ReplicationFault.busy(status: 500, retryAfterSeconds: nil)
                }
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
        } catch let fault as JSONFault {
            throw ReplicationFault.malformed("documents: \(fault)")
        }
        var seen: Set<ReplicatedRevision.Key> = []
        return revisions.filter { seen.insert($0.key).inserted }
    }

    /// Reads `_snapshot`, which Muster has; nil for any other server.
    public func snapshot(since sequence: PeerSequence) async throws -> SnapshotPages? {
        var ask = exchange.ask(.GET, "_snapshot", query: "since=\(PeerAddress.encoded(sequence.json))")
        ask.accept = "application/x-ndjson"
        ask.acceptEncoding = "gzip"
        ask.deadlineSeconds = nil
        let response = try await exchange.open(ask, admitting: [400, 404, 405, 501])
        guard response.status == .ok,
            response.headers.first(name: "Content-Type")?.hasPrefix("application/x-ndjson") == true
        else { return nil }
        let lines = SnapshotLines(PulledBody(response).pieces)
        return SnapshotPages { try await lines.next() }
    }
}

extension ReplicatedRevision {
    /// What tells revisions of several documents apart.
    struct Key: Hashable {
        var id: String
        var revision: Revision
    }

    var key: Key { Key(id: id, revision: revision) }
}

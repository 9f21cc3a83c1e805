import ArgumentParser
import Foundation
import MusterCore
import MusterDocuments
import MusterStore
import MusterTerminal
import NIOCore

extension Bench {
    /// Documents: in this process, and over HTTP.
    struct Documents: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Location documents, on disk before the answer: written, compared, told. The store, then HTTP.")
        @Option(help: "Documents, in thousands.") var thousands = 100
        @Option(help: "Documents of each batch.") var batch = 1_000
        @Flag(help: "Only the store, in this process.") var inProcess = false
        @Option(help: "Instead: so many users with a location database each, and the union of all.") var users = 0

        func validate() throws {
            guard (1...10_000).contains(thousands) else { throw ValidationError("--thousands: 1 to 10000") }
            guard (1...10_000).contains(batch) else { throw ValidationError("--batch: 1 to 10000") }
            guard (0...1_000_000).contains(users) else { throw ValidationError("--users: 0 to 1000000") }
        }

        func run() async throws {
            if users > 0 { return try await UserDatabaseRun(users: users).report() }
            let documents = (0..<thousands * 1_000).map(BenchDocument.init)
            announce("\(documents.count) documents of \(documents[0].json.count) bytes, \(batch) a batch")
            try StoreRun(documents, batch: batch).report()
            if !inProcess { try await HTTPRun(documents, batch: batch).report() }
        }
    }
}

/// A location document as the tracker app writes it, and its random id.
private struct BenchDocument {
    let id: String
    let json: [UInt8]

    init(number: Int) {
        var random = BenchRandom(seed: UInt64(number))
        id = String(random.next(), radix: 16) + String(random.next(), radix: 16)
        let time = 1_795_240_800_000 + number * 1_000
        let place = "\(-122.3 + random.unit()),\(37.4 + random.unit())"
        json = Array(
            """
            {"type":"Feature","created_at":\(time),"geometry":{"type":"Point","coordinates":[\(place)]},\
            "properties":{"username":"ann","session_id":"s1","timestamp":\(time),"background":false}}
            """.utf8)
    }

    var edit: DocumentEdit { edit(on: nil) }

    func edit(on parent: Revision?) -> DocumentEdit {
        DocumentEdit(id: id, body: DocumentBody(json: json), isDeleted: false, place: .on(parent))
    }
}

/// The speed of a step.
private func row(_ name: String, _ count: Int, _ unit: String, _ duration: Duration) {
    let perSecond = Double(count) / (duration / .seconds(1))
    announce(
        name.padding(toLength: 44, withPad: " ", startingAt: 0) + String(format: "%10.0f %@", perSecond, "\(unit)/s"))
    Figures.record(name, "\(unit)/s", perSecond)
}

/// The store alone, on one thread.
private struct StoreRun {
    private let documents: [BenchDocument]
    private let batch: Int
    private let database = DatabaseNumber(1)
    private let clock = ContinuousClock()

    init(_ documents: [BenchDocument], batch: Int) {
        self.documents = documents
        self.batch = batch
    }

    func report() throws {
        let folder = FileManager.default.temporaryDirectory.path + "/muster-bench-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = try SQLiteStore(in: folder)
        var revisions: [Revision] = []
        let digest = clock.measure { revisions = documents.map { RevisionDigest.revision(of: $0.edit, on: nil) } }
        row("revision ids", documents.count, "docs", digest)
        let made = try clock.measure { try write(to: store, database) { documents[$0].edit } }
        row("made, on disk", documents.count, "docs", made)
        let edited = try clock.measure { try write(to: store, database) { documents[$0].edit(on: revisions[$0]) } }
        row("edited, on disk", documents.count, "docs", edited)
        let locations = try clock.measure {
            try write(to: store, .locations(of: UserNumber(1))) { documents[$0].edit }
        }
        row("made in a location database, on disk", documents.count, "docs", locations)
        let known = documents.indices.map { WantedRevisions(id: documents[$0].id, revisions: [revisions[$0]]) }
        let unknown = known.map { WantedRevisions(id: $0.id + "x", revisions: $0.revisions) }
        for (name, wanted) in [("compared, all known", known), ("compared, none known", unknown)] {
            row(name, wanted.count, "ids", try clock.measure { try compare(wanted, in: store) })
        }
        let told = try clock.measure { try readChanges(.database(database), store) }
        row("changes with bodies", documents.count, "rows", told)
        let toldOfAll = try clock.measure { try readChanges(.locations, store) }
        row("changes with bodies, the union", documents.count, "rows", toldOfAll)
        try store.close()
    }

    private func write(
        to store: SQLiteStore, _ database: DatabaseNumber, _ edit: (Int) -> DocumentEdit
    ) throws {
        for start in stride(from: 0, to: documents.count, by: batch) {
            try store.write(at: Instant(milliseconds: 0)) { transaction in
                for index in start..<min(documents.count, start + batch) {
                    let edit = edit(index)
                    let outcome = try transaction.documents.apply(edit, to: database, revisionLimit: 1_000) { winner in
                        try transaction.append(
                            .document(
                                DocumentTouch(
                                    database: database, id: edit.id, winner: winner.revision, isDeleted: false)))
                    }
                    guard case .stored = outcome else { throw CommandFailure("not stored: \(outcome)") }
                }
            }
        }
    }

    private func compare(_ wanted: [WantedRevisions], in store: SQLiteStore) throws {
        for start in stride(from: 0, to: wanted.count, by: batch) {
            let page = Array(wanted[start..<min(wanted.count, start + batch)])
            _ = try store.readDocuments { documents, _ in try documents.missing(page, in: .database(database)) }
        }
    }

    private func readChanges(_ scope: DatabaseScope, _ store: SQLiteStore) throws {
        var since = LogSequence.zero
        while true {
            let page = try store.readDocuments { documents, _ in
                _ = try documents.pendingChanges(in: scope, since: since)
                return try documents.changes(
                    in: scope, since: since, isDescending: false, withBodies: true, limit: batch)
            }
            guard let last = page.last else { return }
            since = last.sequence
        }
    }
}

/// A server, from outside, over one connection.
private struct HTTPRun {
    private let documents: [BenchDocument]
    private let batch: Int

    init(_ documents: [BenchDocument], batch: Int) {
        self.documents = documents
        self.batch = batch
    }

    func report() async throws {
        let server = try await BenchServer.start()
        defer { server.stop() }
        let token = server.connection.token
        try await run("", [HTTPAnswer.request("PUT", "/couchdb/bench", token: token, body: [])], 1, "", on: server)
        let starts = stride(from: 0, to: documents.count, by: batch)
        let posts = starts.map { start in
            let page = documents[start..<min(documents.count, start + batch)]
            let rows = page.map { "{\"_id\":\"\($0.id)\"," + String(decoding: $0.json.dropFirst(), as: UTF8.self) }
            return HTTPAnswer.request(
                "POST", "/couchdb/bench/_bulk_docs", token: token,
                body: Array("{\"docs\":[\(rows.joined(separator: ","))]}".utf8))
        }
        try await run("POST _bulk_docs, on disk", posts, documents.count, "docs", on: server)
        let comparisons = starts.map { start in
            let page = documents[start..<min(documents.count, start + batch)]
            let rows = page.map { "\"\($0.id)\":[\"1-967a00dff5e02add41819138abb3284d\"]" }
            return HTTPAnswer.request(
                "POST", "/couchdb/bench/_revs_diff", token: token,
                body: Array("{\(rows.joined(separator: ","))}".utf8))
        }
        try await run("POST _revs_diff", comparisons, documents.count, "ids", on: server)
        let changes = HTTPAnswer.request("GET", "/couchdb/bench/_changes?include_docs=true", token: token, body: [])
        try await run("GET _changes?include_docs, one answer", [changes], documents.count, "rows", on: server)
        announce("RSS at the end: \(server.residentBytes.map { "\($0 / 1_000_000) MB" } ?? "unknown")")
    }

    private func run(
        _ name: String, _ requests: [ByteBuffer], _ count: Int, _ unit: String, on server: BenchServer
    ) async throws {
        let outcome = try await server.load.run([requests])
        guard outcome.failures.isEmpty else { throw CommandFailure("\(name) was refused: \(outcome.failures)") }
        if !name.isEmpty { row(name, count, unit, .seconds(outcome.seconds)) }
    }
}

import MusterCore
import MusterDocuments
import MusterStore
import MusterWire
import Testing

@testable import MusterCouchDB
@testable import MusterServer

/// What `_changes` says of what it does not tell.
@Suite struct CouchChangesTests {
    @Test func `an unknown pending count is null rather than 0, at which a replication would end`() async throws {
        let town = try await Town()
        _ = try await town.coordinator.ingest((0..<5).map { town.fix(46, at: Double($0)) })
        let request = try CouchChangesRequest(CouchQuery("limit=2"), body: .object([]), lastEventID: nil)
        let scope = DatabaseScope.database(.locations(of: Town.ana))
        let ends = try await town.coordinator.readDocuments { reader in
            var changes = CouchChanges(request, in: scope)
            var bytes: [UInt8] = []
            _ = try changes.appendRows(to: &bytes, reader)
            let broken = UncountableReader(reader)
            #expect(throws: UncountableReader.Fault.self) { try changes.tail(broken) }
            #expect(throws: UncountableReader.Fault.self) { try changes.lastLine(broken) }
            return [Array("{\"x\":[".utf8) + (try changes.tail(reader)), try changes.lastLine(reader)]
        }
        #expect(try ends.map { try JSONValue(parsing: $0)["pending"]?.integer } == [3, 3])
        try await town.coordinator.close()
    }
}

/// Reads what another reads, and fails at counting, as where positions are merged while someone looks.
private final class UncountableReader: DocumentReader {
    struct Fault: Error {}

    private let real: any DocumentReader

    init(_ real: any DocumentReader) { self.real = real }

    func pendingChanges(in scope: DatabaseScope, since: MusterCore.LogSequence) throws -> Int { throw Fault() }

    var lastSequence: MusterCore.LogSequence { real.lastSequence }
    func databases() throws -> [StoredDatabase] { try real.databases() }
    func counts(in scope: DatabaseScope) throws -> DocumentCounts { try real.counts(in: scope) }
    func count(idPrefix: String, in scope: DatabaseScope) throws -> Int {
        try real.count(idPrefix: idPrefix, in: scope)
    }
    func counts(ofIDPrefix prefix: String, in database: DatabaseNumber) throws -> DocumentCounts {
        try real.counts(ofIDPrefix: prefix, in: database)
    }
    func document(_ id: String, in scope: DatabaseScope) throws -> StoredDocument? { try real.document(id, in: scope) }
    func body(of revision: Revision, of id: String, in scope: DatabaseScope) throws -> DocumentBody? {
        try real.body(of: revision, of: id, in: scope)
    }
    func documents(in scope: DatabaseScope, _ range: DocumentRange) throws -> [StoredDocument] {
        try real.documents(in: scope, range)
    }
    func changes(
        in scope: DatabaseScope, since: MusterCore.LogSequence, isDescending: Bool, withBodies: Bool, limit: Int
    ) throws -> [StoredDocument] {
        try real.changes(in: scope, since: since, isDescending: isDescending, withBodies: withBodies, limit: limit)
    }
    func indexes(in database: DatabaseNumber) throws -> [StoredIndex] { try real.indexes(in: database) }
    func entries(
        of index: StoredIndex, in range: KeyRange, after entry: IndexEntry?, isDescending: Bool, limit: Int
    ) throws -> [IndexEntry] {
        try real.entries(of: index, in: range, after: entry, isDescending: isDescending, limit: limit)
    }
    func local(_ id: String, in database: DatabaseNumber) throws -> LocalDocument? { try real.local(id, in: database) }
    func locals(in database: DatabaseNumber, _ range: DocumentRange) throws -> [LocalDocument] {
        try real.locals(in: database, range)
    }
    func bytes(of key: [UInt8], from offset: Int64, limit: Int) throws -> [UInt8]? {
        try real.bytes(of: key, from: offset, limit: limit)
    }
}

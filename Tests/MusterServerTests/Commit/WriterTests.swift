import MusterCore
import MusterDocuments
import MusterStore
import MusterTestSupport
import MusterWire
import Testing

@testable import MusterServer

@Suite struct WriterTests {
    private let clock = Town.Clock()
    private let store = MemoryStore()
    private let database = DatabaseNumber(1)

    private func makeWriter() -> Writer {
        let shared = CoordinatorState(
            directory: Directory(), storage: StorageHealth(now: { [clock] in clock.now }), announce: { _ in })
        let amazon = Configuration.Amazon()
        let origin = EventOrigin(account: amazon.account, region: amazon.region, store: store.uuid())
        let engine = Engine(directory: Directory(), positions: [], presences: [], safety: [])
        return Writer(
            pipeline: CommitPipeline(store: store, engine: engine, rules: RuleBook(origin: origin) { Directory() }),
            shared: shared, now: { [clock] in clock.now })
    }

    /// Fills a database and removes it.
    private func removeDatabase(with count: Int) throws {
        try store.write(at: clock.now) { transaction in
            for number in 0..<count {
                let edit = DocumentEdit(id: "d\(number)", body: .empty, isDeleted: false, place: .on(nil))
                _ = try transaction.documents.apply(edit, to: database, revisionLimit: 10) { winner in
                    try transaction.append(
                        .document(
                            DocumentTouch(
                                database: database, id: edit.id, winner: winner.revision, isDeleted: false)))
                }
            }
        }
        try store.write(at: clock.now) { try $0.documents.remove(database) }
    }

    /// Has the writer carry out one job, without a rest before or after it.
    private func keepBusy(_ writer: inout Writer) throws {
        let queue = WriterQueue()
        try queue.put(.run { _ in })
        queue.close()
        writer.serve(queue)
    }

    @Test func `a server that never rests erases what was removed, a slice now and then`() throws {
        var writer = makeWriter()
        let slices = 5
        try removeDatabase(with: DocumentTables.erasedAtOnce + slices * Writer.erasureSlice)
        for _ in 0..<50 { try keepBusy(&writer) }
        #expect(try store.eraseDocuments(limit: 1), "all of it was erased at one moment")
        for _ in 0..<slices {
            clock.advance(bySeconds: Writer.erasureSeconds)
            try keepBusy(&writer)
        }
        #expect(try !store.eraseDocuments(limit: 1))
    }
}

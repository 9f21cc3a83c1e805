import MusterCore
import MusterDocuments
import MusterStore
import Testing

/// The bytes of attachments.
@Suite struct AttachmentTests {
    private let places = DatabaseNumber(1)
    private let key = [UInt8](repeating: 2, count: 32)

    /// Bytes that say where they are.
    private func pattern(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7 + $0 >> 8) } }

    @discardableResult
    private func store(_ bytes: [UInt8], _ key: [UInt8], in store: any Store, at moment: Instant) throws -> BlobNumber {
        let blob = try store.write(at: moment) { try $0.documents.beginBlob() }
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(300_000))
            rest = rest.dropFirst(300_000)
            try store.write(at: moment) { try $0.documents.append(piece, to: blob) }
        }
        try store.write(at: moment) { try $0.documents.finish(blob, key: key, length: Int64(bytes.count), at: moment) }
        return blob
    }

    private func holds(_ key: [UInt8], in store: any Store) throws -> Bool {
        try store.lookAtDocuments { try $0.bytes(of: key, from: 0, limit: 1) } != nil
    }

    private func drop(in store: any Store, at moment: Instant) throws {
        while try store.write(at: moment, { try $0.documents.dropUnusedBlobs(at: moment, limit: 2) }) {}
    }

    @Test(arguments: StoreKind.allCases)
    func `bytes are read from any offset, and survive a crash`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        let bytes = pattern(700_001)
        try store(bytes, key, in: bench.store, at: .test(0))
        try store([], [UInt8](repeating: 9, count: 32), in: bench.store, at: .test(0))
        try bench.crash()
        for (offset, limit) in [(0, 10), (262_143, 2), (299_999, 300_002), (700_000, 9), (700_001, 9), (0, 800_000)] {
            let found = try bench.store.lookAtDocuments {
                try $0.bytes(of: key, from: Int64(offset), limit: limit)
            }
            #expect(found == Array(bytes[offset..<min(bytes.count, offset + limit)]))
        }
        let empty = try bench.store.lookAtDocuments {
            try $0.bytes(of: [UInt8](repeating: 9, count: 32), from: 0, limit: 9)
        }
        #expect(empty == [])
        #expect(try bench.store.lookAtDocuments { try $0.bytes(of: [1], from: 0, limit: 9) } == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `bytes stay while a revision names them, and go an hour after`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        let store = bench.store
        try self.store(pattern(3), key, in: store, at: .test(0))
        let named = [Attachment.test("a", key: key), Attachment.test("b", key: key)]
        let first = try #require(store.edit(.test("a", "{}", named), in: places)[0].revision)
        try drop(in: store, at: .test(9_999))
        #expect(try store.document("a", in: .database(places))?.body?.attachments == named)
        #expect(try store.counts(in: .database(places)).bytes == 8)
        #expect(try holds(key, in: store))
        // The next revision names them no more; the last still does, until it is compacted away.
        try store.edit(.test("a", "{\"v\":1}", on: first), in: places)
        try drop(in: store, at: .test(9_999))
        #expect(try holds(key, in: store))
        _ = try store.write(at: .test(1)) { try $0.documents.compact(places, limit: 10) }
        #expect(try holds(key, in: store))
        try drop(in: store, at: .test(3_599))
        #expect(try holds(key, in: store))
        try drop(in: store, at: .test(3_601))
        #expect(try !holds(key, in: store))
        #expect(
            try store.edit(.test("b", "{}", named), in: places) == [.missingAttachment(name: "a")])
        #expect(try store.document("b", in: .database(places)) == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `the same bytes are kept once, and a removed database gives them back`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        let store = bench.store
        try self.store(pattern(3), key, in: store, at: .test(0))
        try self.store(pattern(3), key, in: store, at: .test(5_000))
        // Seen again at 5,000, so kept for an hour from then.
        try drop(in: store, at: .test(8_000))
        #expect(try holds(key, in: store))
        let named = [Attachment.test("a", key: key)]
        for database in [places, DatabaseNumber(2), .locations(of: UserNumber(3))] {
            try store.edit(.test("x", "{}", named), in: database)
        }
        for database in [places, .locations(of: UserNumber(3))] {
            try store.write(at: .test(9)) { try $0.documents.remove(database) }
        }
        try drop(in: store, at: .test(99_999))
        #expect(try holds(key, in: store))
        try store.write(at: .test(9)) { try $0.documents.remove(document: "x", from: DatabaseNumber(2)) }
        try drop(in: store, at: .test(99_999))
        #expect(try !holds(key, in: store))
    }

    @Test(arguments: StoreKind.allCases)
    func `an upload that was abandoned or cut off is dropped, and no document names it`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        let left = try bench.store.write(at: .test(0)) { transaction in
            let blob = try transaction.documents.beginBlob()
            try transaction.documents.append(pattern(900_000), to: blob)
            return blob
        }
        let short = try bench.store.write(at: .test(0)) { try $0.documents.beginBlob() }
        #expect(throws: DocumentTables.BlobError.length(0, expected: 5)) {
            try bench.store.write(at: .test(0)) {
                try $0.documents.finish(short, key: key, length: 5, at: .test(0))
            }
        }
        try bench.store.write(at: .test(0)) { try $0.documents.abandon(short) }
        #expect(throws: DocumentTables.BlobError.unknown(short)) {
            try bench.store.write(at: .test(0)) { try $0.documents.append([1], to: short) }
        }
        try bench.crash()
        try drop(in: bench.store, at: .test(0))
        try bench.store.write(at: .test(3_000)) { try $0.documents.append([1], to: left) }
        try drop(in: bench.store, at: .test(3_700))
        try bench.store.write(at: .test(3_701)) { try $0.documents.append([1], to: left) }
        try drop(in: bench.store, at: .test(3_800))
        try drop(in: bench.store, at: .test(7_401))
        #expect(throws: DocumentTables.BlobError.unknown(left)) {
            try bench.store.write(at: .test(0)) { try $0.documents.append([1], to: left) }
        }
        #expect(try !holds(key, in: bench.store))
        #expect(try bench.store.check() == [])
    }
}

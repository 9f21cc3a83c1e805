import MusterCore
import MusterStore
import Testing

/// Datasets in every store: what one transaction writes is read whole, after a crash too, and by their owner alone.
struct DatasetStoreTests {
    private let ana = UserNumber(1)
    private let bo = UserNumber(2)

    /// Carries updates out, each in a transaction of its own.
    private func update(_ name: String, of user: UserNumber, _ patches: [DatasetPatch]?, _ store: any Store) throws {
        let update = DatasetUpdate(
            owner: user, name: name, order: patches.map { .patch($0) } ?? .delete, device: "d", author: "d")
        try store.write(at: .test(1)) { transaction in
            let before =
                try transaction.dataset(name, of: user) ?? Dataset(owner: user, name: name, at: .test(0))
            let decision = try before.deciding(
                update, ownedDatasets: try transaction.datasetCount(of: user), at: .test(2)
            ) { try transaction.record($0, in: name, of: user) }
            try transaction.put(decision)
            if let touch = decision.touch { try transaction.append(.dataset(touch)) }
        }
    }

    private func patches(_ pairs: [(String, String?, Int64)]) -> [DatasetPatch] {
        pairs.map { DatasetPatch(key: $0.0, value: $0.1, syncCount: $0.2, deviceModifiedAt: .test(0.5)) }
    }

    private func page(
        _ name: String, of user: UserNumber, since count: Int64 = 0, after cursor: DatasetCursor? = nil,
        limit: Int = 100, _ store: any Store
    ) throws -> DatasetPage? {
        try store.readDataset(name, of: user, since: count, after: cursor, limit: limit)
    }

    @Test(arguments: StoreKind.allCases)
    func `written records are read after a crash, removed ones too`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        try update("a", of: ana, patches([("k\0", "v\0w", 0), ("é", "", 0)]), bench.store)
        try update("a", of: ana, patches([("é", nil, 1), ("z", "3", 0)]), bench.store)
        try update("a", of: bo, patches([("other", "1", 0)]), bench.store)
        try bench.crash()
        let found = try #require(try page("a", of: ana, bench.store))
        #expect(found.records.map(\.key) == ["k\0", "z", "é"])
        #expect(found.records.map(\.value) == ["v\0w", "3", nil])
        #expect(found.records.map(\.syncCount) == [1, 2, 2])
        #expect(found.records[0].deviceModifiedAt == .test(0.5))
        #expect(found.records[0].modifiedAt == .test(2))
        #expect(found.dataset.syncCount == 2)
        #expect(found.dataset.recordCount == 2)
        #expect(found.dataset.removedCount == 1)
        #expect(found.next == nil)
        #expect(try page("a", of: ana, since: 1, bench.store)?.records.map(\.key) == ["z", "é"])
        #expect(try page("a", of: ana, since: .max, bench.store)?.records == [])
        #expect(try page("b", of: ana, bench.store) == nil)
        #expect(try bench.store.datasets(of: bo).map(\.name) == ["a"])
        #expect(try bench.store.datasetUsage(of: [ana, bo, UserNumber(3)]).mapValues(\.datasets) == [ana: 1, bo: 1])
        #expect(
            try bench.store.changes(since: .zero, limit: 10).map(\.change) == [
                .dataset(DatasetTouch(owner: ana, name: "a", syncCount: 1, isDeleted: false, device: "d")),
                .dataset(DatasetTouch(owner: ana, name: "a", syncCount: 2, isDeleted: false, device: "d")),
                .dataset(DatasetTouch(owner: bo, name: "a", syncCount: 1, isDeleted: false, device: "d")),
            ])
    }

    @Test(arguments: StoreKind.allCases)
    func `a reader that pages on while others write reads every record`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        try update("a", of: ana, patches((0..<7).map { ("k\($0)", "1", 0) }), bench.store)
        let first = try #require(try page("a", of: ana, limit: 3, bench.store))
        #expect(first.records.map(\.key) == ["k0", "k1", "k2"])
        try update("a", of: ana, patches([("k0", "2", 1), ("k6", "2", 1)]), bench.store)
        var (keys, cursor): ([String], DatasetCursor?) = ([], first.next)
        while let next = cursor {
            let more = try #require(try page("a", of: ana, after: next, limit: 3, bench.store))
            keys += more.records.map { "\($0.key)=\($0.value ?? "")" }
            cursor = more.next
        }
        #expect(keys == ["k3=1", "k4=1", "k5=1", "k0=2", "k6=2"])
    }

    @Test(arguments: StoreKind.allCases)
    func `the bytes of datasets are counted by owner, and a removed user's are gone at once`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        try bench.store.write(at: .test(0)) { transaction in
            for (number, name) in [(ana, "ana"), (bo, "bo")] {
                try transaction.put(User(number: number, name: name, role: .member, team: nil))
            }
        }
        try update("a", of: ana, patches([("key", "12345", 0), ("k", nil, 0)]), bench.store)
        try update("b", of: ana, patches((0..<30).map { ("k\($0 % 10)\($0 / 10)", "1", 0) }), bench.store)
        try update("a", of: bo, patches([("k", "1", 0)]), bench.store)
        #expect(try bench.store.usage().datasetBytes == [ana: 9 + 120, bo: 2])
        try bench.store.write(at: .test(3)) { transaction in
            #expect(try transaction.datasetBytes(of: ana) == 129)
            try transaction.remove(ana)
            #expect(try transaction.datasetBytes(of: ana) == 0)
        }
        #expect(try page("b", of: ana, bench.store) == nil)
        // The records are erased in slices, which a crash may interrupt.
        _ = try bench.store.settle(limit: 20)
        try bench.crash()
        while try bench.store.settle(limit: 20) {}
        #expect(try bench.store.usage().datasetBytes == [bo: 2])
        #expect(try page("a", of: bo, bench.store)?.records.map(\.key) == ["k"])
    }

    @Test func `a removed user's records leave the file slice by slice`() throws {
        let bench = try Bench(.sqlite)
        try update("a", of: ana, patches((0..<900).map { ("key-of-ana-\($0)", "value-of-ana", 0) }), bench.store)
        try update("a", of: bo, patches([("key-of-bo", "1", 0)]), bench.store)
        let whole = try bench.store.usage().storeBytes
        try bench.store.write(at: .test(3)) { try $0.remove(ana) }
        var slices = 0
        while try bench.store.settle(limit: 1_000) { slices += 1 }
        #expect(slices >= 9)
        #expect(try bench.store.usage().storeBytes < whole)
        #expect(try page("a", of: bo, bench.store)?.records.count == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func `a transaction that throws leaves the dataset as it was`(kind: StoreKind) throws {
        struct Stop: Error {}
        let bench = try Bench(kind)
        try update("a", of: ana, patches([("k", "1", 0)]), bench.store)
        #expect(throws: Stop.self) {
            try bench.store.write(at: .test(3)) { transaction in
                let before = try #require(try transaction.dataset("a", of: ana))
                let update = DatasetUpdate(
                    owner: ana, name: "a", order: .patch(patches([("k", "2", 1)])), author: "d")
                try transaction.put(
                    before.deciding(update, ownedDatasets: 1, at: .test(3)) {
                        try transaction.record($0, in: "a", of: ana)
                    })
                #expect(try transaction.record("k", in: "a", of: ana)?.value == "2")
                throw Stop()
            }
        }
        #expect(try page("a", of: ana, bench.store)?.records.map(\.value) == ["1"])
    }

    @Test(arguments: StoreKind.allCases)
    func `a deleted dataset keeps its count, and a removed user nothing`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        try update("a", of: ana, patches([("k", "1", 0)]), bench.store)
        try update("a", of: ana, nil, bench.store)
        #expect(try bench.store.datasets(of: ana) == [])
        let deleted = try #require(try page("a", of: ana, bench.store))
        #expect(deleted.records == [])
        #expect(!deleted.dataset.exists)
        #expect(deleted.dataset.wasDeleted(since: 1))
        try update("a", of: ana, patches([("k", "2", 0)]), bench.store)
        #expect(try page("a", of: ana, bench.store)?.dataset.syncCount == 3)
        try bench.store.write(at: .test(4)) { try $0.remove(ana) }
        #expect(try page("a", of: ana, bench.store) == nil)
        #expect(try bench.store.changes(since: .zero, limit: 10) == [])
    }

    @Test(arguments: StoreKind.allCases)
    func `beyond the limit the datasets deleted first are forgotten`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        for index in 0...DatasetLimits.deletedDatasets {
            let name = "a\(1_000 + index)"
            try update(name, of: ana, patches([("k", "1", 0)]), bench.store)
            try update(name, of: ana, nil, bench.store)
        }
        let known = try (0...DatasetLimits.deletedDatasets).filter {
            try page("a\(1_000 + $0)", of: ana, bench.store) != nil
        }
        #expect(known.count == DatasetLimits.deletedDatasets)
    }
}

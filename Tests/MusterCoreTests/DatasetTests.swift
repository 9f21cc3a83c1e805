import MusterCore
import Testing

/// What one update makes of a dataset.
struct DatasetTests {
    private let owner = UserNumber(7)
    private var dataset: Dataset
    private var records: [String: DatasetRecord] = [:]

    init() { dataset = Dataset(owner: owner, name: "settings", at: Instant(milliseconds: 0)) }

    @discardableResult
    private mutating func update(
        _ patches: [DatasetPatch], at second: Int64 = 1, owned: Int = 0
    ) throws -> DatasetDecision {
        let update = DatasetUpdate(owner: owner, name: "settings", order: .patch(patches), author: "ana")
        let decision = try dataset.deciding(update, ownedDatasets: owned, at: Instant(milliseconds: second * 1_000)) {
            records[$0]
        }
        dataset = decision.dataset
        for record in decision.records { records[record.key] = record }
        return decision
    }

    private mutating func delete() throws -> DatasetDecision {
        let update = DatasetUpdate(owner: owner, name: "settings", order: .delete, author: "ana")
        let decision = try dataset.deciding(update, ownedDatasets: 1, at: Instant(milliseconds: 9_000)) { _ in nil }
        dataset = decision.dataset
        records = [:]
        return decision
    }

    private func patch(_ key: String, _ value: String?, _ count: Int64 = 0) -> DatasetPatch {
        DatasetPatch(key: key, value: value, syncCount: count)
    }

    @Test mutating func `the count rises by one an update however many records change`() throws {
        try update([patch("a", "1"), patch("b", "2"), patch("c", "3")])
        #expect(dataset.syncCount == 1)
        let decision = try update([patch("a", "4", 1)])
        #expect(dataset.syncCount == 2)
        #expect(decision.records.map(\.syncCount) == [2])
        #expect(decision.touch?.syncCount == 2)
        #expect(records["b"]?.syncCount == 1)
        #expect(dataset.recordCount == 3)
        #expect(dataset.bytes == 6)
    }

    @Test mutating func `an update without patches changes nothing`() throws {
        try update([patch("a", "1")])
        let before = dataset
        let decision = try update([])
        #expect(decision.touch == nil)
        #expect(dataset == before)
    }

    @Test mutating func `a stale count is a conflict and nothing of the update is stored`() throws {
        try update([patch("a", "1")])
        try update([patch("a", "2", 1)])
        let before = (dataset, records)
        #expect(throws: DatasetError.conflict(key: "a", syncCount: 2)) {
            try update([patch("b", "x"), patch("a", "3", 1)])
        }
        #expect(dataset == before.0)
        #expect(records == before.1)
        #expect(throws: DatasetError.conflict(key: "c", syncCount: 0)) { try update([patch("c", "3", 1)]) }
    }

    @Test mutating func `a removed record stays known without its value`() throws {
        try update([patch("a", "long value")])
        let decision = try update([patch("a", nil, 1)])
        #expect(decision.records.map(\.value) == [nil])
        #expect(decision.records.map(\.syncCount) == [2])
        #expect(dataset.recordCount == 0)
        #expect(dataset.removedCount == 1)
        #expect(dataset.bytes == 1)
        try update([patch("a", "again", 2)])
        #expect(dataset.removedCount == 0)
        #expect(dataset.recordCount == 1)
    }

    @Test mutating func `a dataset deleted and created again says so to clients of the former one`() throws {
        try update([patch("a", "1")])
        try update([patch("b", "1")])
        let decision = try delete()
        #expect(decision.removesRecords)
        #expect(decision.touch?.isDeleted == true)
        #expect(dataset.exists == false)
        #expect(dataset.bytes == 0)
        try update([patch("a", "new")])
        #expect(dataset.syncCount == 4)
        #expect(dataset.wasDeleted(since: 2))
        #expect(!dataset.wasDeleted(since: 0))
        #expect(!dataset.wasDeleted(since: 3))
        #expect(!dataset.wasDeleted(since: 4))
        // A count that this dataset never reached is another dataset's, whose end has been forgotten.
        #expect(dataset.wasDeleted(since: 5))
    }

    @Test mutating func `a dataset that is not there cannot be deleted`() throws {
        #expect(throws: DatasetError.noDataset("settings")) { try delete() }
    }

    @Test mutating func `limits refuse the whole update`() throws {
        try update((0..<DatasetLimits.records).map { patch("k\($0)", "v") })
        #expect(throws: DatasetError.self) { try update([patch("one more", "v")]) }
        #expect(dataset.recordCount == DatasetLimits.records)
        // One goes and one comes: as many as before.
        try update([patch("k0", nil, 1), patch("one more", "v")])
        let half = String(repeating: "x", count: DatasetLimits.bytes / 2)
        try update([patch("k1", half, 1)])
        #expect(throws: DatasetError.self) { try update([patch("k2", half, 1)]) }
    }

    @Test mutating func `a user has at most twenty datasets`() throws {
        #expect(throws: DatasetError.self) { try update([patch("a", "1")], owned: DatasetLimits.datasets) }
        try update([patch("a", "1")], owned: DatasetLimits.datasets - 1)
        // The one that is there may go on.
        try update([patch("a", "2", 1)], owned: DatasetLimits.datasets)
    }

    @Test mutating func `keys and values are bounded in bytes`() throws {
        for bad in [patch("", "1"), patch(String(repeating: "é", count: 513), "1")] {
            #expect(throws: DatasetError.self) { try update([bad]) }
        }
        #expect(throws: DatasetError.repeatedKey("a")) { try update([patch("a", "1"), patch("a", "2")]) }
        // Equal to a person, and two keys all the same.
        try update([patch("\u{E9}", "1"), patch("e\u{301}", "2")])
        #expect(dataset.recordCount == 2)
    }

    @Test(arguments: ["", "with space", "é", String(repeating: "a", count: 129), "a/b"])
    func `a name has Cognito's form`(name: String) throws {
        #expect(!DatasetLimits.isName(name))
        let update = DatasetUpdate(owner: owner, name: name, order: .patch([patch("a", "1")]), author: "ana")
        #expect(throws: DatasetError.self) {
            try Dataset(owner: owner, name: name, at: Instant(milliseconds: 0)).deciding(
                update, ownedDatasets: 0, at: Instant(milliseconds: 1)
            ) { _ in nil }
        }
    }
}

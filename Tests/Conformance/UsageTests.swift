import MusterCore
import MusterDocuments
import MusterStore
import Testing

/// How many bytes are stored of whom: what quotas are held against.
@Suite struct UsageTests {
    private let ann = DatabaseNumber.locations(of: UserNumber(1))
    private let key = [UInt8](repeating: 2, count: 32)

    @Test(arguments: StoreKind.allCases)
    func `a document's revisions and files count until they are compacted or removed`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        try bench.store.write(at: .test(0)) { transaction in
            let blob = try transaction.documents.beginBlob()
            try transaction.documents.append([1, 2, 3], to: blob)
            try transaction.documents.finish(blob, key: key, length: 3, at: .test(0))
        }
        func stored() throws -> Int64? { try bench.store.usage().documentBytes[ann] }
        let first = try #require(
            bench.store.edit(.test("a", "{}", [.test("f", key: key)]), in: ann)[0].revision)
        #expect(try stored() == 5)
        let second = try #require(bench.store.edit(.test("a", "{\"v\":1}", on: first), in: ann)[0].revision)
        #expect(try stored() == 5 + 7)
        // A conflict counts while it is one.
        try bench.store.edit(.replicated("a", ["1-00000000000000000000000000000001"], "{\"w\":22}"), in: ann)
        #expect(try stored() == 5 + 7 + 8)
        try bench.crash()
        #expect(try stored() == 5 + 7 + 8)
        _ = try bench.store.write(at: .test(1)) { try $0.documents.compact(ann, limit: 10) }
        #expect(try stored() == 7 + 8)
        try bench.store.edit(.test("a", "{}", on: second, isDeleted: true), in: ann)
        _ = try bench.store.write(at: .test(2)) { try $0.documents.compact(ann, limit: 10) }
        #expect(try stored() == 2 + 8)
        #expect(try bench.store.counts(in: .database(ann)).storedBytes == 2 + 8)
        try bench.store.write(at: .test(3)) { try $0.documents.remove(ann) }
        #expect(try stored() == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `signals count for their device until newer ones take their place or it is removed`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        func fire(_ ids: Range<Int>, bytes: Int, of device: Int32) throws {
            try bench.store.write(at: .test(0)) { transaction in
                for id in ids {
                    let value = Signal.Value("text1", String(repeating: "x", count: bytes))
                    let signal = Signal(
                        id: "s\(id)", name: "fired", sampleTime: .test(0), receivedTime: .test(0), values: [value])
                    try transaction.append(.signal(signal, of: DeviceNumber(device)))
                }
            }
        }
        func bytes(_ device: Int32) throws -> Int64? { try bench.store.usage().signalBytes[DeviceNumber(device)] }
        try fire(0..<Signal.keptLimit, bytes: 1_000, of: 1)
        try fire(0..<1, bytes: 1_000, of: 2)
        let all = try #require(try bytes(1))
        #expect(all > 1_000_000 && all < 1_100_000)
        try bench.crash()
        try fire(Signal.keptLimit..<Signal.keptLimit + 500, bytes: 0, of: 1)
        #expect(try bytes(1)! > 500_000 && bytes(1)! < 550_000)
        try bench.store.write(at: .test(1)) { try $0.remove(DeviceNumber(1)) }
        #expect(try bytes(1) == nil)
        #expect(try bytes(2)! > 1_000)
    }

    @Test(arguments: [StoreKind.sqlite, .sqliteWithSmallStage])
    func `ranges and notes count for their device until they are forgotten or it is removed`(
        kind: StoreKind
    ) throws {
        let bench = try Bench(kind)
        func bytes(_ device: Int32) throws -> Int64? { try bench.store.usage().reportBytes[DeviceNumber(device)] }
        func put(_ body: String, of device: Int32) throws {
            try bench.store.write(at: .test(0)) { transaction in
                try transaction.put(.test(.card, at: 0, body: body), of: DeviceNumber(device))
            }
        }
        try put(String(repeating: "é", count: 500), of: 1)
        let ofNote = try #require(try bytes(1))
        #expect(ofNote >= 1_000 && ofNote < 1_100)
        try put("short", of: 1)
        #expect(try bytes(1) == ofNote - 995)
        try bench.store.write(at: .test(0)) { transaction in
            for second in 0..<10 {
                for device: Int32 in 1...2 {
                    let range = PeerRange.test(Double(second), to: 9)
                    try transaction.append(.range(range, of: DeviceNumber(device), isCurrent: true))
                }
            }
        }
        let all = try #require(try bytes(2))
        #expect(all > 10 * 40 && all < 10 * 120)
        try bench.crash()
        #expect(try bytes(1) == all + ofNote - 995)
        while try bench.store.forget(before: .test(5), limit: 3) > 0 {}
        #expect(try bytes(2) == all / 2)
        try bench.store.write(at: .test(1)) { try $0.remove(DeviceNumber(1)) }
        while try bench.store.forget(before: .test(1_000), limit: 50) > 0 {}
        #expect(try bench.store.usage().reportBytes.isEmpty)
    }

    @Test(arguments: [StoreKind.sqlite, .sqliteWithSmallStage])
    func `positions count for their device from when they are merged until they are forgotten`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        for second in 0..<200 {
            for device: Int32 in 1...2 { try bench.store.report(device, [.test(Double(second))], at: Double(second)) }
        }
        func bytes(_ device: Int32) throws -> Int64 {
            try bench.store.usage().positionBytes[DeviceNumber(device)] ?? 0
        }
        func forget(before second: Double) throws {
            while try bench.store.forget(before: .test(second), limit: 50) > 0 {}
        }
        try forget(before: 1)
        let all = try bytes(1)
        #expect(all > 199 * 20 && all < 199 * 200)
        #expect(try bytes(2) == all)
        try forget(before: 100)
        #expect(try bytes(1) > 0)
        #expect(try bytes(1) < all * 2 / 3)
        try bench.crash()
        let half = try bytes(1)
        #expect(half > 0 && half < all * 2 / 3)
        try forget(before: 1_000)
        #expect(try bench.store.usage().positionBytes.isEmpty)
        #expect(try bench.store.usage().storeBytes > 0)
    }
}

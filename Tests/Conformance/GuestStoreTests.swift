import MusterCore
import MusterStore
import Testing

/// Guests in every store.
@Suite struct GuestStoreTests {
    private static let ana = GuestID(high: .max, low: UInt64(7) << 32 | 0xFFFF_FFFF)
    private static let bo = GuestID(high: 1, low: 2)

    @Test(arguments: StoreKind.allCases)
    func `guests are kept with a number below 0, counted by pool, and removed whole`(_ kind: StoreKind) throws {
        let bench = try Bench(kind)
        let (ana, bo) = try bench.store.write(at: .test(1)) { transaction in
            #expect(try transaction.guest(Self.ana) == nil)
            var ana = try transaction.makeGuest(Self.ana, at: .test(1))
            ana.bytes = 100
            try transaction.put(ana)
            return (ana, try transaction.makeGuest(Self.bo, at: .test(2)))
        }
        #expect(ana.number.rawValue < 0 && bo.number.rawValue < 0 && ana.number != bo.number)
        #expect(try bench.store.guest(Self.ana) == ana && bench.store.hasGuests)
        #expect(try bench.store.guestUsage(ofPool: TeamNumber(7)) == GuestUsage(guests: 1, bytes: 100))
        #expect(try bench.store.guestUsage(ofPool: nil) == GuestUsage(guests: 1, bytes: 0))
        #expect(try bench.store.guests(ofPool: TeamNumber(7), from: UserNumber(-1), limit: 9) == [ana])
        #expect(try bench.store.guests(ofPool: nil, from: UserNumber(-1), limit: 9) == [bo])
        #expect(try bench.store.guests(ofPool: nil, from: UserNumber(bo.number.rawValue - 1), limit: 9).isEmpty)
        try bench.store.write(at: .test(3)) { transaction in
            #expect(try transaction.poolsWithGuests() == [nil, TeamNumber(7)])
            #expect(try transaction.guests(ofPool: nil, idleSince: .test(2), limit: 9).isEmpty)
            #expect(try transaction.guests(ofPool: nil, idleSince: .test(3), limit: 9) == [bo])
            let dataset = Dataset(owner: ana.number, name: "settings", at: .test(3))
            let update = DatasetUpdate(
                owner: ana.number, name: "settings",
                order: .patch([
                    DatasetPatch(key: "a", value: "1", syncCount: 0), DatasetPatch(key: "b", value: nil, syncCount: 0),
                ]), author: "")
            try transaction.put(dataset.deciding(update, ownedDatasets: 0, at: .test(3)) { _ in nil })
            #expect(try transaction.datasets(of: ana.number).map(\.name) == ["settings"])
            #expect(try transaction.records(of: "settings", of: ana.number).map(\.key) == ["a"])
        }
        try bench.store.write(at: .test(4)) { transaction in
            try transaction.removeDatasets(of: ana, isWhole: false)
            var merged = try #require(try transaction.guest(Self.ana))
            #expect(merged.bytes == 0)
            merged.user = UserNumber(3)
            try transaction.put(merged)
        }
        #expect(try bench.store.guest(Self.ana)?.user == UserNumber(3))
        // Who was merged into a user has no identity any more.
        #expect(try bench.store.guests(ofPool: TeamNumber(7), from: UserNumber(-1), limit: 9).isEmpty)
        #expect(try bench.store.datasets(of: ana.number).isEmpty)
        #expect(try bench.store.guestUsage(ofPool: TeamNumber(7)) == GuestUsage(guests: 1, bytes: 0))
        try bench.store.write(at: .test(5)) { transaction in
            for guest in [ana, bo] { try transaction.removeDatasets(of: guest, isWhole: true) }
            #expect(try transaction.poolsWithGuests().isEmpty)
        }
        #expect(try bench.store.guest(Self.ana) == nil && !bench.store.hasGuests)
    }
}

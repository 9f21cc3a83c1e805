import MusterCore
import MusterReplication
import Testing

@testable import MusterKit

/// A device that is started again between two fixes tells what one tells that never stopped.
@Suite struct RegionRestartTests {
    private func snapshot(_ walk: inout NoisyWalk, filter: PositionFilter) -> RegionSnapshot {
        let collections = ["raw", "confident"].map { policy in
            RegionSnapshot.Collection(name: policy, policy: policy, pages: [walk.regions(12, policy)])
        }
        return RegionSnapshot(
            team: .init(silenceSeconds: 1_200, filter: filter.rawValue, links: ["raw", "confident"]),
            collections: collections)
    }

    @Test(arguments: PositionFilter.allCases, [11, 29] as [UInt64])
    func `a restart at every fix changes no report`(_ filter: PositionFilter, _ seed: UInt64) async throws {
        print("seed \(seed)")
        var walk = NoisyWalk(seed: seed)
        let snapshot = snapshot(&walk, filter: filter)
        let end = Instant(seconds: 1_790_000_000)
        let fixes = try walk.fixes(240, until: end)
        let session = try offlineSession()
        func watch(over store: LocalStore) async throws -> RegionWatch {
            let watch = RegionWatch(session: session, store: store) { end }
            try await watch.restore()
            return watch
        }
        let (first, second) = (try LocalStore(path: nil), try LocalStore(path: nil))
        for store in [first, second] { try await store.storeValue(snapshot, note: RegionSnapshot.note) }
        let whole = try await watch(over: first)
        var crossings = 0
        for (index, fix) in fixes.enumerated() {
            let expected = whole.follow([fix], of: "s")
            crossings += expected.count
            let again = try await watch(over: second)
            #expect(again.follow([fix], of: "s") == expected, "at fix \(index)")
            #expect(again.presences == whole.presences, "after fix \(index)")
            let location = RecordedLocation(.init(fix: fix, isInBackground: false), user: "ann", session: "s")
            try await second.record([location], beside: again)
        }
        #expect(crossings > 10, "a walk that crosses nothing proves nothing")
    }

    @Test func `a monitor resumed from a recording reports what an uninterrupted one reports`() async throws {
        let seed: UInt64 = 5
        print("seed \(seed)")
        var walk = NoisyWalk(seed: seed)
        let store = try LocalStore(path: nil)
        let whole = LocationMonitor()
        var told = 0
        for fix in try walk.fixes(300, until: Instant(seconds: 1_790_000_000)) {
            let last = try await store.documents(.newest(1), as: RecordedLocation.self).first?.value.fix
            let again = LocationMonitor(last: last)
            let isTold = whole.reportFix(fix)
            #expect(again.reportFix(fix) == isTold)
            guard isTold else { continue }
            told += 1
            let location = RecordedLocation(.init(fix: fix, isInBackground: false), user: "ann", session: "s")
            try await store.record([location], beside: nil)
        }
        #expect((50..<250).contains(told))
    }
}

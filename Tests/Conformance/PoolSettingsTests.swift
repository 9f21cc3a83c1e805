import MusterCore
import MusterStore
import Testing

/// The settings of identity pools, in every store.
@Suite struct PoolSettingsTests {
    @Test(arguments: StoreKind.allCases)
    func `each pool has settings of its own, after a crash too`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        let whole = PoolSettings(
            configuration: #"{"PushSync":{}}"#, syncTrigger: "arn:aws:muster:::target/hook", allowsGuests: true)
        try bench.store.write(at: .test(1)) { transaction in
            #expect(try transaction.settings(ofPool: nil) == PoolSettings())
            try transaction.put(whole, ofPool: TeamNumber(1))
            try transaction.put(PoolSettings(syncTrigger: "arn"), ofPool: nil)
            #expect(try transaction.settings(ofPool: TeamNumber(1)) == whole)
        }
        try bench.crash()
        #expect(try bench.store.poolSettings(of: TeamNumber(1)) == whole)
        #expect(try bench.store.poolSettings(of: nil) == PoolSettings(syncTrigger: "arn"))
        #expect(try bench.store.poolSettings(of: TeamNumber(2)) == PoolSettings())
        try bench.store.write(at: .test(2)) { try $0.put(PoolSettings(), ofPool: TeamNumber(1)) }
        #expect(try bench.store.poolSettings(of: TeamNumber(1)) == PoolSettings())
    }
}

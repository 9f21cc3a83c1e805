import MusterCore
import MusterStore
import Testing

/// Proximity rules and their alarms in every store.
@Suite struct ProximityStoreTests {
    @Test(arguments: StoreKind.allCases)
    func `rules and alarms outlive a crash, and go by hand or with their team`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        let rules: [ProximityRule] = [
            .test(1, team: 1), .test(2, team: 2, .device(DeviceNumber(9)), .role(.leader)),
            .test(3, team: 1, .person(UserNumber(1)), .ownRole("medic"), .together(afterSeconds: 60.5)),
            .test(4, team: 2, .person(UserNumber(1)), .person(UserNumber(4))),
        ]
        let first = ProximityAlarm(user: UserNumber(3), since: .test(4), isTold: false)
        let told = ProximityAlarm(user: UserNumber(3), since: .test(4), isTold: true)
        let other = ProximityAlarm(user: UserNumber(.max), since: .test(5), isTold: false, isSimulated: true)
        try bench.store.write(at: .test(0)) { transaction in
            for rule in rules {
                #expect(try transaction.nextProximityNumber() == rule.number)
                try transaction.put(rule)
                try transaction.put(first, of: rule.number)
                try transaction.put(told, of: rule.number)
                try transaction.put(other, of: rule.number)
            }
            try transaction.removeAlarm(of: other.user, from: rules[2].number)
        }
        try bench.crash()
        #expect(try bench.store.proximityRules() == rules)
        let alarms = try bench.store.proximityAlarms()
        #expect(alarms.map(\.rule.rawValue) == [1, 1, 2, 2, 3, 4, 4])
        #expect(alarms.prefix(2).map(\.alarm) == [told, other])
        try bench.store.write(at: .test(1)) { try $0.remove(rules[2].number) }
        try bench.store.write(at: .test(2)) { try $0.remove(TeamNumber(2)) }
        try bench.crash()
        #expect(try bench.store.proximityRules() == [rules[0]])
        #expect(try bench.store.proximityAlarms().map(\.rule) == [rules[0].number, rules[0].number])
        #expect(try bench.store.write(at: .test(3)) { try $0.nextProximityNumber() } == ProximityNumber(5))
    }
}

import MusterCore
import MusterStore
import Testing

/// Push devices' subscriptions and waiting pushes in every store: what one transaction writes survives a crash, and
/// goes with its device and its user.
struct PushStoreTests {
    private let ana = UserNumber(1)
    private let bo = UserNumber(2)

    private func device(_ id: String, of user: UserNumber) -> Credential {
        Credential(
            kind: .pushDevice, key: Array(id.utf8), user: user, label: "fcm", secret: [1, 2], createdAt: .test(1))
    }

    private func push(
        _ topic: String, to device: String, _ text: String = "", attempts: Int = 1, due: Double = 10
    ) -> PostponedPush {
        PostponedPush(
            device: device, topic: topic, message: Array(text.utf8), createdAt: .test(1), attempts: attempts,
            dueAt: .test(due))
    }

    @Test(arguments: StoreKind.allCases)
    func `a push device's subscriptions survive a crash`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        let hasAny = try bench.store.hasPushDevices
        #expect(!hasAny)
        try bench.store.write(at: .test(1)) { transaction in
            try transaction.put(device("b", of: ana))
            try transaction.put(device("a", of: ana))
            try transaction.subscribe("b", to: "set", of: ana)
            try transaction.subscribe("a", to: "set", of: ana)
            try transaction.subscribe("a", to: "set", of: ana)
            try transaction.subscribe("a", to: "other", of: ana)
            try transaction.setPushedThrough(LogSequence(7))
        }
        try bench.crash()
        let hasSome = try bench.store.hasPushDevices
        #expect(hasSome)
        #expect(try bench.store.pushSubscribers(to: "set", of: ana) == ["a", "b"])
        #expect(try bench.store.pushSubscribers(to: "set", of: bo) == [])
        #expect(try bench.store.pushSubscriptions(of: "a") == ["other", "set"])
        let mark = try bench.store.pushedThrough
        #expect(mark == LogSequence(7))
        let ended = try bench.store.write(at: .test(2)) { transaction in
            [try transaction.unsubscribe("a", from: "set"), try transaction.unsubscribe("a", from: "set")]
        }
        #expect(ended == [true, false])
        #expect(try bench.store.pushSubscribers(to: "set", of: ana) == ["b"])
    }

    @Test(arguments: StoreKind.allCases)
    func `a newer push of a topic replaces the waiting one, in its place`(
        kind: StoreKind
    ) throws {
        let bench = try Bench(kind)
        try bench.store.write(at: .test(1)) { transaction in
            try transaction.postpone(push("one", to: "a", "1", attempts: 3, due: 30))
            try transaction.postpone(push("two", to: "a", "1", attempts: 0, due: 0))
            try transaction.postpone(push("one", to: "b", "1"))
        }
        try bench.store.write(at: .test(2)) { try $0.postpone(push("one", to: "a", "2", attempts: 0, due: 0)) }
        try bench.crash()
        let waiting = try bench.store.postponedPushes(to: "a")
        #expect(waiting.map(\.topic) == ["one", "two"])
        #expect(waiting.map(\.message) == [Array("2".utf8), Array("1".utf8)])
        #expect(
            try bench.store.postponedPushLanes(after: nil, limit: 10) == [
                PostponedPushLane(device: "a", dueAt: .test(30), attempts: 3),
                PostponedPushLane(device: "b", dueAt: .test(10), attempts: 1),
            ])
        #expect(try bench.store.postponedPushLanes(after: nil, limit: 1).map(\.device) == ["a"])
        #expect(try bench.store.postponedPushLanes(after: "a", limit: 1).map(\.device) == ["b"])
        try bench.store.write(at: .test(3)) { try $0.forgetPush(of: "one", to: "a") }
        #expect(try bench.store.postponedPushes(to: "a").map(\.topic) == ["two"])
    }

    @Test(arguments: StoreKind.allCases)
    func `a push device is removed with its data, and with its user`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        try bench.store.write(at: .test(1)) { transaction in
            for (id, user) in [("a", ana), ("b", ana), ("c", bo)] {
                try transaction.put(device(id, of: user))
                try transaction.subscribe(id, to: "set", of: user)
                try transaction.postpone(push("one", to: id))
            }
        }
        try bench.store.write(at: .test(2)) { try $0.removePushDevice("a") }
        #expect(try bench.store.pushSubscribers(to: "set", of: ana) == ["b"])
        #expect(try bench.store.postponedPushes(to: "a") == [])
        #expect(try bench.store.credential(.pushDevice, key: Array("a".utf8)) == nil)
        try bench.store.write(at: .test(3)) { try $0.remove(ana) }
        try bench.reopen()
        #expect(try bench.store.pushSubscribers(to: "set", of: ana) == [])
        #expect(try bench.store.credentials(.pushDevice).map(\.user) == [bo])
        #expect(try bench.store.postponedPushLanes(after: nil, limit: 10).map(\.device) == ["c"])
    }
}

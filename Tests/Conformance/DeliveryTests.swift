import Foundation
import MusterCore
import MusterStore
import Testing

/// What is on its way to targets.
@Suite struct DeliveryTests {
    @Test(arguments: StoreKind.allCases)
    func `deliveries come back in the order they were put, page by page, and outlive a crash`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        #expect(bench.store.lastDelivery == .zero)
        let numbers = try bench.store.write(at: .test(0)) { transaction in
            try (0..<7).map { try transaction.put(.test($0, subject: .device(DeviceNumber(Int32($0 % 3 + 1))))) }
        }
        for _ in 0..<2 {
            let store = bench.store
            #expect(numbers == numbers.sorted() && numbers.first! > .zero)
            #expect(store.lastDelivery == numbers.last && store.pendingDeliveryCount == 7)
            let first = try store.pendingDeliveries(after: .zero, limit: 4)
            let rest = try store.pendingDeliveries(after: first.last!.number, limit: 4)
            #expect((first + rest).map(\.number) == numbers)
            #expect(first[1].subject == .device(DeviceNumber(2)) && first[1].target == TargetNumber(1))
            #expect(first[1].createdAt == .test(1) && first[1].nextAttemptAt == .test(1) && first[1].attempts == 0)
            let asked = [numbers[3], DeliveryNumber(999), numbers[0]]
            #expect(try store.deliveries(asked).map(\.content) == [.test(3), .test(0)])
            try bench.crash()
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a delivery number is never reused, also after all deliveries completed`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        let first = try bench.store.write(at: .test(0)) { try $0.put(.test(1)) }
        try bench.store.write(at: .test(1)) { transaction in
            try transaction.complete(first)
            try transaction.complete(first)
            try transaction.complete(DeliveryNumber(77))
        }
        #expect(bench.store.pendingDeliveryCount == 0)
        try bench.crash()
        #expect(try bench.store.write(at: .test(2)) { try $0.put(.test(2)) } > first)
        #expect(bench.store.pendingDeliveryCount == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func `a failed transaction stores no delivery`(kind: StoreKind) throws {
        struct Failure: Error {}
        let bench = try Bench(kind)
        #expect(throws: Failure.self) {
            try bench.store.write(at: .test(0)) { transaction in
                try transaction.put(.test(1))
                throw Failure()
            }
        }
        #expect(try bench.store.pendingDeliveries(after: .zero, limit: 9).isEmpty)
        #expect(bench.store.lastDelivery == .zero && bench.store.pendingDeliveryCount == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func `a failed attempt says when the next may be, and why`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        let number = try bench.store.write(at: .test(0)) { try $0.put(.test(0)) }
        try bench.store.write(at: .test(1)) {
            try $0.postpone(number, until: .test(5), attempts: 2, error: "answered 503")
        }
        for _ in 0..<2 {
            let waiting = try #require(try bench.store.pendingDeliveries(after: .zero, limit: 9).first)
            #expect(waiting.attempts == 2 && waiting.nextAttemptAt == .test(5))
            let delivery = try #require(try bench.store.deliveries([number]).first)
            #expect(delivery.lastError == "answered 503" && delivery.attempts == 2 && delivery.content == .test(0))
            try bench.crash()
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `the deliveries of a target are listed by rule and by whether they were tried, page by page`(
        kind: StoreKind
    ) throws {
        let bench = try Bench(kind)
        let numbers = try bench.store.write(at: .test(0)) { transaction in
            try (0..<9).map { second in
                var delivery = NewDelivery.test(second, target: second % 3 == 2 ? 2 : 1)
                delivery.rule = ["sos/ops", "sosnow/ops", "sos"][second % 3]
                return try transaction.put(delivery)
            }
        }
        try bench.store.write(at: .test(9)) {
            try $0.postpone(numbers[3], until: .test(12), attempts: 1, error: "answered 503")
        }
        let (one, two) = (TargetNumber(1), TargetNumber(2))
        for _ in 0..<2 {
            let store = bench.store
            func listed(_ filter: WaitingFilter, of target: TargetNumber = one) throws -> [Int] {
                let page = try store.waitingDeliveries(of: target, matching: filter, after: .zero, limit: 99)
                #expect(page.end == nil && page.items.allSatisfy { $0.content.body.isEmpty })
                return try page.items.map { try #require(numbers.firstIndex(of: $0.number)) }
            }
            #expect(try listed(WaitingFilter()) == [0, 1, 3, 4, 6, 7])
            #expect(try listed(WaitingFilter(rule: "sos")) == [0, 3, 6])
            #expect(try listed(WaitingFilter(rule: "sos"), of: two) == [2, 5, 8])
            #expect(try listed(WaitingFilter(rule: "sos", isTried: true)) == [3])
            #expect(try listed(WaitingFilter(isTried: false)) == [0, 1, 4, 6, 7])
            #expect(try listed(WaitingFilter(rule: "so")).isEmpty)
            let first = try store.waitingDeliveries(of: one, matching: .init(rule: "sos"), after: .zero, limit: 2)
            #expect(first.items.map(\.number) == [numbers[0], numbers[3]])
            #expect(first.items.map(\.lastError) == [nil, "answered 503"])
            let end = try #require(first.end)
            let rest = try store.waitingDeliveries(of: one, matching: .init(rule: "sos"), after: end, limit: 2)
            #expect(rest.items.map(\.number) == [numbers[6]] && rest.end == nil)
            #expect(try store.waitingDeliveries(of: one, matching: .init(), after: .zero, limit: 0) == WaitingPage())
            try bench.crash()
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a dead letter keeps its body, and is redriven under the same event id`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        let numbers = try bench.store.write(at: .test(0)) { transaction in
            try (0..<3).map { try transaction.put(.test($0, target: $0 == 2 ? 2 : 1)) }
        }
        try bench.store.write(at: .test(9)) { transaction in
            for number in numbers {
                try transaction.deadLetter(number, at: .test(9), attempts: 4, error: "answered 400")
            }
            try transaction.deadLetter(numbers[0], at: .test(10), attempts: 5, error: "twice")
        }
        for _ in 0..<2 {
            let store = bench.store
            #expect(store.pendingDeliveryCount == 0)
            #expect(try store.deadLetterCounts() == [TargetNumber(1): 2, TargetNumber(2): 1])
            let page = try store.deadLetters(of: nil, by: nil, after: numbers[0], limit: 5)
            #expect(page.map(\.delivery.number) == Array(numbers[1...]))
            #expect(page.allSatisfy { $0.delivery.content.body.isEmpty && $0.diedAt == .test(9) })
            #expect(try store.deadLetters(of: TargetNumber(2), by: nil, after: .zero, limit: 5).count == 1)
            let ofRule = try store.deadLetters(of: nil, by: "rule 1", after: .zero, limit: 5)
            #expect(ofRule.map(\.delivery.number) == [numbers[1]])
            #expect(try store.deadLetters(of: TargetNumber(2), by: "rule 1", after: .zero, limit: 5).isEmpty)
            #expect(try store.deadLetters(of: nil, by: "rule", after: .zero, limit: 5).isEmpty)
            let letter = try #require(try store.deadLetter(numbers[0]))
            #expect(letter.delivery.content == .test(0) && letter.delivery.lastError == "answered 400")
            #expect(letter.delivery.attempts == 4)
            try bench.crash()
        }
        let redriven = try bench.store.write(at: .test(20)) { transaction in
            let count = try transaction.redrive([numbers[1], numbers[1], DeliveryNumber(99)], at: .test(20))
            #expect(try transaction.discard([numbers[1], numbers[2]]) == 1)
            return count
        }
        #expect(redriven == 1)
        for _ in 0..<2 {
            let waiting = try bench.store.pendingDeliveries(after: .zero, limit: 5)
            #expect(waiting.count == 1 && waiting[0].number > numbers[2] && waiting[0].attempts == 0)
            let delivery = try #require(try bench.store.deliveries(waiting.map(\.number)).first)
            #expect(delivery.content.event == NewDelivery.test(1).event && delivery.content.createdAt == .test(20))
            let letters = try bench.store.deadLetters(of: nil, by: nil, after: .zero, limit: 9)
            #expect(letters.map(\.delivery.number) == [numbers[0]])
            try bench.crash()
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a delivery beyond the limit is a dead letter, and the newest dead letters are kept`(
        kind: StoreKind
    ) throws {
        var limits = DeliveryLimits()
        limits.pending = 3
        limits.deadLettersPerTarget = 2
        let bench = try Bench(kind, deliveryLimits: limits)
        let numbers = try bench.store.write(at: .test(0)) { transaction in
            try (0..<6).map { try transaction.put(.test($0)) }
        }
        #expect(try bench.store.pendingDeliveries(after: .zero, limit: 9).map(\.number) == Array(numbers[..<3]))
        let letters = try bench.store.deadLetters(of: TargetNumber(1), by: nil, after: .zero, limit: 9)
        #expect(letters.map(\.delivery.number) == Array(numbers[4...]))
        #expect(letters.allSatisfy { $0.delivery.lastError == DeliveryLimits.fullReason })
        try bench.store.write(at: .test(1)) { try $0.complete(numbers[0]) }
        let next = try bench.store.write(at: .test(2)) { try $0.put(.test(7)) }
        #expect(try bench.store.pendingDeliveries(after: .zero, limit: 9).map(\.number).contains(next))
    }

    @Test(arguments: StoreKind.allCases)
    func `a flooded target takes no room from others, and each target's deliveries are counted`(
        kind: StoreKind
    ) throws {
        var limits = DeliveryLimits()
        limits.pendingPerTarget = 2
        let bench = try Bench(kind, deliveryLimits: limits)
        let numbers = try bench.store.write(at: .test(0)) { transaction in
            try [1, 1, 1, 2].map { try transaction.put(.test(1, target: $0)) }
        }
        for _ in 0..<2 {
            let store = bench.store
            #expect(store.pendingDeliveryCounts == [TargetNumber(1): 2, TargetNumber(2): 1])
            func counts(through index: Int) throws -> DeliveryCounts {
                try store.deliveryCounts(of: TargetNumber(1), through: numbers[index])
            }
            #expect(try counts(through: 0) == DeliveryCounts(pending: 1, deadLetters: 0))
            #expect(try counts(through: 3) == DeliveryCounts(pending: 2, deadLetters: 1))
            try bench.crash()
        }
        try bench.store.write(at: .test(1)) { try $0.complete(numbers[0]) }
        _ = try bench.store.write(at: .test(1)) { try $0.put(.test(2)) }
        #expect(bench.store.pendingDeliveryCounts == [TargetNumber(1): 2, TargetNumber(2): 1])
        #expect(try bench.store.deadLetterCounts() == [TargetNumber(1): 1])
        let refused = bench.store.refusedDeliveryCount
        for number in 3...4 { _ = try bench.store.write(at: .test(2)) { try $0.put(.test(number)) } }
        #expect(bench.store.refusedDeliveryCount == refused + 2)
        #expect(try bench.store.deadLetterCounts() == [TargetNumber(1): 3])
    }

    @Test(arguments: StoreKind.allCases)
    func `the deliveries and dead letters of a removed subject are removed`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        try bench.store.write(at: .test(0)) { transaction in
            try transaction.put(User(number: UserNumber(1), name: "u1", role: .member, team: nil))
            try transaction.put(Device(number: DeviceNumber(2), name: "d", user: UserNumber(1)))
            let subjects: [DeliverySubject] = [
                .device(DeviceNumber(1)), .device(DeviceNumber(2)), .user(UserNumber(1)), .user(UserNumber(2)), .nobody,
            ]
            for subject in subjects {
                try transaction.put(.test(1, subject: subject))
                let other = try transaction.put(.test(2, subject: subject))
                try transaction.deadLetter(other, at: .test(0), attempts: 1, error: "no")
            }
        }
        try bench.store.write(at: .test(1)) { try $0.remove(UserNumber(1)) }
        for _ in 0..<2 {
            let left: [DeliverySubject] = [.device(DeviceNumber(1)), .user(UserNumber(2)), .nobody]
            #expect(try bench.store.pendingDeliveries(after: .zero, limit: 99).map(\.subject) == left)
            let letters = try bench.store.deadLetters(of: nil, by: nil, after: .zero, limit: 99)
            #expect(letters.map(\.delivery.content.subject) == left)
            #expect(bench.store.pendingDeliveryCount == 3)
            #expect(bench.store.pendingDeliveryCounts == [TargetNumber(1): 3])
            try bench.crash()
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a removed target takes its deliveries and dead letters along`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        try bench.store.write(at: .test(0)) { transaction in
            for target in 1...2 {
                try transaction.put(.test(1, target: target))
                let other = try transaction.put(.test(2, target: target))
                try transaction.deadLetter(other, at: .test(0), attempts: 1, error: "no")
            }
        }
        try bench.store.write(at: .test(1)) { try $0.remove(TargetNumber(1)) }
        #expect(try bench.store.pendingDeliveries(after: .zero, limit: 9).map(\.target) == [TargetNumber(2)])
        #expect(try bench.store.deadLetterCounts() == [TargetNumber(2): 1])
        #expect(bench.store.pendingDeliveryCount == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func `dead letters are forgotten by their age`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        try bench.store.write(at: .test(0)) { transaction in
            for second in 0..<5 {
                let number = try transaction.put(.test(second))
                try transaction.deadLetter(number, at: .test(Double(second)), attempts: 1, error: "no")
            }
        }
        var total = 0
        while case let count = try bench.store.forget(before: .test(3), limit: 2), count > 0 { total += count }
        #expect(total >= 3)
        let letters = try bench.store.deadLetters(of: nil, by: nil, after: .zero, limit: 9)
        #expect(letters.map(\.diedAt) == [.test(3), .test(4)])
    }
}

extension NewDelivery {
    /// A delivery made at a test's second, with a body of its own.
    fileprivate static func test(
        _ second: Int, target: Int = 1, subject: DeliverySubject = .device(DeviceNumber(1))
    ) -> NewDelivery {
        NewDelivery(
            target: TargetNumber(Int32(target)), subject: subject, rule: "rule \(second)", event: "event-\(second)",
            body: Array("{\"second\":\(second)}".utf8), createdAt: .test(Double(second)))
    }
}

import MusterCore
import MusterStore
import Testing

@testable import MusterServer

/// What is sent to which device when.
@Suite struct PushScheduleTests {
    private var schedule = PushSchedule(PushPolicy())
    private let start = Instant(milliseconds: 1_000_000)

    private func message(_ topic: String, _ count: Int64, lasting seconds: Double = 86_400) -> PushMessage {
        PushMessage(
            topic: topic, createdAt: start, lastingSeconds: seconds, data: [.init("syncCount", .number(count))])
    }

    private func count(of message: PushMessage) -> Int64? {
        if case .number(let count)? = message.data.first?.value { count } else { nil }
    }

    @Test mutating func `of one topic only the newest is sent, and an attempt under way is not cancelled`() {
        _ = schedule.add(message("a", 1), to: "d", of: "s", sequence: 1, now: start, jitter: 0)
        _ = schedule.add(message("a", 2), to: "d", of: "s", sequence: 2, now: start, jitter: 0)
        #expect(schedule.startAttempts(limit: 9).map { count(of: $0.message) } == [2])
        _ = schedule.add(message("a", 3), to: "d", of: "s", sequence: 3, now: start, jitter: 0)
        _ = schedule.add(message("a", 4), to: "d", of: "s", sequence: 4, now: start, jitter: 0)
        #expect(schedule.startAttempts(limit: 9).isEmpty)
        #expect(schedule.oldestSequence == 2)
        #expect(schedule.finish("d", .delivered, now: start, jitter: 0).edits.isEmpty)
        #expect(schedule.oldestSequence == 4)
        #expect(schedule.startAttempts(limit: 9).map { count(of: $0.message) } == [4])
        _ = schedule.finish("d", .delivered, now: start, jitter: 0)
        #expect(schedule.oldestSequence == nil)
        #expect(schedule.messageCount == 0 && schedule.underWayCount == 0)
    }

    @Test mutating func `a change whose messages are added in steps counts as sent only after the last step`() {
        _ = schedule.add(message("a", 1), to: "d", of: "s", sequence: 7, now: start, jitter: 0)
        _ = schedule.startAttempts(limit: 9)
        _ = schedule.finish("d", .delivered, now: start, jitter: 0)
        #expect(schedule.oldestSequence == nil)
        _ = schedule.add(message("a", 1), to: "e", of: "s", sequence: 7, now: start, jitter: 0)
        #expect(schedule.oldestSequence == 7)
        _ = schedule.startAttempts(limit: 9)
        _ = schedule.finish("e", .delivered, now: start, jitter: 0)
        #expect(schedule.oldestSequence == nil)
    }

    @Test mutating func `the token of an activity is removed once its end was sent or given up, and not before`() {
        var end = message("incident 1", 1, lasting: 20)
        end.activity = .end
        for (outcome, isLast) in [
            (PushOutcome.delivered, true), (.refused("400"), true), (.retry("503", afterSeconds: 1), false),
            (.retry("503", afterSeconds: 30), true), (.obsolete, false),
        ] {
            var schedule = PushSchedule(PushPolicy())
            _ = schedule.add(end, to: "d", of: "s", sequence: 1, now: start, jitter: 0)
            _ = schedule.startAttempts(limit: 9)
            let edits = schedule.finish("d", outcome, now: start, jitter: 0).edits
            #expect(edits.contains(.remove(device: "d", registeredBy: start)) == isLast, "\(outcome)")
            #expect(schedule.oldestSequence == nil && schedule.underWayCount == 0)
        }
    }

    @Test mutating func `a message that was not sent leaves the next, and says nothing of the service`() {
        _ = schedule.add(message("a", 1), to: "d", of: "s", sequence: 1, now: start, jitter: 0)
        _ = schedule.add(message("b", 1), to: "d", of: "s", sequence: 2, now: start, jitter: 0)
        _ = schedule.startAttempts(limit: 9)
        #expect(schedule.finish("d", .obsolete, now: start, jitter: 0).edits.isEmpty)
        #expect(schedule.startAttempts(limit: 9).map(\.message.topic) == ["b"])
    }

    @Test mutating func `a device hears in order, and others do not wait for it`() {
        for (index, topic) in ["a", "b", "c"].enumerated() {
            _ = schedule.add(message(topic, 1), to: "d", of: "s", sequence: Int64(index), now: start, jitter: 0)
        }
        _ = schedule.add(message("a", 1), to: "e", of: "s", sequence: 9, now: start, jitter: 0)
        var heard: [String: [String]] = [:]
        while case let begun = schedule.startAttempts(limit: 9), !begun.isEmpty {
            for (device, message) in begun {
                heard[device, default: []].append(message.topic)
                _ = schedule.finish(device, .delivered, now: start, jitter: 0)
            }
        }
        #expect(heard == ["d": ["a", "b", "c"], "e": ["a"]])
    }

    @Test mutating func `a failed push waits in the store, longer each time, and returns in order`() throws {
        _ = schedule.add(message("a", 1), to: "d", of: "s", sequence: 1, now: start, jitter: 0)
        _ = schedule.add(message("b", 1), to: "d", of: "s", sequence: 2, now: start, jitter: 0)
        var now = start
        var delays: [Double] = []
        for attempt in 1...10 {
            #expect(schedule.startAttempts(limit: 9).map(\.message.topic) == ["a"])
            let (edits, givenUp) = schedule.finish("d", .retry("500", afterSeconds: nil), now: now, jitter: 1)
            let kept = edits.compactMap { if case .postpone(let push) = $0 { push } else { nil } }
            #expect(kept.map(\.topic) == ["a", "b"] && kept.map(\.attempts) == [attempt, attempt] && givenUp == 0)
            #expect(schedule.messageCount == 0 && schedule.oldestSequence == nil)
            let due = try #require(schedule.nextMoment)
            delays.append(due.seconds(since: now))
            #expect(schedule.dueDevices(due.advanced(bySeconds: -0.001), limit: 9).isEmpty)
            now = due
            #expect(schedule.dueDevices(now, limit: 9) == ["d"])
            let stored = kept.compactMap { PushMessage(stored: $0.message, topic: $0.topic) }
            schedule.load(stored, of: "s", for: "d")
        }
        #expect(delays == [5, 10, 20, 40, 80, 160, 320, 600, 600, 600])
        _ = schedule.startAttempts(limit: 9)
        #expect(
            schedule.finish("d", .delivered, now: now, jitter: 0).edits == [.forget(topic: "a", device: "d")])
        #expect(schedule.startAttempts(limit: 9).map(\.message.topic) == ["b"])
    }

    @Test mutating func `Retry-After of a push service is obeyed, and a message that would be too late is dropped`() {
        _ = schedule.add(message("a", 1, lasting: 60), to: "d", of: "s", sequence: 1, now: start, jitter: 0)
        _ = schedule.add(message("b", 1), to: "d", of: "s", sequence: 2, now: start, jitter: 0)
        _ = schedule.startAttempts(limit: 9)
        let (edits, givenUp) = schedule.finish("d", .retry("429", afterSeconds: 120), now: start, jitter: 0)
        #expect(givenUp == 1)
        #expect(edits.map(\.device) == ["d"])
        #expect(schedule.nextMoment == start.advanced(bySeconds: 120))
        #expect(schedule.postponedCount == 1)
    }

    @Test mutating func `a message to a postponed device is stored, and does not end the wait`() {
        schedule.postpone(PostponedPushLane(device: "d", dueAt: start.advanced(bySeconds: 30), attempts: 3))
        let edit = schedule.add(message("a", 7), to: "d", of: "s", sequence: 5, now: start, jitter: 0)
        #expect(
            edit
                == .postpone(
                    PostponedPush(
                        device: "d", topic: "a", message: message("a", 7).stored, createdAt: start, attempts: 0,
                        dueAt: start.advanced(bySeconds: 30))))
        #expect(schedule.startAttempts(limit: 9).isEmpty)
        #expect(schedule.oldestSequence == nil)
    }

    @Test mutating func `a message whose successor came while it failed is dropped`() {
        _ = schedule.add(message("a", 1), to: "d", of: "s", sequence: 1, now: start, jitter: 0)
        _ = schedule.startAttempts(limit: 9)
        _ = schedule.add(message("a", 2), to: "d", of: "s", sequence: 2, now: start, jitter: 0)
        let edits = schedule.finish("d", .retry("500", afterSeconds: nil), now: start, jitter: 0).edits
        let kept = edits.compactMap { if case .postpone(let push) = $0 { push.message } else { nil } }
        #expect(kept == [message("a", 2).stored])
    }

    @Test mutating func `a device that is gone loses all that waits, and is removed`() {
        _ = schedule.add(message("a", 1), to: "d", of: "s", sequence: 1, now: start, jitter: 0)
        _ = schedule.add(message("b", 1), to: "d", of: "s", sequence: 2, now: start, jitter: 0)
        _ = schedule.startAttempts(limit: 9)
        let edits = schedule.finish("d", .gone("410", since: start), now: start, jitter: 0).edits
        #expect(edits.last == .remove(device: "d", registeredBy: start))
        #expect(schedule.oldestSequence == nil && schedule.messageCount == 0)
        #expect(schedule.startAttempts(limit: 9).isEmpty)
        // The store has none of its messages any more.
        #expect(schedule.dueDevices(start, limit: 9) == ["d"])
        schedule.load([], of: "", for: "d")
        #expect(schedule.postponedCount == 0 && schedule.startAttempts(limit: 9).isEmpty)
    }

    @Test mutating func `a device that registered again while it was found to be gone gets what waited`() {
        _ = schedule.add(message("a", 1), to: "d", of: "s", sequence: 1, now: start, jitter: 0)
        _ = schedule.add(message("b", 1), to: "d", of: "s", sequence: 2, now: start, jitter: 0)
        _ = schedule.startAttempts(limit: 9)
        let edits = schedule.finish("d", .gone("410", since: nil), now: start, jitter: 0).edits
        let kept = edits.compactMap { if case .postpone(let push) = $0 { push } else { nil } }
        #expect(kept.map(\.topic) == ["a", "b"] && edits.last == .remove(device: "d", registeredBy: start))
        #expect(schedule.dueDevices(start, limit: 9) == ["d"])
        schedule.load(kept.compactMap { PushMessage(stored: $0.message, topic: $0.topic) }, of: "s", for: "d")
        #expect(schedule.startAttempts(limit: 9).map(\.message.topic) == ["a"])
    }

    @Test mutating func `a service that fails gets few attempts at a time, and holds up no other`() {
        for number in 0..<1_000 {
            _ = schedule.add(
                message("a", 1), to: "slow\(number)", of: "slow", sequence: Int64(number), now: start, jitter: 0)
        }
        #expect(schedule.startAttempts(limit: 1_000).count == 64)
        _ = schedule.add(message("a", 1), to: "d", of: "quick", sequence: 2_000, now: start, jitter: 0)
        #expect(schedule.startAttempts(limit: 1_000).map(\.device) == ["d"])
        _ = schedule.finish("d", .delivered, now: start, jitter: 0)
        for number in 0..<64 {
            _ = schedule.finish("slow\(number)", .retry("it hangs", afterSeconds: nil), now: start, jitter: 0)
        }
        #expect(schedule.startAttempts(limit: 1_000).count == 8)
        #expect(schedule.underWayCount == 8)
    }

    @Test mutating func `a failing service holds few devices in memory, and the others wait in the store`() {
        for number in 0..<1_000 {
            _ = schedule.add(
                message("a", 1), to: "slow\(number)", of: "slow", sequence: Int64(number), now: start, jitter: 0)
        }
        _ = schedule.startAttempts(limit: 1_000)
        let edits = schedule.finish("slow0", .retry("it hangs", afterSeconds: nil), now: start, jitter: 0).edits
        // Under way are 63; 64 wait in memory.
        #expect(edits.count == 1_000 - 63 - 64)
        #expect(schedule.messageCount == 63 + 64)
        #expect(schedule.postponedCount == edits.count)
        let edit = schedule.add(message("a", 1), to: "late", of: "slow", sequence: 2_000, now: start, jitter: 0)
        #expect(edit?.device == "late" && schedule.messageCount == 63 + 64)
        #expect(
            schedule.add(message("a", 1), to: "d", of: "quick", sequence: 2_001, now: start, jitter: 0) == nil)
        // The ones that were not asked for are looked at again within a minute, but not all at once.
        #expect(schedule.dueDevices(start.advanced(bySeconds: 29), limit: 1_000) == ["slow0"])
        let soon = schedule.dueDevices(start.advanced(bySeconds: 45), limit: 1_000).count
        #expect((350...550).contains(soon))
        #expect(schedule.dueDevices(start.advanced(bySeconds: 60), limit: 1_000).count == edits.count - soon)
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `whatever fails, each device ends with the newest of each topic, in order`(seed: UInt64) {
        var chance = SeededNumbers(seed: seed)
        var policy = PushPolicy()
        policy.devicesOfFailingService = 2
        var schedule = PushSchedule(policy)
        var stored: [String: [(topic: String, message: [UInt8])]] = [:]
        var wanted: [String: [String: Int64]] = [:]
        var heard: [String: [String: Int64]] = [:]
        var now = start
        func store(_ edit: PushSchedule.Edit) {
            switch edit {
            case .postpone(let push):
                if let index = stored[push.device]?.firstIndex(where: { $0.topic == push.topic }) {
                    stored[push.device]?[index].message = push.message
                } else {
                    stored[push.device, default: []].append((push.topic, push.message))
                }
            case .forget(let topic, let device): stored[device]?.removeAll { $0.topic == topic }
            case .remove(let device, _): stored[device] = nil
            }
        }
        func settle(failing: Int) {
            for device in schedule.dueDevices(now, limit: 100) {
                if schedule.isCongested("s") {
                    schedule.putOff(device, now: now, jitter: 0.5)
                    continue
                }
                let messages = (stored[device] ?? []).compactMap { PushMessage(stored: $0.message, topic: $0.topic) }
                schedule.load(messages, of: "s", for: device)
            }
            for (device, message) in schedule.startAttempts(limit: 100) {
                let fails = Int.random(in: 0..<10, using: &chance) < failing
                if !fails {
                    let before = heard[device]?[message.topic] ?? 0
                    #expect((count(of: message) ?? 0) > before, "seed \(seed)")
                    heard[device, default: [:]][message.topic] = count(of: message)
                }
                schedule.finish(
                    device, fails ? .retry("500", afterSeconds: nil) : .delivered, now: now, jitter: 0.5
                ).edits.forEach { store($0) }
            }
        }
        for sequence in 1...2_000 {
            let device = "d\(Int.random(in: 0..<8, using: &chance))"
            let topic = "t\(Int.random(in: 0..<3, using: &chance))"
            wanted[device, default: [:]][topic] = Int64(sequence)
            let edit = schedule.add(
                message(topic, Int64(sequence)), to: device, of: "s", sequence: Int64(sequence), now: now, jitter: 0.5)
            edit.map { store($0) }
            now = now.advanced(bySeconds: 1)
            settle(failing: 5)
        }
        for _ in 0..<1_000 {
            now = now.advanced(bySeconds: 60)
            settle(failing: 0)
        }
        #expect(heard == wanted, "seed \(seed)")
        #expect(stored.values.allSatisfy(\.isEmpty) && schedule.messageCount == 0 && schedule.postponedCount == 0)
    }
}

import Testing

@testable import MusterCore

/// The queue that tells what is due.
@Suite struct DeadlineQueueTests {
    @Test(arguments: [1, 2, 3] as [UInt64])
    func `the due deadlines are those that a full list gives`(seed: UInt64) {
        var chance = Chance(seed: seed)
        var queue = DeadlineQueue<AttendanceNumber>()
        var deadlines: [AttendanceNumber: Instant] = [:]
        for step in 0..<1_500 {
            let key = AttendanceNumber(Int32(chance.number(0...99.5)))
            let deadline =
                chance.number(0...1) < 0.2 ? nil : Instant(seconds: Double(step) + chance.number(-50...200))
            queue.set(key, to: deadline)
            deadlines[key] = deadline
            let now = Instant(seconds: Double(step))
            let due = deadlines.filter { $0.value <= now }.keys.sorted()
            #expect(queue.due(at: now, limit: 1_000) == due, "seed \(seed), step \(step)")
        }
        #expect(queue.due(at: Instant(seconds: 1e6), limit: 3).count == 3)
    }
}

import Testing

@testable import MusterServer

@Suite struct FairQueueTests {
    private typealias Queue = FairQueue<String, Int>
    private static let start = ContinuousClock.now
    private static let share = Queue.Share(threads: 1, jobs: 100)

    @discardableResult
    private func add(
        _ jobs: Range<Int>, of lane: String, urgency: Int = 0, share: Queue.Share = Self.share, to queue: inout Queue
    ) throws -> [Int] {
        try jobs.compactMap { try queue.add($0, of: lane, urgency: urgency, share: share, at: Self.start) }
    }

    /// Does everything that waits, one job after another.
    private func order(_ queue: inout Queue) -> [Int] {
        var order: [Int] = []
        while let (job, lane) = queue.start() {
            order.append(job)
            queue.finish(lane)
        }
        return order
    }

    @Test func `lanes take turns, however many jobs one of them has`() throws {
        var queue = Queue(.init(threads: 1, jobs: 1_000))
        try add(0..<5, of: "busy", to: &queue)
        try add(10..<12, of: "other", to: &queue)
        try add(20..<21, of: "third", to: &queue)
        #expect(order(&queue) == [0, 10, 20, 1, 11, 2, 3, 4])
        #expect(queue.waiting == 0 && queue.running == 0)
    }

    @Test func `a lane never has more threads than its share, and the others get the rest`() throws {
        var queue = Queue(.init(threads: 3, jobs: 1_000))
        try add(0..<5, of: "busy", to: &queue)
        #expect(queue.start()?.job == 0)
        #expect(queue.start() == nil)
        try add(10..<11, of: "other", to: &queue)
        #expect(queue.start()?.job == 10)
        queue.finish("busy")
        #expect(queue.start()?.job == 1)
    }

    @Test func `a more urgent job goes first`() throws {
        var queue = Queue(.init(threads: 1, jobs: 1_000))
        try add(0..<2, of: "stranger", urgency: 2, to: &queue)
        try add(10..<12, of: "known", urgency: 0, to: &queue)
        #expect(order(&queue) == [10, 11, 0, 1])
    }

    @Test func `a full lane refuses jobs, and other lanes do not`() throws {
        var queue = Queue(.init(threads: 1, jobs: 1_000))
        let share = Queue.Share(threads: 1, jobs: 2)
        try add(0..<2, of: "busy", share: share, to: &queue)
        #expect(throws: Queue.Refusal.laneIsFull) { try add(2..<3, of: "busy", share: share, to: &queue) }
        try add(10..<11, of: "other", share: share, to: &queue)
    }

    @Test func `where no more may wait, the lane with the most gives way to a new one`() throws {
        var queue = Queue(.init(threads: 1, jobs: 6))
        try add(0..<4, of: "busy", to: &queue)
        try add(10..<12, of: "other", to: &queue)
        #expect(try add(20..<21, of: "third", to: &queue) == [3])
        #expect(throws: Queue.Refusal.isFull) { try add(4..<5, of: "busy", to: &queue) }
        #expect(order(&queue) == [0, 10, 20, 1, 11, 2])
    }

    @Test func `where every lane has one job, the least urgent gives way`() throws {
        var queue = Queue(.init(threads: 1, jobs: 2))
        try add(0..<1, of: "a", urgency: 3, to: &queue)
        try add(1..<2, of: "b", urgency: 2, to: &queue)
        #expect(throws: Queue.Refusal.isFull) { try add(2..<3, of: "c", urgency: 3, to: &queue) }
        #expect(try add(3..<4, of: "d", urgency: 0, to: &queue) == [0])
        #expect(order(&queue) == [3, 1])
    }

    @Test func `only a job that lacks nothing but a thread counts as waiting`() throws {
        var queue = Queue(.init(threads: 1, jobs: 100))
        try add(0..<2, of: "busy", to: &queue)
        _ = queue.start()
        // The second waits for the first one's end, which is its own user's doing.
        #expect(queue.oldestReady == nil)
        try add(10..<11, of: "other", to: &queue)
        #expect(queue.oldestReady == Self.start)
    }

    @Test func `every job is done once, in any order of coming and going`() throws {
        var random = SplitMix(seed: 4_711)
        var queue = Queue(.init(threads: 4, jobs: 10_000))
        var running: [String] = []
        var done: [Int] = []
        for job in 0..<2_000 {
            try add(
                job..<job + 1, of: "lane \(random.next() % 7)", urgency: Int(random.next() % 3),
                share: .init(threads: 2, jobs: 10_000), to: &queue)
            while random.next() % 2 == 0, let (job, lane) = queue.start() {
                done.append(job)
                running.append(lane)
            }
            #expect(queue.running <= 4 && running.count { $0 == "lane 0" } <= 2)
            while random.next() % 3 != 0, let lane = running.popLast() { queue.finish(lane) }
        }
        for lane in running { queue.finish(lane) }
        done += order(&queue)
        #expect(done.sorted() == Array(0..<2_000))
    }

    /// A generator with a seed.
    private struct SplitMix {
        private var state: UInt64
        init(seed: UInt64) { state = seed }
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }
}

/// Jobs for a few threads, taken in turns: every lane (a user, an address) that waits gets its turn before any lane
/// gets its second, so that nobody who sends many jobs holds up the others. More urgent jobs go before all others.
///
/// A value without a clock or a lock. `start` and `finish` cost a constant, but for the lanes that have their share:
/// these are at most as many as there are threads.
struct FairQueue<Lane: Hashable & Sendable, Job: Sendable>: Sendable {
    /// How much may be done and may wait at a time.
    struct Limits: Sendable {
        /// Jobs that are done at a time.
        var threads: Int
        /// Jobs that are there at a time, done or waiting.
        var jobs: Int
    }

    /// What one lane may have at a time.
    struct Share: Hashable, Sendable {
        /// Jobs that are done at a time.
        var threads: Int
        /// Jobs that are there at a time, done or waiting.
        var jobs: Int
    }

    /// Why a job is not taken.
    enum Refusal: Error, Hashable {
        /// The lane has as many jobs as it may.
        case laneIsFull
        /// There are as many jobs as there may be.
        case isFull
    }

    private struct Entry: Sendable {
        let job: Job
        let since: ContinuousClock.Instant
    }

    private struct LaneState: Sendable {
        var share: Share
        var running = 0
        var waiting: [Int: FirstInFirstOut<Entry>] = [:]
        var waitingCount = 0
    }

    private let limits: Limits
    private var lanes: [Lane: LaneState] = [:]
    /// The lanes that wait, in turn, of each urgency.
    private var turns: [Int: FirstInFirstOut<Lane>] = [:]
    private(set) var running = 0
    private(set) var waiting = 0

    init(_ limits: Limits) { self.limits = limits }

    /// Takes a job.
    ///
    /// - Parameters:
    ///   - urgency: 0 is done first.
    ///   - share: what its lane may have at a time.
    /// - Returns: a job that waited and has to give way, the newest of the lane with the most, when no more may wait.
    /// - Throws: `Refusal`.
    mutating func add(
        _ job: Job, of lane: Lane, urgency: Int = 0, share: Share, at now: ContinuousClock.Instant
    ) throws(Refusal) -> Job? {
        var state = lanes[lane] ?? LaneState(share: share)
        state.share = share
        guard state.running + state.waitingCount < share.jobs else { throw .laneIsFull }
        var displaced: Job?
        if running + waiting >= limits.jobs {
            displaced = displace(for: state.waitingCount, urgency)
            if displaced == nil { throw .isFull }
        }
        if state.waiting[urgency]?.isEmpty ?? true { turns[urgency, default: .init()].append(lane) }
        state.waiting[urgency, default: .init()].append(Entry(job: job, since: now))
        state.waitingCount += 1
        waiting += 1
        lanes[lane] = state
        return displaced
    }

    /// The next job to do, which counts as being done from now on; nil when there is none for which a thread is free.
    mutating func start() -> (job: Job, lane: Lane)? {
        guard running < limits.threads else { return nil }
        for urgency in turns.keys.sorted() {
            guard var turn = turns[urgency] else { continue }
            var passed: [Lane] = []
            var found: (Job, Lane)?
            while found == nil, let lane = turn.popFirst() {
                guard var state = lanes[lane], var entries = state.waiting[urgency] else { continue }
                guard state.running < state.share.threads else {
                    passed.append(lane)
                    continue
                }
                guard let entry = entries.popFirst() else { continue }
                state.waiting[urgency] = entries.isEmpty ? nil : entries
                state.running += 1
                state.waitingCount -= 1
                lanes[lane] = state
                if !entries.isEmpty { turn.append(lane) }
                found = (entry.job, lane)
            }
            for lane in passed { turn.append(lane) }
            turns[urgency] = turn.isEmpty ? nil : turn
            guard let found else { continue }
            running += 1
            waiting -= 1
            return found
        }
        return nil
    }

    /// Ends a job that `start` gave.
    mutating func finish(_ lane: Lane) {
        guard var state = lanes[lane] else { return }
        running -= 1
        state.running -= 1
        lanes[lane] = state.running == 0 && state.waitingCount == 0 ? nil : state
    }

    /// Since when the oldest job waits that only lacks a free thread; nil when there is none. What waits because its
    /// lane has its share is not counted.
    var oldestReady: ContinuousClock.Instant? {
        guard running >= limits.threads else { return nil }
        return lanes.values.lazy.filter { $0.running < $0.share.threads }
            .compactMap { lane in lane.waiting.values.compactMap { $0.first?.since }.min() }.min()
    }

    /// Takes the newest job away from the lane with the most jobs, where that has more than one that has `count`, or
    /// else from a less urgent lane.
    private mutating func displace(for count: Int, _ urgency: Int) -> Job? {
        let candidates = lanes.filter { $0.value.waitingCount > 0 }
        guard let longest = candidates.max(by: { $0.value.waitingCount < $1.value.waitingCount }) else { return nil }
        var lane = longest.key
        if longest.value.waitingCount <= count + 1 {
            let least = candidates.max { ($0.value.waiting.keys.max() ?? 0) < ($1.value.waiting.keys.max() ?? 0) }
            guard let least, (least.value.waiting.keys.max() ?? 0) > urgency else { return nil }
            lane = least.key
        }
        guard var state = lanes[lane], let last = state.waiting.keys.max(), var entries = state.waiting[last],
            let entry = entries.popLast()
        else { return nil }
        state.waiting[last] = entries.isEmpty ? nil : entries
        state.waitingCount -= 1
        waiting -= 1
        if entries.isEmpty { turns[last]?.removeAll { $0 == lane } }
        lanes[lane] = state.running == 0 && state.waitingCount == 0 ? nil : state
        return entry.job
    }
}

/// A line in which who came first is first. Taking the first costs a constant, on average.
struct FirstInFirstOut<Element: Sendable>: Sendable {
    private var elements: [Element?] = []
    private var head = 0

    var isEmpty: Bool { head == elements.count }
    var first: Element? { isEmpty ? nil : elements[head] }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let first = elements[head]
        elements[head] = nil
        head += 1
        if head > 64, head * 2 > elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return first
    }

    mutating func popLast() -> Element? { isEmpty ? nil : elements.removeLast() }

    mutating func removeAll(where isRemoved: (Element) -> Bool) {
        elements = elements[head...].filter { $0.map { !isRemoved($0) } ?? false }
        head = 0
    }
}

/// A queue of jobs for a few threads that serves its lanes (users, addresses) in turn. Every lane with waiting jobs
/// starts one before any lane starts its second, so a client that sends many jobs does not delay the others. Jobs of a
/// lower `urgency` value start before all others.
///
/// A value without a clock or a lock. `finish` takes constant time. `add` and `start` copy the chosen lane's waiting
/// jobs, and `start` also copies the list of waiting lanes, so both take time linear in them.
struct FairQueue<Lane: Hashable & Sendable, Job: Sendable>: Sendable {
    /// The largest numbers of jobs in the whole queue.
    struct Limits: Sendable {
        /// The number of jobs that may run at the same time.
        var threads: Int
        /// The number of jobs that may run or wait.
        var jobs: Int
    }

    /// The largest numbers of jobs of one lane.
    struct Share: Hashable, Sendable {
        /// The number of jobs that may run at the same time.
        var threads: Int
        /// The number of jobs that may run or wait.
        var jobs: Int
    }

    /// Why the queue refuses a job.
    enum Refusal: Error, Hashable {
        /// The lane has reached its share.
        case laneIsFull
        /// The queue has reached its limit, and no waiting job gives way.
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
    /// The lanes with waiting jobs, by urgency; the next lane to serve is first.
    private var turns: [Int: FirstInFirstOut<Lane>] = [:]
    private(set) var running = 0
    private(set) var waiting = 0

    init(_ limits: Limits) { self.limits = limits }

    /// Adds a job. When the queue has reached its limit, another waiting job may give way: the newest of the least
    /// urgent jobs of the lane with the most waiting jobs, or else the newest job of a lane with less urgent ones.
    ///
    /// - Parameters:
    ///   - urgency: 0 starts first.
    ///   - share: the limits of the lane, from now on.
    /// - Returns: the job that gave way, which the caller must refuse; nil when none had to.
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

    /// Returns the next job to run and counts it as running. Returns nil when all threads are busy, or when every
    /// waiting job belongs to a lane that runs as many jobs as its share allows.
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

    /// Counts one running job of the lane as finished. Call it once for each job that `start` returned.
    mutating func finish(_ lane: Lane) {
        guard var state = lanes[lane] else { return }
        running -= 1
        state.running -= 1
        lanes[lane] = state.running == 0 && state.waitingCount == 0 ? nil : state
    }

    /// The time since which the oldest job waits that lacks only a free thread; nil when there is none. Jobs of lanes
    /// that run as many jobs as their share allows do not count. Takes time linear in the number of lanes.
    var oldestReady: ContinuousClock.Instant? {
        guard running >= limits.threads else { return nil }
        return lanes.values.lazy.filter { $0.running < $0.share.threads }
            .compactMap { lane in lane.waiting.values.compactMap { $0.first?.since }.min() }.min()
    }

    /// Removes and returns the newest of the least urgent jobs of the lane with the most waiting jobs, if it has at
    /// least two more than `count`. Otherwise takes the newest job of the lane with the least urgent jobs, if they are
    /// less urgent than `urgency`. Returns nil when neither applies.
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

/// A first-in, first-out queue. `popFirst` takes constant time on average.
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

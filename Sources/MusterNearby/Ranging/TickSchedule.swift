import MusterCore
import MusterMutex

/// Work that is done at each tick of a clock.
protocol TickedRun: AnyObject, Sendable {
    func step(at now: Instant)
    /// Called after the last tick.
    func endOfTicks()
}

/// An event loop on which the channels of links are served.
protocol EventLoopExecutor: AnyObject, Sendable {
    /// Runs a function on the event loop, and returns after it.
    func perform(_ body: @escaping @Sendable () -> Void) async
    /// Runs a function after the present task of the event loop; at once on any other thread.
    func performSoon(_ body: @escaping @Sendable () -> Void)
    /// Calls a function on the event loop at about this interval, until the returned function is called. The delay of
    /// one call does not put off the next.
    func repeatCalls(every period: Duration, _ body: @escaping @Sendable () -> Void) -> @Sendable () -> Void
}

/// Carries out runs at the ticks of a clock: one timer serves all peers, so that a device with many peers wakes up once
/// for all of them.
///
/// The runs of links with an executor are stepped on that executor, the event loop of their channels. If the
/// clock is the machine's, the loop's own timer gives the ticks, without a change of threads.
final class TickSchedule: Sendable {
    private struct Lane {
        var runs: [any TickedRun] = []
        /// Ends the ticks; nil before they begin.
        var stop: (@Sendable () -> Void)?
    }

    private let clock: NearbyClock
    private let period: Duration
    private let lanes = Mutex<[ObjectIdentifier?: Lane]>([:])

    init(clock: NearbyClock, period: Duration) {
        self.clock = clock
        self.period = period
    }

    func add(_ run: any TickedRun, on executor: (any EventLoopExecutor)?) {
        let key = executor.map { ObjectIdentifier($0) }
        lanes.withLock { lanes in
            lanes[key, default: Lane()].runs.append(run)
            if lanes[key]?.stop == nil { lanes[key]?.stop = startTicks(on: executor, key) }
        }
    }

    private func startTicks(on executor: (any EventLoopExecutor)?, _ key: ObjectIdentifier?) -> @Sendable () -> Void {
        if clock.isOfMachine, let executor {
            return executor.repeatCalls(every: period) { self.step(at: self.clock.now(), key) }
        }
        let ticks = clock.ticks(period)
        let task = Task {
            for await now in ticks { await Self.perform(on: executor) { self.step(at: now, key) } }
            if !Task.isCancelled { await Self.perform(on: executor) { self.endLane(key) } }
        }
        return { task.cancel() }
    }

    /// Runs a function on an executor, or at once where there is none.
    private static func perform(
        on executor: (any EventLoopExecutor)?, _ body: @escaping @Sendable () -> Void
    ) async {
        if let executor { await executor.perform(body) } else { body() }
    }

    /// Removes a run. The ticks end with the last one.
    func remove(_ run: any TickedRun, from executor: (any EventLoopExecutor)?) {
        let key = executor.map { ObjectIdentifier($0) }
        lanes.withLock { lanes in
            lanes[key]?.runs.removeAll { $0 === run }
            guard let lane = lanes[key], lane.runs.isEmpty else { return }
            lane.stop?()
            lanes[key] = nil
        }
    }

    private func step(at now: Instant, _ key: ObjectIdentifier?) {
        let runs = lanes.withLock { $0[key]?.runs ?? [] }
        for run in runs { run.step(at: now) }
    }

    private func endLane(_ key: ObjectIdentifier?) {
        let lane = lanes.withLock { $0.removeValue(forKey: key) }
        for run in lane?.runs ?? [] { run.endOfTicks() }
    }
}

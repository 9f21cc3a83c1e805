import AsyncAlgorithms
package import MusterCore
package import MusterStore
import ServiceLifecycle
package import Synchronization

/// Delivers events to their targets. It reads new deliveries from the store, makes the attempts that its schedule
/// allows, and stores the outcomes. In memory it holds only each delivery's place in the schedule. After a crash
/// nothing is lost; attempts whose outcome was not yet stored are made again.
package final class DeliveryDispatcher: Service {
    /// A reason for the dispatcher to act.
    package enum Signal: Sendable {
        /// The store may hold new deliveries.
        case announced
        /// An admin changed or removed a target.
        case changed(TargetNumber)
        case ended(Delivery, DeliveryOutcome)
        /// Whether the outcomes of deliveries were stored.
        case stored(Bool)
        case timer
    }

    package let coordinator: StoreCoordinator
    package let caller: TargetCaller
    package let policy: DeliveryPolicy
    package let now: @Sendable () -> Instant
    let jitter: @Sendable () -> Double
    package let metrics: Metrics
    package let record = Mutex(DeliveryRecord())
    private let signals: AsyncStream<Signal>
    package let signal: AsyncStream<Signal>.Continuation
    private let isAnnounced = Atomic(false)
    private let announced = Atomic<Int64>(0)

    /// Seconds between two transactions that store outcomes.
    static let storingSeconds: Double = 0.1
    /// The number of deliveries read at once.
    static let pageLimit = 2000
    /// The number of attempts that begin before outcomes are handled again.
    static let beginningLimit = 64
    /// With this many outcomes not stored, because the disk refuses, no further attempts begin.
    static let unstoredLimit = 10_000

    /// - Parameters:
    ///   - caller: makes the attempts.
    ///   - jitter: returns random numbers in [0, 1).
    package init(
        coordinator: StoreCoordinator, caller: TargetCaller, policy: DeliveryPolicy, metrics: Metrics,
        now: @escaping @Sendable () -> Instant, jitter: @escaping @Sendable () -> Double = { .random(in: 0..<1) }
    ) {
        self.coordinator = coordinator
        self.caller = caller
        self.policy = policy
        self.metrics = metrics
        self.now = now
        self.jitter = jitter
        (signals, signal) = AsyncStream.makeStream(of: Signal.self)
    }

    /// Wakes the dispatcher if deliveries were stored since it was last woken. Never blocks, and is cheap when none
    /// were.
    package func announceWhatIsNew() {
        let last = coordinator.lastDelivery.rawValue
        if announced.exchange(last, ordering: .relaxed) != last { announce() }
    }

    /// Tells the dispatcher that there may be new deliveries. Never blocks.
    package func announce() {
        // One announcement in the queue is enough.
        if !isAnnounced.exchange(true, ordering: .acquiringAndReleasing) { signal.yield(.announced) }
    }

    /// Tells the dispatcher that an admin changed or removed a target, so that its earlier failures no longer count.
    package func follow(_ target: TargetNumber) { signal.yield(.changed(target)) }

    /// The counts of deliveries, and the deliveries that wait.
    package var statistics: DeliveryRecord { record.withLock { $0 } }

    /// Delivers until the server shuts down. It then abandons attempts under way, and makes them again after the next
    /// start.
    package func run() async throws {
        announce()
        await withDiscardingTaskGroup { group in
            var round = DispatchPass(self)
            for await signal in signals.cancelOnGracefulShutdown() {
                if case .announced = signal { isAnnounced.store(false, ordering: .releasing) }
                await round.applySignal(signal)
                await round.advance(in: &group)
            }
            await round.end()
            group.cancelAll()
        }
        caller.close()
    }
}

/// The dispatcher's counts, and its waiting deliveries.
package struct DeliveryRecord: Sendable {
    /// Attempts that succeeded.
    package var delivered = 0
    /// Attempts that failed.
    package var failed = 0
    /// Deliveries that the dispatcher gave up.
    package var givenUp = 0
    /// Deliveries that became dead letters at once, because the queue was full.
    package var refused = 0
    /// Attempts under way.
    package var underWay = 0
    /// For each target with waiting deliveries: their number, and whether the target is only probed.
    package var waiting: [TargetNumber: (pending: Int, isProbing: Bool)] = [:]
    /// The latest failures, the newest last.
    package private(set) var failures: [Failure] = []

    /// An attempt that failed.
    package struct Failure: Sendable {
        package var target: TargetNumber
        package var event: String
        package var rule: String
        package var at: Instant
        package var attempts: Int
        package var reason: String
    }

    /// The number of failures remembered.
    static let failureLimit = 100

    mutating func addFailure(_ failure: Failure) {
        failed += 1
        if failures.count >= Self.failureLimit { failures.removeFirst() }
        failures.append(failure)
    }
}

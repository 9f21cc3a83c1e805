import AsyncAlgorithms
package import MusterCore
import MusterStore
import ServiceLifecycle
import Synchronization

/// Brings deliveries to their targets: reads the store from where it stands, tries what its schedule lets begin, and
/// stores what became of it. Nothing of a delivery is kept in memory but its place; a crash loses nothing, and repeats
/// what was not stored yet as done.
package final class DeliveryDispatcher: Service {
    /// What can happen to it.
    enum Signal: Sendable {
        /// The store may hold new deliveries.
        case announced
        /// An admin changed a target, or removed it.
        case changed(TargetNumber)
        case ended(Delivery, DeliveryOutcome)
        /// Whether what became of deliveries is stored.
        case kept(Bool)
        case timer
    }

    let coordinator: StoreCoordinator
    let caller: TargetCaller
    let policy: DeliveryPolicy
    let now: @Sendable () -> Instant
    let jitter: @Sendable () -> Double
    let metrics: Metrics
    let record = Mutex(DeliveryRecord())
    private let signals: AsyncStream<Signal>
    let signal: AsyncStream<Signal>.Continuation
    private let isAnnounced = Atomic(false)
    private let announced = Atomic<Int64>(0)

    /// How often what became of deliveries is stored at most, in seconds.
    static let keepingSeconds: Double = 0.1
    /// Deliveries that are read at once.
    static let pageLimit = 2000
    /// Attempts that begin before outcomes are looked at again.
    static let beginningLimit = 64
    /// What waits to be stored before nothing more is begun: the disk refuses.
    static let unkeptLimit = 10_000

    /// - Parameters:
    ///   - caller: makes the attempts.
    ///   - jitter: gives numbers in [0, 1).
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

    /// Wakes it if deliveries were put since it was woken last. Never blocks; costs next to nothing when none were.
    package func announceWhatIsNew() {
        let last = coordinator.lastDelivery.rawValue
        if announced.exchange(last, ordering: .relaxed) != last { announce() }
    }

    /// Notes that there may be new deliveries. Never blocks.
    package func announce() {
        // One in the queue is enough.
        if !isAnnounced.exchange(true, ordering: .acquiringAndReleasing) { signal.yield(.announced) }
    }

    /// Notes that an admin changed or removed a target: what failed before says nothing any more.
    func follow(_ target: TargetNumber) { signal.yield(.changed(target)) }

    /// What was delivered and what waits.
    package var statistics: DeliveryRecord { record.withLock { $0 } }

    /// Delivers until the server shuts down. Attempts under way then are given up, and made again at the next start.
    package func run() async throws {
        announce()
        await withDiscardingTaskGroup { group in
            var round = DispatchPass(self)
            for await signal in signals.cancelOnGracefulShutdown() {
                if case .announced = signal { isAnnounced.store(false, ordering: .releasing) }
                await round.take(signal)
                await round.advance(in: &group)
            }
            await round.end()
            group.cancelAll()
        }
        caller.close()
    }
}

/// What the dispatcher did, and what waits.
package struct DeliveryRecord: Sendable {
    /// Attempts that arrived.
    package var delivered = 0
    /// Attempts that failed.
    package var failed = 0
    /// Deliveries that were given up.
    package var givenUp = 0
    /// Attempts under way.
    package var underWay = 0
    /// Of every target for which something waits: how many, and whether it is only probed.
    package var waiting: [TargetNumber: (pending: Int, isProbing: Bool)] = [:]
    /// The failures of late, the newest last.
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

    /// Failures that are remembered.
    static let failureLimit = 100

    mutating func note(_ failure: Failure) {
        failed += 1
        if failures.count >= Self.failureLimit { failures.removeFirst() }
        failures.append(failure)
    }
}

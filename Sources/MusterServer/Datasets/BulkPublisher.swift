import AsyncAlgorithms
package import MusterCore
import MusterStore
import MusterWire
import ServiceLifecycle

/// Sends all datasets of an identity pool to the pool's stream: Amazon's bulk publish.
///
/// It sends one slice in each transaction, which also stores the progress. So it continues there after a crash, and
/// sends again only what the target did not acknowledge.
package final class BulkPublisher: Service {
    let coordinator: StoreCoordinator
    let dispatcher: DeliveryDispatcher
    let refer: @Sendable (StreamReference) -> String?
    private let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation

    /// The most datasets of a slice, the most bytes of deliveries after which it ends, and the most owners that it
    /// looks at.
    static let slice = (datasets: 50, bytes: 1 << 20, owners: 200)
    /// With this many deliveries waiting for a target, the publisher waits.
    static let waitingLimit = 1_000
    /// How long the publisher waits for that, and after the disk refused a write.
    static let pause = Duration.seconds(1)
    /// How long after a bulk publish that succeeded another may begin, in seconds: a day.
    package static let againSeconds: Double = 86_400

    package init(
        coordinator: StoreCoordinator, dispatcher: DeliveryDispatcher,
        refer: @escaping @Sendable (StreamReference) -> String?
    ) {
        self.coordinator = coordinator
        self.dispatcher = dispatcher
        self.refer = refer
        (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Why a bulk publish does not begin.
    package enum Refusal: Error, Hashable, Sendable {
        /// The pool has no stream that is enabled, or its target is gone.
        case noStream
        case isUnderWay
        /// A bulk publish succeeded less than `againSeconds` ago.
        case wasDone
    }

    /// Begins a bulk publish.
    ///
    /// - Throws: `Refusal`; `CoordinatorError`, `StoreError`.
    package func begin(pool: TeamNumber?, by author: Author) async throws {
        let (now, label) = (coordinator.now(), coordinator.origin.text(of: .pool(pool)))
        try await coordinator.edit(by: author) { directory, draft in
            let settings = try draft.transaction.settings(ofPool: pool)
            guard let stream = DatasetStream(settings), stream.isEnabled, stream.target(in: directory) != nil else {
                throw Refusal.noStream
            }
            if let last = try draft.transaction.lastBulkPublish(ofPool: pool) {
                if last.state == .underWay { throw Refusal.isUnderWay }
                if last.state == .succeeded, now.seconds(since: last.startedAt) < Self.againSeconds {
                    throw Refusal.wasDone
                }
            }
            try draft.transaction.put(BulkPublish(of: pool, to: stream.name, at: now))
            draft.addAction(.poolChanged, label: label)
        }
        wake.yield()
    }

    /// Publishes until the server shuts down.
    package func run() async throws {
        wake.yield()
        for await _ in wakes.cancelOnGracefulShutdown() {
            try? await cancelWhenGracefulShutdown { try await self.publishAll() }
        }
    }

    /// Continues every bulk publish that is under way, and returns when all are done.
    ///
    /// - Throws: `CancellationError`.
    private func publishAll() async throws {
        while true {
            try Task.checkCancellation()
            let underWay = (try? await coordinator.read { try $0.bulkPublishesUnderWay() }) ?? []
            guard !underWay.isEmpty else { return }
            var isStuck = true
            for publish in underWay where !isCrowded(publish) {
                if (try? await publishSlice(of: publish.pool)) != nil { isStuck = false }
            }
            dispatcher.announceWhatIsNew()
            if isStuck { try await Task.sleep(for: Self.pause) }
        }
    }

    /// Whether too many deliveries wait for the stream's target for the publisher to add more.
    private func isCrowded(_ publish: BulkPublish) -> Bool {
        guard let target = coordinator.directory.targets[publish.stream] else { return false }
        return coordinator.store.pendingDeliveryCounts[target.number, default: 0] >= Self.waitingLimit
    }

    /// Sends a slice of a bulk publish, and stores its progress in the same transaction.
    func publishSlice(of pool: TeamNumber?) async throws {
        let (coordinator, refer) = (coordinator, refer)
        try await coordinator.storeState { transaction, moment in
            guard var publish = try transaction.lastBulkPublish(ofPool: pool), publish.state == .underWay else {
                return
            }
            let directory = coordinator.directory
            let stream = DatasetStream(try transaction.settings(ofPool: pool))
            if let stream, stream.isEnabled, stream.name == publish.stream,
                let target = stream.target(in: directory)
            {
                var slice = BulkSlice(
                    target: target.number, origin: coordinator.origin, moment: moment, refer: refer)
                if try slice.send(from: &publish, in: directory, transaction) {
                    (publish.state, publish.endedAt) = (.succeeded, moment)
                }
            } else {
                (publish.state, publish.endedAt) = (.failed, moment)
                publish.failure = "The stream \(publish.stream) was removed, switched off or changed."
            }
            try transaction.put(publish)
        }
    }
}

/// One transaction's part of a bulk publish.
private struct BulkSlice {
    let target: TargetNumber
    let origin: EventOrigin
    let moment: Instant
    let refer: @Sendable (StreamReference) -> String?
    private var datasets = 0
    private var bytes = 0
    private var owners = 0

    init(
        target: TargetNumber, origin: EventOrigin, moment: Instant,
        refer: @escaping @Sendable (StreamReference) -> String?
    ) {
        self.target = target
        self.origin = origin
        self.moment = moment
        self.refer = refer
    }

    private var isFull: Bool {
        datasets >= BulkPublisher.slice.datasets || bytes >= BulkPublisher.slice.bytes
            || owners >= BulkPublisher.slice.owners
    }

    /// Sends the datasets after the one that was sent last.
    ///
    /// - Returns: whether all datasets were sent.
    mutating func send(
        from publish: inout BulkPublish, in directory: Directory, _ transaction: any StoreTransaction
    ) throws -> Bool {
        if publish.owner.rawValue >= 0 {
            let users = directory.users.all.filter { $0.team == publish.pool && $0.number >= publish.owner }
            for user in users {
                let identity = origin.text(of: .identity(user.number))
                guard try send(of: user.number, identity, from: &publish, transaction) else { return false }
            }
            (publish.owner, publish.dataset) = (UserNumber(-1), "")
        }
        while true {
            let limit = BulkPublisher.slice.owners
            let guests = try transaction.guests(ofPool: publish.pool, from: publish.owner, limit: limit)
            for guest in guests {
                guard try send(of: guest.number, origin.text(of: guest.id), from: &publish, transaction) else {
                    return false
                }
            }
            guard guests.count == limit, let last = guests.last else { return true }
            (publish.owner, publish.dataset) = (UserNumber(last.number.rawValue - 1), "")
        }
    }

    /// Sends the datasets of one owner.
    ///
    /// - Returns: false when the slice is full.
    private mutating func send(
        of owner: UserNumber, _ identity: String, from publish: inout BulkPublish, _ transaction: any StoreTransaction
    ) throws -> Bool {
        guard !isFull else { return false }
        if owner != publish.owner { (publish.owner, publish.dataset) = (owner, "") }
        owners += 1
        for dataset in try transaction.datasets(of: owner) where dataset.name > publish.dataset {
            guard !isFull else { return false }
            let record = StreamRecord(
                pool: origin.text(of: .pool(publish.pool)), identity: identity, dataset: dataset,
                records: try transaction.records(of: dataset.name, of: owner))
            let delivery = DatasetStream.delivery(
                of: record, to: target, owner: owner, event: Identity.newUUID(), at: moment
            ) {
                refer(
                    StreamReference(
                        owner: owner, dataset: dataset.name, since: 0, through: dataset.syncCount,
                        expiresAt: moment.advanced(bySeconds: StreamReference.seconds)))
            }
            try transaction.put(delivery)
            datasets += 1
            bytes += delivery.body.count
            publish.dataset = dataset.name
        }
        return true
    }
}

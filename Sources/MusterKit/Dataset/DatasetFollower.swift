import MusterReplication

/// Follows the server's live feed, and synchronizes datasets when it tells of a change.
///
/// Whenever the feed was opened, every dataset is synchronized once: what changed while nobody listened is no event.
final class DatasetFollower: Sendable {
    /// A dataset to synchronize.
    private struct Order: Sendable {
        var name: String
        /// The server's count, as it was told; nil where it is not known.
        var count: Int64?
    }

    private let orders: AsyncStream<Order>.Continuation
    private let tasks: [Task<Void, Never>]

    /// Begins to follow.
    ///
    /// - Parameters:
    ///   - names: the names of the open datasets.
    ///   - synchronize: synchronizes a dataset unless the device knows the count already; false: try again later.
    ///   - onQuestion: called when somebody asks where a person is.
    ///   - onUnauthorized: called when the server refuses the credentials, before the next attempt.
    init(
        feed: LiveFeed, pacing: ReplicationPacing, names: @escaping @Sendable () -> [String],
        synchronize: @escaping @Sendable (_ name: String, _ count: Int64?) async -> Bool,
        onQuestion: @escaping @Sendable (LiveFeed.LocationQuestion) -> Void,
        onUnauthorized: @escaping @Sendable () async -> Void
    ) {
        // A person has 20 datasets at most; the feed opens again where more events wait than this.
        let (stream, orders) = AsyncStream.makeStream(of: Order.self, bufferingPolicy: .bufferingNewest(1_000))
        self.orders = orders
        let following = Task {
            var failures = 0
            while !Task.isCancelled {
                do {
                    try await feed.follow { news in
                        switch news {
                        case .opened:
                            failures = 0
                            for name in names() { orders.yield(Order(name: name, count: nil)) }
                        case .dataset(let told): orders.yield(Order(name: told.name, count: told.syncCount))
                        case .question(let question): onQuestion(question)
                        case .other: break
                        }
                    }
                } catch ReplicationError.unauthorized {
                    await onUnauthorized()
                } catch {
                    // Every other reason ends with time.
                }
                failures += 1
                try? await pacing.sleep(pacing.delaySeconds(afterFailures: failures))
            }
        }
        let synchronizing = Task {
            var failures = 0
            for await order in stream {
                guard await !synchronize(order.name, order.count) else {
                    failures = 0
                    continue
                }
                failures += 1
                try? await pacing.sleep(pacing.delaySeconds(afterFailures: failures))
                orders.yield(order)
            }
        }
        tasks = [following, synchronizing]
    }

    /// Synchronizes a dataset that was opened since.
    func want(_ name: String) { orders.yield(Order(name: name, count: nil)) }

    /// Ends following. A synchronization that is under way ends too.
    func cancel() {
        orders.finish()
        for task in tasks { task.cancel() }
    }
}

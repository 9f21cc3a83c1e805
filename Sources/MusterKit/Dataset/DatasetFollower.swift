import MusterReplication

/// Follows the server's live feed, and synchronizes a dataset when the feed reports a change of it.
///
/// Each time the feed is opened, every dataset is synchronized once, because the feed does not report earlier changes.
final class DatasetFollower: Sendable {
    /// A dataset to synchronize.
    private struct Order: Sendable {
        var name: String
        /// The server's count, as the feed reported it; nil if it is unknown.
        var count: Int64?
    }

    private let orders: AsyncStream<Order>.Continuation
    private let tasks: [Task<Void, Never>]

    /// Begins to follow.
    ///
    /// - Parameters:
    ///   - names: the names of the open datasets.
    ///   - synchronize: synchronizes a dataset unless the device knows the count already; returns false if it should be
    ///     tried again later.
    ///   - onQuestion: called when somebody asks for a person's location.
    ///   - onUnauthorized: called when the server refuses the credentials, before the next attempt.
    init(
        feed: LiveFeed, pacing: ReplicationPacing, names: @escaping @Sendable () -> [String],
        synchronize: @escaping @Sendable (_ name: String, _ count: Int64?) async -> Bool,
        onQuestion: @escaping @Sendable (LiveFeed.LocationQuestion) -> Void,
        onUnauthorized: @escaping @Sendable () async -> Void
    ) {
        // A person has at most 20 datasets. Beyond this number of waiting orders, the oldest is dropped.
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
                    // Every other failure is temporary, so following tries again.
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

    /// Synchronizes a dataset that was opened after following began.
    func want(_ name: String) { orders.yield(Order(name: name, count: nil)) }

    /// Ends following. A synchronization that is under way ends too.
    func cancel() {
        orders.finish()
        for task in tasks { task.cancel() }
    }
}

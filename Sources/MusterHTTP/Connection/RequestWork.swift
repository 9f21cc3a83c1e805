import Synchronization

/// What is under way for one request: where it comes from, whose it is once that is proved, and whether anybody still
/// waits for the answer.
///
/// Whoever reads the store for a request finds it in `current`, so that reading counts as its user's and ends with its
/// connection.
package final class RequestWork: Sendable {
    /// The request that this task answers; nil for the server's own work.
    @TaskLocal package static var current: RequestWork?

    /// The authenticated user of a request.
    package struct Client: Hashable, Sendable {
        /// The user's number, by which shares are counted.
        package var number: Int32
        package var name: String
        /// Whether the user may have more reads waiting than other users.
        package var hasPriority: Bool

        package init(number: Int32, name: String, hasPriority: Bool) {
            self.number = number
            self.name = name
            self.hasPriority = hasPriority
        }
    }

    /// Where it comes from: the client's own address, also behind a proxy that is trusted.
    package let address: String
    private let isGone = Atomic<Bool>(false)
    private let proved = Mutex<Client?>(nil)
    private let routed = Mutex<String?>(nil)

    package init(from address: String) { self.address = address }

    /// Whose request it is; nil before that is proved.
    package var client: Client? { proved.withLock { $0 } }

    /// Sets whose request it is, once that is proved.
    package func setClient(_ client: Client) { proved.withLock { $0 = client } }

    /// The method and the route's path, with names of parameters in braces; nil before the request is routed.
    package var route: String? { routed.withLock { $0 } }

    /// Stores the method and the path of the route that serves the request.
    package func setRoute(_ route: String) { routed.withLock { $0 = route } }

    /// Whether nobody waits for the answer any more.
    package var isAbandoned: Bool { isGone.load(ordering: .relaxed) }

    /// Notes that nobody waits for the answer any more.
    package func abandon() { isGone.store(true, ordering: .relaxed) }
}

import Synchronization

/// The state of the work for one request: the client's address, the authenticated user, the route, and whether the
/// client still waits for the answer.
///
/// Code that reads the store for a request finds it in `current`. So the read counts for the request's user and ends
/// with its connection.
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

    /// The client's own address, also behind a trusted proxy.
    package let address: String
    private let isGone = Atomic<Bool>(false)
    private let proved = Mutex<Client?>(nil)
    private let routed = Mutex<String?>(nil)
    private let upgrade = Mutex<WebSocketUpgrade?>(nil)

    package init(from address: String) { self.address = address }

    /// The authenticated user who sent the request; nil before authentication.
    package var client: Client? { proved.withLock { $0 } }

    /// Sets the user who sent the request. Call it once the request is authenticated.
    package func setClient(_ client: Client) { proved.withLock { $0 = client } }

    /// The method and the route's path, with names of parameters in braces; nil before the request is routed.
    package var route: String? { routed.withLock { $0 } }

    /// Stores the method and the path of the route that serves the request.
    package func setRoute(_ route: String) { routed.withLock { $0 = route } }

    /// Sets what the connection becomes, once the request is answered with 101.
    package func setUpgrade(_ upgrade: WebSocketUpgrade) { self.upgrade.withLock { $0 = upgrade } }

    func takeUpgrade() -> WebSocketUpgrade? {
        upgrade.withLock { upgrade in
            defer { upgrade = nil }
            return upgrade
        }
    }

    /// Whether the client no longer waits for the answer.
    package var isAbandoned: Bool { isGone.load(ordering: .relaxed) }

    /// Records that the client no longer waits for the answer.
    package func abandon() { isGone.store(true, ordering: .relaxed) }
}

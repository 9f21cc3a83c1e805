import HTTPTypes
import MusterCore
import Synchronization

/// What is under way for one request: where it comes from, whose it is once that is proved, and whether anybody still
/// waits for the answer.
///
/// Whoever reads the store for a request finds it in `current`, so that reading counts as its user's and ends with its
/// connection.
final class RequestWork: Sendable {
    /// The request that this task answers; nil for the server's own work.
    @TaskLocal static var current: RequestWork?

    /// Whose request it is.
    struct Client: Hashable, Sendable {
        var user: UserNumber
        var name: String
        /// Whether it is a leader or an admin.
        var leads: Bool
    }

    /// Where it comes from: the client's own address, also behind a proxy that is trusted.
    let address: String
    private let isGone = Atomic<Bool>(false)
    private let proved = Mutex<Client?>(nil)
    private let routed = Mutex<Route?>(nil)

    init(from address: String) { self.address = address }

    /// Whose request it is; nil before that is proved.
    var client: Client? { proved.withLock { $0 } }

    /// Notes whose request it is, once that is proved.
    func identify(_ user: User) {
        let client = Client(user: user.number, name: user.name, leads: [.admin, .leader].contains(user.role))
        proved.withLock { $0 = client }
    }

    /// The method and the route's path, with names of parameters in braces; nil before the request is routed.
    var route: String? { routed.withLock { $0 }.map { "\($0.method.rawValue) \($0.path)" } }

    /// Stores which route serves the request.
    func setRoute(_ route: Route) { routed.withLock { $0 = route } }

    /// Whether nobody waits for the answer any more.
    var isAbandoned: Bool { isGone.load(ordering: .relaxed) }

    /// Notes that nobody waits for the answer any more.
    func abandon() { isGone.store(true, ordering: .relaxed) }
}

import MusterCore
import MusterHTTP
import NIOCore

/// Resolves the names of Web Push services. Users choose these names by their subscriptions, so the name server that is
/// asked may be one that never answers, and a call to the operating system then blocks its thread for ten seconds and
/// longer.
///
/// The threads serve users in turn, and one user holds few of them, so the names of one user do not delay the pushes of
/// others. The names of targets, of replications' peers and of other platforms are not resolved here.
final class SubscriptionResolver: HostResolver {
    /// The user for whose device a name is resolved.
    @TaskLocal static var user: UserNumber?

    private let pool = WorkerPool<UserNumber?>(threads: 8, jobs: 4_096)
    private let ask: @Sendable (_ host: String, _ port: Int) throws -> [SocketAddress]

    /// The threads that one user may hold, and the names of one user that may be looked up or wait.
    static let threadsOfUser = 2
    static let namesOfUser = 64
    /// Seconds after which a name that still waits is not looked up any more. The caller has given up by then.
    private static let waitSeconds: Double = 5

    /// - Parameter ask: looks a name up, and may block.
    init(
        ask: @escaping @Sendable (_ host: String, _ port: Int) throws -> [SocketAddress] = {
            try SystemResolver.lookUp($0, $1)
        }
    ) {
        self.ask = ask
    }

    deinit { pool.shutDownSoon() }

    func addresses(of host: String, port: Int) async throws -> [SocketAddress] {
        if let literal = try? SystemResolver.lookUp(host, port, isLiteral: true) { return literal }
        let latest = ContinuousClock.now + .seconds(Self.waitSeconds)
        let share = WorkerPool<UserNumber?>.Share(threads: Self.threadsOfUser, jobs: Self.namesOfUser)
        do {
            return try await pool.run(Self.user, share: share, isAbandoned: { ContinuousClock.now > latest }) {
                [ask] in try ask(host, port)
            }
        } catch is WorkError {
            throw CallError.unreachable("too many names are being looked up")
        }
    }
}

import MusterHTTP

/// Hashes passwords on threads of its own, a few at a time. Many simultaneous sign-ins then neither block the threads
/// that serve positions nor take more memory than `threads` hashes need.
///
/// Addresses take turns, and people who signed in lately go first, so that no client can fill the queue for the others.
package final class PasswordHasher: Sendable {
    private let workers: WorkerPool<String>
    private let share: WorkerPool<String>.Share
    private let cost: PasswordHash.Cost
    /// Compared where a user has no password, so that the answer takes the same time.
    private let decoy: PasswordHash

    /// The number of hashes that may wait, about twenty seconds of work. Further requests are refused. A waiting hash
    /// takes little memory.
    package static let waitingLimit = 512
    /// The number of hashes of one address that may wait.
    static let waitingLimitOfAddress = 64
    /// The order in which waiting hashes run: lower values go first.
    enum Urgency: Int, Sendable {
        /// The user signed in from this address lately, or from this client before (`KnownClient`).
        case known
        /// Some user signed in from this address lately.
        case knownAddress
        case unknown
        /// There have been many attempts at this name lately.
        case suspected
    }

    /// Makes a hasher of the standard cost: 32 MiB for each thread.
    package convenience init(threads: Int = 2) {
        self.init(threads: threads, waitingLimit: Self.waitingLimit, cost: .standard)
    }

    /// - Parameter waitClock: measures how long hashes wait.
    init(
        threads: Int, waitingLimit: Int, cost: PasswordHash.Cost,
        waitClock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.cost = cost
        share = .init(threads: threads, jobs: min(waitingLimit, Self.waitingLimitOfAddress))
        workers = WorkerPool(threads: threads, jobs: waitingLimit, now: waitClock)
        decoy = .decoy(cost: cost)
    }

    deinit { workers.shutDownSoon() }

    /// How many seconds the oldest waiting hash has waited for a thread; 0 when none waits.
    package var oldestWaitSeconds: Double { workers.oldestWaitSeconds }

    /// The number of hashes that wait, that run, and that were refused.
    var counts: WorkCounts { workers.counts }

    /// Hashes a password with a new salt, and returns the text form. For a request that nobody has signed in for, such
    /// as a registration, it waits like the sign-in of an unknown address.
    ///
    /// - Throws: `IdentityError.busy` when the queue is full.
    func hash(_ password: String) async throws -> String {
        let salt = SecretToken.randomBytes(PasswordHash.saltBytes)
        let cost = cost
        let address = AddressPrefix.of(RequestWork.current?.address ?? "")
        return try await run(address, Self.urgencyOfNewPasswords) {
            try PasswordHash(of: password, salt: salt, cost: cost).text
        }
    }

    /// How urgent it is to hash a new password for the request of the present task.
    static var urgencyOfNewPasswords: Urgency {
        guard let work = RequestWork.current, work.client == nil else { return .knownAddress }
        return .unknown
    }

    /// Whether a password matches a stored hash.
    ///
    /// - Parameters:
    ///   - text: the stored text form; nil where there is none, which takes as long and returns false.
    ///   - address: the prefix of the client's address.
    /// - Throws: `IdentityError.busy` when the queue is full.
    func verify(
        _ password: String, against text: String?, from address: String = "", _ urgency: Urgency = .unknown
    ) async throws -> Bool {
        let stored = text.flatMap { PasswordHash(text: $0) }
        let hash = stored ?? decoy
        return try await run(address, urgency) { try hash.matches(password) } && stored != nil
    }

    /// Runs work on one of the hashing threads, when it is the address's turn.
    ///
    /// - Throws: `IdentityError.busy` when the queue is full; the errors of `work`.
    func run<Result: Sendable>(
        _ address: String, _ urgency: Urgency, _ work: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        let request = RequestWork.current
        do {
            return try await workers.run(
                address, urgency: urgency.rawValue, share: share, isAbandoned: { request?.isAbandoned ?? false }, work)
        } catch is WorkError {
            throw IdentityError.busy
        }
    }
}

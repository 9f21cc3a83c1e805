/// Hashes passwords on threads of its own, a few at a time: a storm of sign-ins neither blocks the threads that serve
/// positions nor takes more memory than `threads` hashes need.
///
/// Addresses take turns, and people who signed in lately go first, so that nobody fills the queue for the others.
package final class PasswordHasher: Sendable {
    private let workers: WorkerPool<String>
    private let share: WorkerPool<String>.Share
    private let cost: PasswordHash.Cost
    /// Hashed against where there is no password, so that the answer takes as long.
    private let decoy: PasswordHash

    /// As many may wait as are done in some twenty seconds; more are turned away. What waits costs little memory.
    package static let waitingLimit = 512
    /// So many of them from one address.
    static let waitingLimitOfAddress = 64
    /// Who waits for his hash for how long is said by this: lower goes first.
    enum Urgency: Int, Sendable {
        /// The name signed in from this address lately.
        case known
        /// Somebody signed in from this address lately.
        case knownAddress
        case unknown
        /// Many have tried this name of late.
        case suspected
    }

    /// A hasher of the standard cost: 32 MiB for each thread.
    package convenience init(threads: Int = 2) throws {
        try self.init(threads: threads, waitingLimit: Self.waitingLimit, cost: .standard)
    }

    /// - Parameter waitClock: tells how long hashes wait.
    init(
        threads: Int, waitingLimit: Int, cost: PasswordHash.Cost,
        waitClock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) throws {
        self.cost = cost
        share = .init(threads: threads, jobs: min(waitingLimit, Self.waitingLimitOfAddress))
        workers = WorkerPool(threads: threads, jobs: waitingLimit, now: waitClock)
        decoy = try PasswordHash(of: "", salt: Array(repeating: 0, count: PasswordHash.saltBytes), cost: cost)
    }

    deinit { workers.shutDownSoon() }

    /// Seconds that the oldest hash waits for a thread; 0 when none does.
    var oldestWaitSeconds: Double { workers.oldestWaitSeconds }

    /// What waits for a thread, what has one, and what was turned away.
    var counts: WorkCounts { workers.counts }

    /// The text form of a password's hash, with a fresh salt.
    ///
    /// - Throws: `IdentityError.busy` when too many wait already.
    func hash(_ password: String) async throws -> String {
        let salt = SecretToken.randomBytes(PasswordHash.saltBytes)
        let cost = cost
        let address = AddressPrefix.of(RequestWork.current?.address ?? "")
        return try await run(address, .knownAddress) { try PasswordHash(of: password, salt: salt, cost: cost).text }
    }

    /// Whether a password is the one that was hashed.
    ///
    /// - Parameters:
    ///   - text: the stored text form; nil where there is none, which takes as long and answers false.
    ///   - address: the prefix of the address that asks.
    /// - Throws: `IdentityError.busy` when too many wait already.
    func verify(
        _ password: String, against text: String?, from address: String = "", _ urgency: Urgency = .unknown
    ) async throws -> Bool {
        let stored = text.flatMap { PasswordHash(text: $0) }
        let hash = stored ?? decoy
        return try await run(address, urgency) { try hash.matches(password) } && stored != nil
    }

    /// Does work on one of the threads that hash, when it is its address's turn.
    ///
    /// - Throws: `IdentityError.busy` when too many wait already; what `work` throws.
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

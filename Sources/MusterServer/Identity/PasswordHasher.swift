import NIOPosix
import Synchronization

/// Hashes passwords on threads of its own, a few at a time: a storm of sign-ins neither blocks the threads that serve
/// positions nor takes more memory than `threads` hashes need.
package final class PasswordHasher: Sendable {
    private let threads: NIOThreadPool
    private let waiting = Mutex(0)
    private let waitingLimit: Int
    private let cost: PasswordHash.Cost
    /// Hashed against where there is no password, so that the answer takes as long.
    private let decoy: PasswordHash

    /// As many may wait as are done in some three seconds; more are turned away.
    package static let waitingLimit = 64

    /// A hasher of the standard cost: 32 MiB for each thread.
    package convenience init(threads: Int = 2) throws {
        try self.init(threads: threads, waitingLimit: Self.waitingLimit, cost: .standard)
    }

    init(threads: Int, waitingLimit: Int, cost: PasswordHash.Cost) throws {
        self.waitingLimit = waitingLimit
        self.cost = cost
        decoy = try PasswordHash(of: "", salt: Array(repeating: 0, count: PasswordHash.saltBytes), cost: cost)
        self.threads = NIOThreadPool(numberOfThreads: threads)
        self.threads.start()
    }

    deinit {
        threads.shutdownGracefully { _ in }
    }

    /// The text form of a password's hash, with a fresh salt.
    ///
    /// - Throws: `IdentityFault.busy` when too many wait already.
    func hash(_ password: String) async throws -> String {
        let salt = SecretToken.randomBytes(PasswordHash.saltBytes)
        let cost = cost
        return try await run { try PasswordHash(of: password, salt: salt, cost: cost).text }
    }

    /// Whether a password is the one that was hashed.
    ///
    /// - Parameter text: the stored text form; nil where there is none, which takes as long and answers false.
    /// - Throws: `IdentityFault.busy` when too many wait already.
    func verify(_ password: String, against text: String?) async throws -> Bool {
        let stored = text.flatMap { PasswordHash(text: $0) }
        let hash = stored ?? decoy
        return try await run { try hash.matches(password) } && stored != nil
    }

    private func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        let isAdmitted = waiting.withLock { count in
            guard count < waitingLimit else { return false }
            count += 1
            return true
        }
        guard isAdmitted else { throw IdentityFault.busy }
        defer { waiting.withLock { $0 -= 1 } }
        return try await threads.runIfActive(work)
    }
}

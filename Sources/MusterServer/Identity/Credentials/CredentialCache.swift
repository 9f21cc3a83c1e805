import MusterCore
import Synchronization

/// Credentials verified in the last minutes, so that not every request costs a hash, a signature or a read.
///
/// Entries are keyed by digest, never by the secret, and bounded in number and time. Code that changes a credential
/// calls `forget` after the commit. An entry whose verification began before that is not stored.
package final class CredentialCache: Sendable {
    /// A verified credential: the user, and for a device token the device, that it stands for.
    package struct Entry: Sendable {
        let user: UserNumber
        let device: DeviceNumber?
        let proof: Principal.Proof
        /// The user who made a device token; nil for any other credential, and where the token does not record it.
        var maker: UserNumber?
        /// The value of `StoreCoordinator.endedRights` before the verification.
        var endedRights = 0
        /// Whether a device's certificate also opens what its user may read.
        var readsAsUser = false
        /// The time at which the credential itself expires; nil where it does not.
        let expiresAt: Instant?
        /// For an AWS key, the key that verifies its signatures, so that it need not be derived each time.
        var signing: VerifyingKey?
    }

    private struct State {
        var entries: [TokenDigest: (entry: Entry, keptUntil: Instant)] = [:]
        var generation: UInt64 = 0
    }

    private let state = Mutex(State())
    private let listeners = Mutex<[@Sendable () -> Void]>([])
    private let capacity: Int
    private let lifetimeSeconds: Double

    init(capacity: Int, lifetimeSeconds: Double) {
        self.capacity = capacity
        self.lifetimeSeconds = lifetimeSeconds
    }

    /// Returns the entry of a credential; nil when it was not verified lately.
    func entry(for digest: TokenDigest, at now: Instant) -> Entry? {
        state.withLock { state in
            guard let (entry, keptUntil) = state.entries[digest], now < keptUntil else { return nil }
            return entry
        }
    }

    /// The generation to read before a verification begins, and to pass to `storeEntry`.
    var generation: UInt64 { state.withLock { $0.generation } }

    /// Stores the result of a verification, unless `forget` ran since the verification began.
    func storeEntry(_ entry: Entry, for digest: TokenDigest, verifiedIn generation: UInt64, at now: Instant) {
        let lifetimeEnd = now.advanced(bySeconds: lifetimeSeconds)
        let keptUntil = entry.expiresAt.map { min($0, lifetimeEnd) } ?? lifetimeEnd
        state.withLock { state in
            guard state.generation == generation else { return }
            if state.entries.count >= capacity { makeRoom(in: &state, at: now) }
            state.entries[digest] = (entry, keptUntil)
        }
    }

    /// Removes entries, and prevents the storing of any verification now in progress.
    func forget(where isForgotten: (Entry) -> Bool) {
        state.withLock { state in
            state.generation += 1
            state.entries = state.entries.filter { !isForgotten($0.value.entry) }
        }
        for listener in listeners.withLock({ $0 }) { listener() }
    }

    /// Adds a function that is called after each `forget`, from any thread; it must not block.
    func whenForgotten(_ body: @escaping @Sendable () -> Void) { listeners.withLock { $0.append(body) } }

    var count: Int { state.withLock { $0.entries.count } }

    /// Drops expired entries. When that is not enough, drops an arbitrary eighth: they only cost a verification each.
    /// The dropped entries are all of the user with the most entries, if that user has so many. One AWS key verifies
    /// signatures in any number of scopes, and so could push out the entries of all other users.
    private func makeRoom(in state: inout State, at now: Instant) {
        state.entries = state.entries.filter { now < $0.value.keptUntil }
        guard state.entries.count >= capacity else { return }
        let eighth = max(1, capacity / 8)
        var counts: [UserNumber: Int] = [:]
        for (entry, _) in state.entries.values { counts[entry.user, default: 0] += 1 }
        let most = counts.max { $0.value < $1.value }
        let crowd = most.flatMap { $0.value > eighth ? $0.key : nil }
        let dropped = state.entries.lazy.filter { crowd == nil || $0.value.entry.user == crowd }.map(\.key)
        for digest in Array(dropped.prefix(eighth)) { state.entries[digest] = nil }
    }
}

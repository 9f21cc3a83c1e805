import MusterCore
import Synchronization

/// Credentials that were verified a moment ago, so that not every request costs a hash, a signature or a read.
///
/// Keyed by digest, never by the secret. Bounded in number and in time. Whoever changes a credential calls `forget`
/// after the commit; an entry whose verification began before that is not kept.
final class CredentialCache: Sendable {
    /// What a credential proved.
    struct Entry: Sendable {
        let user: UserNumber
        let device: DeviceNumber?
        let proof: Principal.Proof
        /// Who made a device's token; nil for any other credential, and where that was not noted.
        var maker: UserNumber?
        /// `StoreCoordinator.endedRights` before it was verified.
        var endedRights = 0
        /// When it proves nothing any more, by itself.
        let expiresAt: Instant?
        /// For an AWS key: what verifies its signatures, so that it need not be derived each time.
        var signing: VerifyingKey?
    }

    private struct State {
        var entries: [TokenDigest: (entry: Entry, keptUntil: Instant)] = [:]
        var generation: UInt64 = 0
    }

    private let state = Mutex(State())
    private let capacity: Int
    private let lifetimeSeconds: Double

    init(capacity: Int, lifetimeSeconds: Double) {
        self.capacity = capacity
        self.lifetimeSeconds = lifetimeSeconds
    }

    /// What a credential proved; nil when it was not verified lately.
    func entry(for digest: TokenDigest, at now: Instant) -> Entry? {
        state.withLock { state in
            guard let (entry, keptUntil) = state.entries[digest], now < keptUntil else { return nil }
            return entry
        }
    }

    /// To be read before a verification begins, and given to `keep`.
    var generation: UInt64 { state.withLock { $0.generation } }

    /// Keeps what a verification found, unless something was forgotten since it began.
    func keep(_ entry: Entry, for digest: TokenDigest, verifiedIn generation: UInt64, at now: Instant) {
        let lifetimeEnd = now.advanced(bySeconds: lifetimeSeconds)
        let keptUntil = entry.expiresAt.map { min($0, lifetimeEnd) } ?? lifetimeEnd
        state.withLock { state in
            guard state.generation == generation else { return }
            if state.entries.count >= capacity { makeRoom(in: &state, at: now) }
            state.entries[digest] = (entry, keptUntil)
        }
    }

    /// Forgets entries, and whatever is being verified just now.
    func forget(where isForgotten: (Entry) -> Bool) {
        state.withLock { state in
            state.generation += 1
            state.entries = state.entries.filter { !isForgotten($0.value.entry) }
        }
    }

    /// How many are kept.
    var count: Int { state.withLock { $0.entries.count } }

    /// Drops what has expired, and when that is not enough, an arbitrary eighth: they only cost a verification.
    private func makeRoom(in state: inout State, at now: Instant) {
        state.entries = state.entries.filter { now < $0.value.keptUntil }
        guard state.entries.count >= capacity else { return }
        for digest in state.entries.keys.prefix(max(1, capacity / 8)) { state.entries[digest] = nil }
    }
}

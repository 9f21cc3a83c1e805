import MusterCore
import MusterStore
import Synchronization

/// Sessions as they are while the disk takes no writes: begun, refreshed or ended, and not stored. They stand before
/// what is stored, are bounded in number, and live for an hour; when the disk takes writes again they are stored.
final class UnstoredSessions: Sendable {
    /// What became of a session.
    enum Entry: Hashable, Sendable {
        case open(Credential)
        case ended(Instant)

        func isOver(at now: Instant) -> Bool {
            switch self {
            case .open(let credential): !credential.isGood(at: now)
            // Longer than any access token of it lives.
            case .ended(let moment): now.seconds(since: moment) > Identity.sessionSeconds
            }
        }
    }

    /// How many sessions are kept at most.
    static let capacity = 20_000
    /// How many of them may be one user's. A further sign-in takes the place of that user's oldest session, so that
    /// nobody's sign-ins leave no room for those of others.
    static let capacityOfUser = 32
    /// How long one that cannot be stored lasts without being refreshed, in seconds.
    static let lifetimeSeconds: Double = 3600

    private struct State {
        var entries: [[UInt8]: Entry] = [:]
        /// The keys of each user's sessions, the oldest first; some of them may have been forgotten since.
        var keysOfUsers: [UserNumber: [[UInt8]]] = [:]

        /// Removes a user's oldest sessions so that one more may be held.
        mutating func makeRoom(for user: UserNumber) {
            guard let keys = keysOfUsers[user], keys.count >= UnstoredSessions.capacityOfUser else { return }
            var held = keys.filter { entries[$0] != nil }
            while held.count >= UnstoredSessions.capacityOfUser { entries[held.removeFirst()] = nil }
            keysOfUsers[user] = held
        }
    }

    private let state = Mutex(State())

    /// Whether there are none: mostly so.
    var isEmpty: Bool { state.withLock { $0.entries.isEmpty } }

    /// Whether a session is held here.
    func holds(_ key: [UInt8]) -> Bool { state.withLock { $0.entries[key] != nil } }

    /// A session as it is now.
    ///
    /// - Parameter stored: the session as it is stored.
    func session(_ key: [UInt8], stored: Credential?) -> Credential? {
        switch state.withLock({ $0.entries[key] }) {
        case .open(let credential): credential
        case .ended: nil
        case nil: stored
        }
    }

    /// Begins a session, or ends one.
    ///
    /// - Returns: false when as many are kept as may be.
    func put(_ key: [UInt8], _ entry: Entry, at now: Instant) -> Bool {
        state.withLock { state in
            if state.entries[key] == nil {
                let user: UserNumber? = if case .open(let credential) = entry { credential.user } else { nil }
                if let user { state.makeRoom(for: user) }
                if state.entries.count >= Self.capacity {
                    state.entries = state.entries.filter { !$0.value.isOver(at: now) }
                }
                guard state.entries.count < Self.capacity else { return false }
                if let user { state.keysOfUsers[user, default: []].append(key) }
            }
            state.entries[key] = entry
            return true
        }
    }

    /// Puts the next state of a session in the place of what it is, in one step.
    ///
    /// - Parameters:
    ///   - stored: the session as it is stored.
    ///   - next: given the session as it is, answers what becomes of it.
    /// - Returns: false when there is no such session, or no room for one more.
    func replace(_ key: [UInt8], stored: Credential?, at now: Instant, by next: (Credential) -> Entry) -> Bool {
        state.withLock { state in
            let current: Credential? =
                switch state.entries[key] {
                case .open(let credential): credential
                case .ended: nil
                case nil: stored
                }
            guard let current, state.entries[key] != nil || state.entries.count < Self.capacity else { return false }
            state.entries[key] = next(current)
            return true
        }
    }

    /// Everything that is to be stored.
    var all: [[UInt8]: Entry] { state.withLock { $0.entries } }

    /// Forgets sessions that are stored now, where they are still as they were stored.
    func forget(_ stored: [[UInt8]: Entry]) {
        state.withLock { state in
            for (key, entry) in stored where state.entries[key] == entry { state.entries[key] = nil }
            if state.entries.isEmpty { state.keysOfUsers = [:] }
        }
    }
}

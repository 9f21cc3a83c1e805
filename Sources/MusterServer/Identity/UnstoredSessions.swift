import MusterCore
import MusterStore
import Synchronization

/// Sessions as they are while the disk takes no writes: begun, refreshed or ended, and not stored. They stand before
/// what is stored, are bounded in number, of each user and in total, and live for an hour; when the disk takes writes
/// again they are stored.
final class UnstoredSessions: Sendable {
    /// What became of a session.
    struct Entry: Hashable, Sendable {
        /// Whose it is.
        let user: UserNumber
        /// The session as it is now; nil when it has ended.
        var session: Credential?
        /// Whether the store has the session as it was before. One that it does not have leaves nothing when it ends.
        let isStored: Bool
    }

    /// What became of an attempt to refresh a session.
    enum Refreshed: Hashable, Sendable {
        /// It goes on.
        case open
        /// There is no such session, or it has ended now.
        case over
        /// No more sessions can be held, of this user or in total: nothing was changed.
        case full
    }

    private struct State {
        private(set) var entries: [[UInt8]: Entry] = [:]
        private var counts: [UserNumber: Int] = [:]

        subscript(key: [UInt8]) -> Entry? {
            get { entries[key] }
            set {
                if let former = entries[key] {
                    counts[former.user, default: 0] -= 1
                    if counts[former.user] == 0 { counts[former.user] = nil }
                }
                if let newValue { counts[newValue.user, default: 0] += 1 }
                entries[key] = newValue
            }
        }

        func mayHoldOneMore(of user: UserNumber) -> Bool {
            entries.count < UnstoredSessions.capacity && counts[user, default: 0] < UnstoredSessions.shareOfUser
        }

        /// Forgets the oldest session of a user that was begun here, if that user has as many as may be.
        mutating func makeRoom(for user: UserNumber) {
            guard counts[user, default: 0] >= UnstoredSessions.shareOfUser else { return }
            let begun = entries.filter { $0.value.user == user && !$0.value.isStored }
            func age(_ entry: Entry) -> Int64 { entry.session?.createdAt.milliseconds ?? 0 }
            let oldest = begun.min { age($0.value) < age($1.value) }
            if let oldest { self[oldest.key] = nil }
        }

        mutating func dropExpired(at now: Instant) {
            for (key, entry) in entries where !entry.isStored && entry.session?.isGood(at: now) != true {
                self[key] = nil
            }
        }
    }

    /// How many sessions are held at most.
    static let capacity = 20_000
    /// How many of one user: nobody keeps others from signing in.
    static let shareOfUser = 100
    /// How long one that cannot be stored lasts without being refreshed, in seconds.
    static let lifetimeSeconds: Double = 3600

    private let state = Mutex(State())

    /// Whether there are none: mostly so.
    var isEmpty: Bool { state.withLock { $0.entries.isEmpty } }

    /// Everything that is to be stored.
    var all: [[UInt8]: Entry] { state.withLock { $0.entries } }

    /// Whether a session is held here.
    func holds(_ key: [UInt8]) -> Bool { state.withLock { $0[key] != nil } }

    /// A session as it is now; nil when there is none, or it has ended.
    ///
    /// - Parameter stored: the session as it is stored.
    func session(_ key: [UInt8], stored: Credential?) -> Credential? {
        guard let entry = state.withLock({ $0[key] }) else { return stored }
        return entry.session
    }

    /// Begins a session. Of a user who has as many as may be, the oldest that was begun here ends.
    ///
    /// - Returns: false when no more can be held.
    func begin(_ session: Credential, of user: UserNumber, at now: Instant) -> Bool {
        state.withLock { state in
            state.makeRoom(for: user)
            if !state.mayHoldOneMore(of: user) { state.dropExpired(at: now) }
            guard state.mayHoldOneMore(of: user) else { return false }
            state[session.key] = Entry(user: user, session: session, isStored: false)
            return true
        }
    }

    /// Puts the next state of a session in the place of what it is, in one step.
    ///
    /// - Parameters:
    ///   - stored: the session as it is stored.
    ///   - next: given the session as it is, answers what follows it; nil ends it.
    func refresh(_ key: [UInt8], stored: Credential?, by next: (Credential) -> Credential?) -> Refreshed {
        state.withLock { state in
            let entry = state[key]
            guard let current = entry.map({ $0.session }) ?? stored, let user = current.user else { return .over }
            guard entry != nil || state.mayHoldOneMore(of: user) else { return .full }
            let session = next(current)
            state[key] = Entry(user: user, session: session, isStored: entry?.isStored ?? true)
            return session == nil ? .over : .open
        }
    }

    /// Forgets sessions that are stored now, where they are still as they were stored.
    func forget(_ stored: [[UInt8]: Entry]) {
        state.withLock { state in
            for (key, entry) in stored where state[key] == entry { state[key] = nil }
        }
    }
}

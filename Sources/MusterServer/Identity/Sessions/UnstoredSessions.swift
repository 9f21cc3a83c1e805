import MusterCore
import MusterStore
import Synchronization

/// The state of sessions that were opened, refreshed or ended while the disk refuses writes. They override stored
/// sessions, are bounded in number for each user and in total, and live for an hour. They are stored once the disk
/// accepts writes again.
final class UnstoredSessions: Sendable {
    /// The unstored state of a session.
    struct Entry: Hashable, Sendable {
        /// The session's user.
        let user: UserNumber
        /// The current session; nil when it has ended.
        var session: Credential?
        /// Whether the store holds an earlier state of the session. Where it does not, nothing remains when the session
        /// ends.
        let isStored: Bool
    }

    /// The outcome of an attempt to refresh a session.
    enum Refreshed: Hashable, Sendable {
        /// The session continues.
        case open
        /// The session does not exist, or has ended now.
        case over
        /// The limit of held sessions, of this user or in total, is reached; nothing was changed.
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

        /// Drops the oldest unstored session that a user opened, if that user has reached the limit.
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

    /// The largest number of held sessions.
    static let capacity = 20_000
    /// The largest number for one user, so that nobody keeps others from signing in.
    static let shareOfUser = 100
    /// How long a held session lasts without being refreshed, in seconds.
    static let lifetimeSeconds: Double = 3600

    private let state = Mutex(State())

    /// Whether no sessions are held, as is usual.
    var isEmpty: Bool { state.withLock { $0.entries.isEmpty } }

    /// All held sessions, to be stored.
    var all: [[UInt8]: Entry] { state.withLock { $0.entries } }

    /// Whether a session is held here.
    func holds(_ key: [UInt8]) -> Bool { state.withLock { $0[key] != nil } }

    /// Returns the current session; nil when it does not exist or has ended.
    ///
    /// - Parameter stored: the session in the store.
    func session(_ key: [UInt8], stored: Credential?) -> Credential? {
        guard let entry = state.withLock({ $0[key] }) else { return stored }
        return entry.session
    }

    /// Opens a session. Where the user has reached the limit, the oldest one opened here ends.
    ///
    /// - Returns: false when no more sessions can be held.
    func begin(_ session: Credential, of user: UserNumber, at now: Instant) -> Bool {
        state.withLock { state in
            state.makeRoom(for: user)
            if !state.mayHoldOneMore(of: user) { state.dropExpired(at: now) }
            guard state.mayHoldOneMore(of: user) else { return false }
            state[session.key] = Entry(user: user, session: session, isStored: false)
            return true
        }
    }

    /// Replaces a session's state by the next, in one step.
    ///
    /// - Parameters:
    ///   - stored: the session in the store.
    ///   - next: receives the current session and returns its next state; nil ends it.
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

    /// Drops held sessions that have been stored, unless they have changed since.
    func forget(_ stored: [[UInt8]: Entry]) {
        state.withLock { state in
            for (key, entry) in stored where state[key] == entry { state[key] = nil }
        }
    }
}

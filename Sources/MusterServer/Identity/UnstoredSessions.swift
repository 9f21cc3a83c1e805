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
    /// How long one that cannot be stored lasts without being refreshed, in seconds.
    static let lifetimeSeconds: Double = 3600

    private let entries = Mutex<[[UInt8]: Entry]>([:])

    /// Whether there are none: mostly so.
    var isEmpty: Bool { entries.withLock { $0.isEmpty } }

    /// Whether a session is held here.
    func holds(_ key: [UInt8]) -> Bool { entries.withLock { $0[key] != nil } }

    /// A session as it is now.
    ///
    /// - Parameter stored: the session as it is stored.
    func session(_ key: [UInt8], stored: Credential?) -> Credential? {
        switch entries.withLock({ $0[key] }) {
        case .open(let credential): credential
        case .ended: nil
        case nil: stored
        }
    }

    /// Begins a session, or ends one.
    ///
    /// - Returns: false when as many are kept as may be.
    func put(_ key: [UInt8], _ entry: Entry, at now: Instant) -> Bool {
        entries.withLock { entries in
            if entries[key] == nil, entries.count >= Self.capacity {
                entries = entries.filter { !$0.value.isOver(at: now) }
                guard entries.count < Self.capacity else { return false }
            }
            entries[key] = entry
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
        entries.withLock { entries in
            let current: Credential? =
                switch entries[key] {
                case .open(let credential): credential
                case .ended: nil
                case nil: stored
                }
            guard let current, entries[key] != nil || entries.count < Self.capacity else { return false }
            entries[key] = next(current)
            return true
        }
    }

    /// Everything that is to be stored.
    var all: [[UInt8]: Entry] { entries.withLock { $0 } }

    /// Forgets sessions that are stored now, where they are still as they were stored.
    func forget(_ stored: [[UInt8]: Entry]) {
        entries.withLock { entries in
            for (key, entry) in stored where entries[key] == entry { entries[key] = nil }
        }
    }
}

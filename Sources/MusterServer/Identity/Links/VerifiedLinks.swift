import MusterCore
import Synchronization

/// Links whose tokens were shown lately, so that a viewer who asks every few seconds costs no read of the store.
///
/// Entries are keyed by digest and bounded in number. An entry counts only while no right has ended since it was
/// verified (`StoreCoordinator.endedRights`). A link that has ended stays here as ended, so that a page that is still
/// open is refused without counting as a guess.
final class VerifiedLinks: Sendable {
    struct Entry {
        let link: Link
        /// The value of `StoreCoordinator.endedRights` before the verification.
        let endedRights: Int
        var isOver = false
    }

    private let entries = Mutex<[TokenDigest: Entry]>([:])
    private let capacity: Int

    init(capacity: Int = 20_000) { self.capacity = capacity }

    /// The entry of a token; nil when it was not verified lately.
    func entry(for digest: TokenDigest) -> Entry? { entries.withLock { $0[digest] } }

    func store(_ link: Link, for digest: TokenDigest, endedRights: Int) {
        entries.withLock { entries in
            if entries.count >= capacity, entries[digest] == nil {
                // A dropped entry costs one read when its token comes again.
                for dropped in Array(entries.keys.prefix(max(1, capacity / 8))) { entries[dropped] = nil }
            }
            entries[digest] = Entry(link: link, endedRights: endedRights)
        }
    }

    /// Records that a link is over, for good.
    func storeEnd(of digest: TokenDigest) { entries.withLock { $0[digest]?.isOver = true } }
}

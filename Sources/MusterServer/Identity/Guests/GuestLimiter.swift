package import MusterCore
import MusterHTTP
import Synchronization

/// The rate limiter of guests. Anyone may call the operations of guests, so it counts by the address that a call comes
/// from, as `AttemptLimiter` does. It also limits the updates of all guests together, because each adds a change to the
/// log.
package final class GuestLimiter: Sendable {
    /// The kind of a request of a guest, or of somebody who becomes one.
    package enum Act: Sendable {
        /// A new identity.
        case identity
        /// Credentials, or a token, of an identity.
        case credentials
        /// An update of a dataset, whose keys and values have this many bytes.
        case update(bytes: Int)
    }

    private struct Buckets {
        var identities: TokenBuckets
        var credentials: TokenBuckets
        var updates: TokenBuckets
        var allUpdates: TokenBuckets
    }

    private let buckets: Mutex<Buckets>

    /// An address may have 60 identities at once and 10 more a minute, credentials 120 times at once and once a second,
    /// and 120 updates at once and 2 a second. All guests together may have 400 updates at once and 40 a second. An
    /// update counts once more for each 16 KiB.
    package init(capacity: Int = 10_000) {
        buckets = Mutex(
            Buckets(
                identities: TokenBuckets(.init(tries: 60, perSecond: 1.0 / 6), capacity: capacity),
                credentials: TokenBuckets(.init(tries: 120, perSecond: 1), capacity: capacity),
                updates: TokenBuckets(.init(tries: 120, perSecond: 2), capacity: capacity),
                allUpdates: TokenBuckets(.init(tries: 400, perSecond: 40), capacity: 1)))
    }

    /// Counts an act.
    ///
    /// - Returns: the number of seconds to wait where there were too many, and then it is not counted; nil otherwise.
    package func spend(_ act: Act, from address: String, at now: Instant) -> Int? {
        let address = AddressPrefix.of(address)
        let wait = buckets.withLock { buckets in
            switch act {
            case .identity: return buckets.identities.spendOne(for: address, at: now)
            case .credentials: return buckets.credentials.spendOne(for: address, at: now)
            case .update(let bytes):
                let wait = buckets.allUpdates.secondsUntilOne(for: "", at: now)
                guard wait == 0 else { return wait }
                let own = buckets.updates.spendOne(for: address, at: now)
                if own > 0 { return own }
                let more = Double(bytes / 16_384)
                buckets.updates.add(-more, for: address, at: now)
                buckets.allUpdates.add(-1 - more, for: "", at: now)
                return 0
            }
        }
        return wait > 0 ? Int(wait.rounded(.up)) : nil
    }
}

/// The identity of a guest: an installation of an app whose person has no account, or has not signed in. As with Amazon
/// Cognito, everyone who knows the identity can use its datasets.
///
/// Of the 128 bits, 64 are random; the others hold the pool, and a 32-bit mark by which the server recognizes the
/// identities that it issued. So the server need not store a guest who has stored nothing, and nobody can guess an
/// identity.
public struct GuestID: Hashable, Sendable {
    /// The random bits.
    public let high: UInt64
    /// The team of the identity's pool in the upper half, and the server's mark in the lower.
    public let low: UInt64

    /// Creates an identity from its bits.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Creates an identity from its parts.
    ///
    /// - Parameter pool: the team; nil for the pool of users without a team.
    public init(random: UInt64, pool: TeamNumber?, mark: UInt32) {
        self.init(
            high: random, low: UInt64(UInt32(bitPattern: pool?.rawValue ?? 0)) << 32 | UInt64(mark))
    }

    /// The team of the identity's pool; nil for the pool of users without a team.
    public var pool: TeamNumber? {
        let number = Int32(truncatingIfNeeded: low >> 32)
        return number == 0 ? nil : TeamNumber(number)
    }

    /// The bits by which the server recognizes that it issued the identity.
    public var mark: UInt32 { UInt32(truncatingIfNeeded: low) }
}

/// The limits of guests' datasets, beside `DatasetLimits`.
public enum GuestLimits {
    /// The largest size of one guest's datasets together, in bytes as `weight(of:)` counts them.
    public static let bytes = 524_288
    /// The length of the name of a guest's dataset. It leaves room for a dot and the guest's identity, which a merge
    /// appends.
    public static let nameLength = 72
    /// The largest number of guests that a pool stores.
    public static let guestsOfPool = 20_000
    /// The largest size of the datasets of all guests of a pool, in bytes as `weight(of:)` counts them.
    public static let bytesOfPool: Int64 = 268_435_456
    /// How long the server keeps the datasets of a guest who does not come back, in seconds: 90 days.
    public static let idleSeconds: Double = 90 * 86_400
    /// The number of datasets of a user, their own and merged ones, above which the server merges no further guest's.
    public static let mergedDatasets = 2 * DatasetLimits.datasets
    /// The largest number of deliveries that may wait for a pool's stream while its guests update. The server refuses
    /// guests' updates beyond it (backpressure), because those of an unreachable stream would fill the disk.
    public static let waitingForStream = 1_000
    /// The size of a record on disk beside its key and value, in bytes: names, times and entries of indexes.
    public static let recordBytes = 256

    /// Returns the size of a dataset in bytes: its keys and values, and `recordBytes` for each record, for each
    /// tombstone and for the dataset itself.
    public static func weight(of dataset: Dataset) -> Int {
        dataset.bytes + recordBytes * (1 + dataset.recordCount + dataset.removedCount)
    }
}

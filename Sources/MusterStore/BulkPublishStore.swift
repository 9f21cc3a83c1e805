package import MusterCore

/// The last bulk publish of an identity pool, which sends all datasets of the pool to the pool's stream.
package struct BulkPublish: Hashable, Sendable {
    /// How far the bulk publish has come.
    package enum State: Int, Hashable, Sendable {
        case underWay, failed, succeeded
    }

    /// The team whose pool it is; nil for the pool of users without a team.
    package var pool: TeamNumber?
    /// The name of the stream's target.
    package var stream: String
    package var state: State
    package var startedAt: Instant
    /// When it failed or succeeded; nil while it is under way.
    package var endedAt: Instant?
    /// Why it failed.
    package var failure: String?
    /// The owner of the dataset that was sent last: users in the order of their numbers, and then guests.
    package var owner: UserNumber
    /// The name of the dataset that was sent last.
    package var dataset: String

    /// Creates the state of a bulk publish that begins.
    package init(of pool: TeamNumber?, to stream: String, at moment: Instant) {
        self.pool = pool
        self.stream = stream
        state = .underWay
        startedAt = moment
        owner = UserNumber(0)
        dataset = ""
    }
}

/// The bulk publishes of identity pools.
package protocol BulkPublishStore {
    /// Returns the last bulk publish of a pool; nil if there was none.
    func bulkPublish(ofPool team: TeamNumber?) throws -> BulkPublish?
    /// Returns the bulk publishes that are under way.
    func bulkPublishesUnderWay() throws -> [BulkPublish]
}

/// The operations of a transaction on bulk publishes.
package protocol BulkPublishTransaction {
    /// Returns the last bulk publish of a pool, as this transaction sees it.
    func lastBulkPublish(ofPool team: TeamNumber?) throws -> BulkPublish?
    /// Stores the last bulk publish of its pool.
    func put(_ publish: BulkPublish) throws
    /// Returns guests of a pool in the order of their numbers, from -1 downwards, at most `limit`.
    ///
    /// - Parameter number: the guest to begin with; the next one if that guest no longer exists.
    func guests(ofPool team: TeamNumber?, from number: UserNumber, limit: Int) throws -> [Guest]
}

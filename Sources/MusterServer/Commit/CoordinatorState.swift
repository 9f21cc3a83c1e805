package import MusterCore
package import MusterStore
import Synchronization

/// What the writer's thread shares with everyone else.
final class CoordinatorState: Sendable {
    let directory: Mutex<Directory>
    let statistics = Mutex(CommitStatistics())
    /// How often edits have ended somebody's right to what they made.
    let endedRights = Mutex(0)
    /// The index that is being rebuilt on a thread of its own, and waits for the writer when it is done.
    let rebuilding = Mutex(Rebuilding.none)
    /// Whether the disk takes what is to be stored.
    let storage: StorageHealth
    let quotas: Quotas
    let announce: @Sendable (LogSequence) -> Void

    init(
        directory: Directory, storage: StorageHealth, quotas: Quotas = Quotas(),
        announce: @escaping @Sendable (LogSequence) -> Void
    ) {
        self.directory = Mutex(directory)
        self.storage = storage
        self.quotas = quotas
        self.announce = announce
    }
}

/// How far the rebuilding of an index is.
enum Rebuilding: Sendable {
    case none, underWay
    case done(BuiltCollection)
}

/// What the coordinator has done since it was opened.
package struct CommitStatistics: Equatable, Sendable {
    /// Transactions that held observations and are on disk.
    package var commits = 0
    /// Transactions that the store refused.
    package var failedCommits = 0
    /// How long they took.
    package var commitSeconds = DurationHistogram()
    /// Requests answered with a receipt.
    package var requests = 0
    /// Observations that moved a state.
    package var accepted = 0
    /// Observations kept as history.
    package var late = 0
    /// Observations that were stored already.
    package var repeated = 0
    /// Observations that a tracker's filter left out.
    package var filtered = 0
    /// Observations that wait at this moment.
    package var waitingObservations = 0

    mutating func count(_ receipts: [Receipt], seconds: Double) {
        commits += 1
        commitSeconds.count(seconds)
        requests += receipts.count
        for receipt in receipts {
            accepted += receipt.tally.accepted
            late += receipt.tally.late
            repeated += receipt.tally.repeated
            filtered += receipt.tally.filtered
        }
    }
}

/// What became of a request's observations.
package struct Receipt: Equatable, Sendable {
    /// How many were taken, and how.
    package var tally = Tally()
    /// The log's number after the commit that holds them.
    package var sequence = LogSequence.zero
    /// What became of each edit of a document.
    package var outcomes: [EditOutcome] = []
    /// Why nothing of the request was stored; nil where it was.
    var refusal: QuotaError?
}

/// Why the coordinator did not take something. All but `gone`, and quotas that time does not refill, pass: the sender
/// should try again.
package enum CoordinatorError: Error, Equatable, Sendable {
    /// As much is waiting as may wait.
    case full
    /// The disk is full or takes no writes; nothing of it was stored.
    case unwritable(reason: String)
    /// The database refused; nothing of it was stored.
    case unavailable(reason: String)
    /// The server is shutting down.
    case closed
    /// The database or user that documents were for was removed meanwhile.
    case gone
    /// It would take more than a quota allows; nothing of it was stored.
    case overQuota(QuotaError)

    init(_ error: any Error) {
        if case .unwritable(let reason) = error as? StoreError {
            self = .unwritable(reason: reason)
        } else {
            self = error as? CoordinatorError ?? .unavailable(reason: String(describing: error))
        }
    }
}

extension CoordinatorError: CustomStringConvertible {
    /// What happened, in a sentence, for the person who runs the server.
    package var description: String {
        switch self {
        case .full: "as much is waiting as may wait"
        case .unwritable(let reason): StoreError.unwritable(reason: reason).description
        case .unavailable(let reason): reason
        case .closed: "the server is shutting down"
        case .gone: "the database or user was removed meanwhile"
        case .overQuota(let fault): fault.words
        }
    }
}

/// What an edit will do once it is committed.
package struct Draft {
    /// Carried out in order.
    package var edits: [Edit] = []
    /// Removed after the edits and before `credentials` are stored.
    package var removedCredentials: [(kind: Credential.Kind, key: [UInt8])] = []
    /// Stored last.
    package var credentials: [Credential] = []
    /// What is done that neither edits nor credentials tell of; told behind them.
    package var actions: [Action] = []
    /// Who does it; nil for the server itself.
    package var author: Author?
    /// The transaction it runs in, for fresh numbers and for reading credentials.
    package let transaction: any StoreTransaction

    /// Notes that the draft does something that neither edits nor credentials tell of.
    mutating func note(_ kind: Action.Kind, label: String) {
        if let author { actions.append(Action(kind, by: author.user, label: label)) }
    }

    /// What was stored before it, for lists of credentials.
    package let store: any Store

    init(transaction: any StoreTransaction, store: any Store, author: Author?) {
        self.transaction = transaction
        self.store = store
        self.author = author
    }
}

extension Directory {
    init(_ stored: StoredDirectory, regions: [Region]) {
        self.init()
        reserve(users: stored.users.count, devices: stored.devices.count)
        for team in stored.teams { apply(.putTeam(team)) }
        for user in stored.users { apply(.putUser(user)) }
        for device in stored.devices { apply(.putDevice(device)) }
        for collection in stored.collections { apply(.putCollection(collection)) }
        for tracker in stored.trackers { apply(.putTracker(tracker)) }
        for region in regions { apply(.putRegion(region)) }
        for target in stored.targets { apply(.putTarget(target)) }
        for database in stored.databases { apply(.putDatabase(database)) }
        for rule in stored.rules { apply(.putRule(rule)) }
    }
}

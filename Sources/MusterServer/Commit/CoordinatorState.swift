package import MusterCore
package import MusterHTTP
package import MusterStore
import Synchronization

/// The state that the writer's thread shares with other threads.
final class CoordinatorState: Sendable {
    let directory: Mutex<Directory>
    /// The newest change whose edits `directory` has.
    let adopted = Mutex(MusterCore.LogSequence.zero)
    let statistics = Mutex(CommitStatistics())
    /// How many edits have ended a user's right to tokens that the user made, or a link.
    let endedRights = Mutex(0)
    /// The state of an index that another thread rebuilds and the writer then adopts.
    let rebuilding = Mutex(Rebuilding.none)
    /// Returns the address where the records of a large update are read.
    let addressesOfRecords = Mutex<@Sendable (StreamReference) -> String?>({ _ in nil })
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

/// The progress of rebuilding an index.
enum Rebuilding: Sendable {
    case none, underWay
    case done(BuiltCollection)
}

/// Counts of the coordinator's work since it was opened.
package struct CommitStatistics: Equatable, Sendable {
    /// Transactions that brought observations or documents and are on disk.
    package var commits = 0
    /// Transactions that the store refused.
    package var failedCommits = 0
    /// How long the successful transactions took.
    package var commitSeconds = DurationHistogram()
    /// Requests answered with a receipt.
    package var requests = 0
    /// Observations that changed a device's state.
    package var accepted = 0
    /// Observations that came late and are kept only as history.
    package var late = 0
    /// Observations that were stored already.
    package var repeated = 0
    /// Observations that a tracker's filter left out.
    package var filtered = 0
    /// Observations that wait in the queue now.
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

/// The outcome of one request.
package struct Receipt: Equatable, Sendable {
    /// The number of observations accepted, late, repeated and filtered.
    package var tally = Tally()
    /// The sequence number of the log after the commit that holds the request.
    package var sequence = LogSequence.zero
    /// The outcome of each document edit, in order.
    package var outcomes: [EditOutcome] = []
    /// Why nothing of the request was stored; nil where it was.
    package var refusal: QuotaError?
    /// The outcome of an update of a dataset; nil for other requests.
    package var dataset: Result<DatasetDecision, DatasetError>?
    /// Why a guest was not merged into a user; nil where it was, and for other requests.
    package var mergeFault: DatasetError?
}

/// Why the coordinator refused a request. The sender should try again later, except after `gone` and after quotas that
/// time does not refill.
package enum CoordinatorError: Error, Equatable, Sendable {
    /// The queue has reached its limit.
    case full
    /// The disk is full or accepts no writes; nothing of the request was stored.
    case unwritable(reason: String)
    /// The database failed; nothing of the request was stored.
    case unavailable(reason: String)
    case closed
    /// The database or user that the request was for has been removed meanwhile.
    case gone
    /// The request would exceed a quota; nothing of it was stored.
    case overQuota(QuotaError)

    package init(_ error: any Error) {
        if case .unwritable(let reason) = error as? StoreError {
            self = .unwritable(reason: reason)
        } else {
            self = error as? CoordinatorError ?? .unavailable(reason: String(describing: error))
        }
    }
}

extension CoordinatorError: CustomStringConvertible {
    /// A sentence that tells the operator what happened.
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

/// The changes that an edit will store once it is committed.
package struct Draft {
    /// The edits, carried out in order.
    package var edits: [Edit] = []
    /// Credentials to remove, after the edits and before `credentials` are stored.
    package var removedCredentials: [(kind: Credential.Kind, key: [UInt8])] = []
    /// Credentials to store, last of all.
    package var credentials: [Credential] = []
    /// Actions for the audit log that neither edits nor credentials show; logged after the edits.
    package var actions: [Action] = []
    /// The author; nil for the server itself.
    package var author: Author?
    /// The transaction of the edit, for fresh numbers and for reading credentials.
    package let transaction: any StoreTransaction

    /// Adds an action to the audit log that neither edits nor credentials show.
    package mutating func addAction(_ kind: Action.Kind, label: String) {
        if let author { actions.append(Action(kind, by: author.user, label: label)) }
    }

    /// Adds a team, and its tracker, linked to the collections of a new team.
    ///
    /// - Parameters:
    ///   - name: a name that neither a team nor a tracker has.
    ///   - collections: `directory.collectionsForNewTeam`, for a caller that adds many teams; nil to look them up.
    package mutating func addTeam(
        named name: String, silenceSeconds: Double = Team.defaultSilenceSeconds,
        incidents: IncidentSettings = IncidentSettings(), linkedTo collections: [CollectionNumber]? = nil,
        in directory: Directory
    ) throws -> Team {
        let tracker = Tracker(
            number: try transaction.nextTrackerNumber(), name: name, filter: .none,
            collections: collections ?? directory.collectionsForNewTeam)
        let team = Team(
            number: try transaction.nextTeamNumber(), name: name, tracker: tracker.number,
            silenceSeconds: silenceSeconds, incidents: incidents)
        edits += [.putTracker(tracker), .putTeam(team)]
        return team
    }

    /// Adds a crew without people to a team.
    ///
    /// - Parameter name: a name, valid by `Crew.isName`, that no crew of the team has.
    package mutating func addCrew(named name: String, to team: TeamNumber) throws -> Crew {
        let crew = Crew(number: try transaction.nextCrewNumber(), team: team, name: name)
        edits.append(.putCrew(crew))
        return crew
    }

    /// The store as it was before the transaction, for listing credentials.
    package let store: any Store

    package init(transaction: any StoreTransaction, store: any Store, author: Author?) {
        self.transaction = transaction
        self.store = store
        self.author = author
    }
}

extension Directory {
    package init(_ stored: StoredDirectory, regions: [Region]) {
        self.init()
        for team in stored.teams { apply(.putTeam(team)) }
        for crew in stored.crews { apply(.putCrew(crew)) }
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

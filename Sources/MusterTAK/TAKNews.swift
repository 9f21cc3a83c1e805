import MusterCore
import MusterServer
import Synchronization

/// What has happened since a client last looked, each thing once: so a slow client costs no memory beyond that.
struct TAKNews: Sendable {
    /// Whether anything may have happened, because the log could not be followed.
    var isAll = false
    var people: Set<UserNumber> = []
    /// Those among `people` who called for help, or whose call nobody has heard.
    var calls: Set<UserNumber> = []
    /// What is known of those among `people` of whom it was found out for all clients together.
    var sights: [UserNumber: TAKPicture.Sight] = [:]
    var regions: Set<RegionNumber> = []
    var entries: Set<DirectoryEntry> = []
}

/// Of whom a client is told.
enum TAKAudience: Hashable, Sendable {
    case nobody
    case team(TeamNumber)
    case everyone

    /// The audience of a reader: all whom they may read but themselves.
    init(_ access: Access) {
        guard access.readsOthers else {
            self = .nobody
            return
        }
        self = access.readsEveryTeam ? .everyone : access.principal.team.map { .team($0) } ?? .nobody
    }
}

/// Where `TAKBroadcast` puts what concerns one client, until the client takes it.
final class TAKInbox: Sendable {
    private struct State {
        var audience = TAKAudience.nobody
        var reader: UserNumber?
        var news = TAKNews()
    }

    /// The feed that wakes the client.
    let feed: LogFeed
    private let state = Mutex(State())

    init(_ feed: LogFeed) { self.feed = feed }

    /// From now on the client is told of those whom this reader may see. Whoever was in sight before must be read
    /// after this call, and then nothing is missed.
    func setReader(_ access: Access) {
        state.withLock { state in
            state.audience = TAKAudience(access)
            state.reader = access.principal.user
        }
    }

    func takeNews() -> TAKNews {
        state.withLock { state in
            defer { state.news = TAKNews() }
            return state.news
        }
    }

    /// Adds what concerns the client.
    ///
    /// - Returns: whether anything does.
    func add(_ batch: TAKBatch) -> Bool {
        state.withLock { state in
            state.news.isAll = state.news.isAll || batch.isAll
            // What was known of a person has the names of before.
            if !batch.entries.isEmpty { state.news.sights = [:] }
            state.news.regions.formUnion(batch.regions)
            state.news.entries.formUnion(batch.entries)
            var isConcerned = batch.isAll || !batch.regions.isEmpty || !batch.entries.isEmpty
            for user in batch.people(for: state.audience) where user != state.reader {
                isConcerned = true
                state.news.people.insert(user)
                if batch.calls.contains(user) { state.news.calls.insert(user) }
                state.news.sights[user] = batch.sights[user]
            }
            return isConcerned
        }
    }

    var audience: TAKAudience { state.withLock { $0.audience } }
}

/// What some changes of the log concern, sorted for all clients together.
struct TAKBatch: Sendable {
    var isAll = false
    var regions: Set<RegionNumber> = []
    var entries: Set<DirectoryEntry> = []
    var sights: [UserNumber: TAKPicture.Sight] = [:]
    private(set) var people: Set<UserNumber> = []
    /// Those among `people` who called for help, or whose call nobody has heard: urgent although nothing else is known
    /// of them.
    private(set) var calls: Set<UserNumber> = []
    private var byTeam: [TeamNumber: [UserNumber]] = [:]

    var isEmpty: Bool { !isAll && regions.isEmpty && entries.isEmpty && people.isEmpty }

    private init() {}

    /// Sorts changes.
    init(_ events: [LiveEvent], in directory: Directory) {
        for event in events { add(event.change, in: directory) }
    }

    /// A batch after which everything must be read anew.
    static var all: TAKBatch {
        var batch = TAKBatch()
        batch.isAll = true
        return batch
    }

    private mutating func add(_ change: Change, in directory: Directory) {
        switch change {
        case .position(_, of: let device, isCurrent: true):
            if let owner = directory.devices[device]?.user { add(owner, in: directory) }
        case .safety(let safety, of: let user):
            if safety.state.isCall { calls.insert(user) }
            add(user, in: directory)
        case .reminder(_, of: let user, count: _):
            calls.insert(user)
            add(user, in: directory)
        case .pause(_, of: let user): add(user, in: directory)
        case .region(let region, in: _, removed: _): regions.insert(region)
        case .directory(.crew, removed: _), .directory(.target, removed: _), .directory(.database, removed: _): return
        case .directory(let entry, removed: _): entries.insert(entry)
        default: return
        }
    }

    private mutating func add(_ user: UserNumber, in directory: Directory) {
        guard people.insert(user).inserted else { return }
        if let team = directory.users[user]?.team { byTeam[team, default: []].append(user) }
    }

    /// The people of whom an audience is told.
    func people(for audience: TAKAudience) -> [UserNumber] {
        switch audience {
        case .nobody: []
        case .team(let team): byTeam[team] ?? []
        case .everyone: Array(people)
        }
    }
}

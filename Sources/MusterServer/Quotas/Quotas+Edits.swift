package import MusterCore
import Synchronization

/// The quotas of the directory: implicit users, collections, databases, and imports of regions.
extension Quotas {
    /// This many regions may be stored at once even when the store is full, so that people can still draw a geofence.
    static let drawnRegions = 10

    /// Checks that edits exceed no quota of the directory.
    ///
    /// - Parameter author: the author. An admin is only held to the server-wide limits, and the server itself (nil) to
    ///   none.
    /// - Throws: `QuotaError`; then none of the edits may be carried out.
    func check(_ edits: [Edit], over directory: Directory, by author: Author?) throws(QuotaError) {
        guard let author else { return }
        var made = Made()
        for edit in edits { made.count(edit, over: directory) }
        if made.isNothing { return }
        do throws(QuotaError) {
            if made.isImport || made.collections > 0 || made.databases > 0 || !made.implicitUsers.isEmpty {
                try checkStore()
            }
            try checkImplicitUsers(made, over: directory)
            try checkCollections(made, edits, over: directory, by: author)
            if made.databases > 0, directory.databases.count + made.databases > settings.databases {
                throw QuotaError(.databases, limit: Double(settings.databases))
            }
        } catch {
            // A refusal for the store's size was counted where it was made.
            if error.quota != .storeBytes { noteRefusal(error) }
            throw error
        }
    }

    /// Takes a dry run of an edit from its author's rate.
    ///
    /// - Throws: `QuotaError`; then the edit may not be tried now.
    func claimDryRun(by author: Author?, in directory: Directory) throws(QuotaError) {
        guard let author else { return }
        let now = clock()
        guard let wait = dryRuns.withLock({ $0.spendTokens(1, of: author.user, at: now) }) else { return }
        let fault = QuotaError(
            .dryRuns, of: directory.users[author.user]?.name, limit: QuotaSettings.dryRunsPerSecond,
            retryAfterSeconds: max(1, Int(wait.rounded(.up))))
        noteRefusal(fault)
        throw fault
    }

    /// How many more users AWS clients may create in a team, and the error for one more.
    package func implicitUsersLeft(of team: Team, in directory: Directory) -> (count: Int, fault: QuotaError) {
        let counts = QuotaCounts(in: directory)
        let ofTeam = settings.implicitUsersOfTeam - counts.implicitUsers[team.number, default: 0]
        let ofAll = settings.implicitUsers - counts.implicitUsers.values.reduce(0, +)
        let fault =
            ofTeam <= ofAll
            ? QuotaError(.implicitUsersOfTeam, of: team.name, limit: Double(settings.implicitUsersOfTeam))
            : QuotaError(.implicitUsers, limit: Double(settings.implicitUsers))
        return (max(0, min(ofTeam, ofAll)), fault)
    }

    private func checkImplicitUsers(_ made: Made, over directory: Directory) throws(QuotaError) {
        for (number, count) in made.implicitUsers {
            guard let team = directory.teams[number] else { continue }
            let left = implicitUsersLeft(of: team, in: directory)
            if count > left.count { throw left.fault }
        }
    }

    private func checkCollections(
        _ made: Made, _ edits: [Edit], over directory: Directory, by author: Author
    ) throws(QuotaError) {
        guard made.collections > 0 else { return }
        guard directory.collections.count + made.collections <= settings.collections else {
            throw QuotaError(.collections, limit: Double(settings.collections))
        }
        guard let user = directory.users[author.user], user.role != .admin,
            let team = user.team.flatMap({ directory.teams[$0] }), let tracker = directory.trackers[team.tracker]
        else { return }
        let own = directory.collections(ofAlone: tracker)
        guard own + made.collections <= settings.collectionsOfTeam else {
            throw QuotaError(.collectionsOfTeam, of: team.name, limit: Double(settings.collectionsOfTeam))
        }
    }

    /// The directory entries that edits add.
    private struct Made {
        var implicitUsers: [TeamNumber: Int] = [:]
        var collections = 0
        var databases = 0
        var regions = 0

        var isImport: Bool { regions > Quotas.drawnRegions }
        var isNothing: Bool { implicitUsers.isEmpty && collections == 0 && databases == 0 && !isImport }

        mutating func count(_ edit: Edit, over directory: Directory) {
            switch edit {
            case .putUser(let user) where user.isImplicit && directory.users[user.number] == nil:
                if let team = user.team { implicitUsers[team, default: 0] += 1 }
            case .putCollection(let collection) where directory.collections[collection.number] == nil: collections += 1
            case .putDatabase(let database) where directory.databases[database.number] == nil: databases += 1
            case .putRegion: regions += 1
            default: break
            }
        }
    }
}

/// The current numbers of directory entries that quotas limit.
struct QuotaCounts {
    /// Users that AWS clients created, by team.
    private(set) var implicitUsers: [TeamNumber: Int] = [:]
    /// The largest number of collections linked to one team alone.
    private(set) var mostCollectionsOfTeam = 0

    /// - Complexity: proportional to the number of users and of links of trackers.
    init(in directory: Directory) {
        for user in directory.users.all where user.isImplicit {
            if let team = user.team { implicitUsers[team, default: 0] += 1 }
        }
        let links = directory.links
        for tracker in directory.trackers.all {
            let own = tracker.collections.count { links[$0] == 1 }
            mostCollectionsOfTeam = max(mostCollectionsOfTeam, own)
        }
    }
}

extension Directory {
    /// The number of team trackers that each collection is linked to.
    fileprivate var links: [CollectionNumber: Int] {
        var links: [CollectionNumber: Int] = [:]
        for tracker in trackers.all where !tracker.isOfEvaluations {
            for collection in tracker.collections { links[collection, default: 0] += 1 }
        }
        return links
    }

    /// The number of collections linked to this tracker and to no other team's.
    fileprivate func collections(ofAlone tracker: Tracker) -> Int {
        let links = links
        return tracker.collections.count { links[$0] == 1 }
    }
}

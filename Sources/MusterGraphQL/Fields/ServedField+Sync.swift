import MusterCore
import MusterServer
import MusterStore
import MusterWire

/// The pages by which a client of Amplify's DataStore makes and renews its copy of the people.
extension ServedField {
    /// How many people are examined in one read.
    private static let syncStep = 1_000
    /// How many entries of the audit log one page reads for accounts that are gone.
    private static let removalLimit = 10_000

    /// Returns a page of the people whom the caller may see, or of those who changed; for admins the accounts that are
    /// gone follow, newest first.
    ///
    /// People of whom the server never heard are part of every page of changes: nothing says when they were added.
    ///
    /// - Throws: a fault when the audit log no longer has what was removed since `lastSync`.
    static func syncUsers(_ arguments: FieldArguments, _ operation: OperationContext) async throws -> UserPage {
        let paging = try Paging(arguments, limit: "limit", cursor: "nextToken")
        let begin = try SyncPlace(paging, at: operation.configuration.now())
        if paging.after == nil {
            // What was committed before that moment is on disk afterwards, and seen by the reads below. The directory
            // of the operation may be older.
            try await operation.inspect { _ in }
            operation.renew()
        }
        // Where everything is asked for, everybody is new.
        let since = arguments["lastSync"]?.integer.flatMap { $0 > 0 ? Instant(milliseconds: $0) : nil }
        let showsRemovals = operation.access.mayChangeAccounts && arguments["filter"] == nil
        if let since, showsRemovals, paging.after == nil { try requireKept(since, operation) }
        var page = UserPage(users: [], nextToken: nil, startedAt: begin.startedAt)
        var removals = LogSequence(Query.largestSequence)
        switch begin.next {
        case .people(let last):
            let found = try await people(
                after: last, changedSince: since, arguments["filter"], limit: paging.first + 1, operation)
            page.users = Array(found.prefix(paging.first))
            if found.count > paging.first, let number = page.users.last?.number.rawValue {
                page.nextToken = SyncPlace(next: .people(after: Int64(number)), startedAt: begin.startedAt).token
                return page
            }
        case .removals(let sequence): removals = sequence
        }
        if showsRemovals, let rest = try await addRemovals(before: removals, since, to: &page, paging, operation) {
            page.nextToken = SyncPlace(next: .removals(before: rest), startedAt: begin.startedAt).token
        }
        return page
    }

    /// Returns the next people of a synchronization, at most `limit`.
    private static func people(
        after last: Int64, changedSince since: Instant?, _ filter: JSONValue?, limit: Int,
        _ operation: OperationContext
    ) async throws -> [User] {
        var rest = try operation.people().filter { Int64($0.number.rawValue) > last }[...]
        var found: [User] = []
        while found.count < limit, !rest.isEmpty {
            var step = Array(rest.prefix(syncStep))
            rest = rest.dropFirst(step.count)
            if let since {
                let reports = try await operation.lastReports(of: step)
                step = step.filter { user in reports[user.number].map { $0.at >= since } ?? true }
            }
            if let filter { step = try await UserFilter(filter).matches(among: step, operation) }
            found += step
        }
        return Array(found.prefix(limit))
    }

    // MARK: Accounts that are gone

    /// Refuses a `lastSync` that is older than the audit log: a copy would keep people who were removed meanwhile.
    private static func requireKept(_ since: Instant, _ operation: OperationContext) throws(GraphQLFieldFault) {
        guard since >= operation.configuration.now().advanced(bySeconds: -AuditEntry.keptSeconds) else {
            throw GraphQLFieldFault(
                "Who was removed since `lastSync` is no longer stored: clear the copy, and ask without `lastSync`.",
                code: "Gone")
        }
    }

    /// Adds accounts that are gone to a page, newest first, until it is full or the read has taken its share.
    ///
    /// - Returns: the number in the log before which the next page goes on; nil when there is no more.
    private static func addRemovals(
        before begin: LogSequence, _ since: Instant?, to page: inout UserPage, _ paging: Paging,
        _ operation: OperationContext
    ) async throws -> LogSequence? {
        let (access, room) = (operation.access, paging.first - page.users.count)
        try operation.spend(removalLimit)
        let (removals, rest) = try await operation.read { store in
            var found: [(number: UserNumber, version: ModelVersion)] = []
            var cursor = begin
            for _ in 0..<removalLimit / syncStep {
                let entries = try store.audit(before: cursor, limit: syncStep, withDetails: false)
                for entry in entries {
                    if let number = removedUser(entry, since, access), !found.contains(where: { $0.number == number }) {
                        guard found.count < room else { return (found, LogSequence?.some(cursor)) }
                        found.append(
                            (
                                number,
                                ModelVersion(number: entry.sequence.rawValue, changedAt: entry.at, isDeleted: true)
                            ))
                    }
                    cursor = entry.sequence
                }
                guard entries.count == syncStep, let last = entries.last, since.map({ last.at >= $0 }) ?? true else {
                    return (found, nil)
                }
            }
            return (found, cursor)
        }
        for removal in removals {
            let user = User(
                number: removal.number, name: access.directory.gone(removal.number), role: .member, team: nil)
            operation.assume(removal.version, of: user)
            page.users.append(user)
        }
        return rest
    }

    /// The account that an entry says was removed; nil for another entry, for one that the caller may not see, and for
    /// an account that is there again.
    private static func removedUser(_ entry: AuditEntry, _ since: Instant?, _ access: Access) -> UserNumber? {
        guard case .directory(.user(let number), removed: true) = entry.change, since.map({ entry.at >= $0 }) ?? true,
            access.maySee(entry), access.directory.users[number] == nil
        else { return nil }
        return number
    }
}

/// Where a synchronization goes on, and when it began.
private struct SyncPlace {
    enum Next {
        /// With the people of higher numbers.
        case people(after: Int64)
        /// With the accounts that were removed before this number of the log.
        case removals(before: LogSequence)
    }

    var next: Next
    /// All pages have the moment at which the first began, so that the next synchronization leaves nothing out.
    var startedAt: Instant

    init(next: Next, startedAt: Instant) {
        self.next = next
        self.startedAt = startedAt
    }

    /// Reads `nextToken`; without one, a synchronization begins now.
    ///
    /// - Throws: a fault for a text that is no token of an answer.
    init(_ paging: Paging, at now: Instant) throws(GraphQLFieldFault) {
        guard let token = paging.after else {
            self.init(next: .people(after: 0), startedAt: now)
            return
        }
        guard let numbers = Cursor.decode(token, count: 2),
            (-Query.largestSequence...Query.largestSequence).contains(numbers[0])
        else { throw .badRequest("`nextToken` is not one from an answer.") }
        self.init(
            next: numbers[0] < 0 ? .removals(before: LogSequence(-numbers[0])) : .people(after: numbers[0]),
            startedAt: Instant(milliseconds: numbers[1]))
    }

    var token: String {
        switch next {
        case .people(let last): Cursor.encode([last, startedAt.milliseconds])
        case .removals(let sequence): Cursor.encode([-sequence.rawValue, startedAt.milliseconds])
        }
    }
}

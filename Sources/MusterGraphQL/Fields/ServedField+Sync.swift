import MusterCore
import MusterServer
import MusterStore
import MusterWire

/// The pages by which a client of Amplify's DataStore makes and renews its copy of the people.
extension ServedField {
    /// How many people are examined in one read.
    private static let syncStep = 1_000
    /// How many entries of the audit log are read for accounts that are gone.
    private static let removalLimit = 10_000

    /// Returns a page of the people whom the caller may see, or of those who changed.
    ///
    /// People of whom the server never heard are part of every page of changes: nothing says when they were added.
    static func syncUsers(_ arguments: FieldArguments, _ operation: OperationContext) async throws -> UserPage {
        let paging = try Paging(arguments, limit: "limit", cursor: "nextToken")
        // All pages have the moment at which the first began, so that the next synchronization leaves nothing out.
        var (last, startedAt) = (Int64(0), operation.configuration.now())
        if let after = paging.after {
            guard let numbers = Cursor.decode(after, count: 2) else {
                throw GraphQLFieldFault.badRequest("`nextToken` is not one from an answer.")
            }
            (last, startedAt) = (numbers[0], Instant(milliseconds: numbers[1]))
        }
        // What was committed before that moment is on disk, and seen by the reads below.
        if paging.after == nil { try await operation.coordinator.inspect { _, _, _ in } }
        let since = arguments["lastSync"]?.integer.map { Instant(milliseconds: $0) }
        var rest = try operation.people().filter { Int64($0.number.rawValue) > last }[...]
        var found: [User] = []
        while found.count <= paging.first, !rest.isEmpty {
            var step = Array(rest.prefix(syncStep))
            rest = rest.dropFirst(step.count)
            if let since {
                let reports = try await operation.lastReports(of: step)
                step = step.filter { user in reports[user.number].map { $0.at >= since } ?? true }
            }
            if let filter = arguments["filter"] {
                step = try await UserFilter(filter).matches(among: step, operation)
            }
            found += step
        }
        var page = UserPage(users: Array(found.prefix(paging.first)), nextToken: nil, startedAt: startedAt)
        if found.count > paging.first, let number = page.users.last?.number.rawValue {
            page.nextToken = Cursor.encode([Int64(number), startedAt.milliseconds])
        } else if let since, arguments["filter"] == nil {
            page.users += try await removedUsers(since: since, operation)
        }
        return page
    }

    /// The accounts that are gone since a time, as far as the caller may see their removal.
    private static func removedUsers(since: Instant, _ operation: OperationContext) async throws -> [User] {
        let access = operation.access
        guard access.mayChangeAccounts else { return [] }
        try operation.spend(removalLimit)
        let entries = try await operation.coordinator.read { store in
            var found: [AuditEntry] = []
            var cursor: LogSequence?
            for _ in 0..<removalLimit / syncStep {
                let page = try store.audit(before: cursor, limit: syncStep, withDetails: false)
                found += page.filter { $0.at >= since }
                guard let last = page.last, page.count == syncStep, last.at >= since else { break }
                cursor = last.sequence
            }
            return found
        }
        return entries.compactMap { entry in
            guard case .directory(.user(let number), removed: true) = entry.change, access.maySee(entry),
                access.directory.users[number] == nil
            else { return nil }
            let user = User(number: number, name: access.directory.gone(number), role: .member, team: nil)
            operation.assume(
                ModelVersion(number: entry.sequence.rawValue, changedAt: entry.at, isDeleted: true), of: user)
            return user
        }
    }
}

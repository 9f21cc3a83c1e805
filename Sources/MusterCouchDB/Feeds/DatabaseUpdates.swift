import MusterCore
import MusterDocuments
import MusterServer
import MusterStore
import MusterWire

/// The response to `_db_updates`: the databases that were created, changed and removed, each with the sequence of the
/// last such change. The sequences are those of the server's one log.
struct DatabaseUpdates: FollowedAnswer {
    /// One row of the response.
    private struct Row: Hashable {
        enum Kind: String, Hashable {
            case created, updated, deleted
        }

        var name: String
        var kind: Kind
    }

    let terms: FeedTerms
    private(set) var rows = 0
    /// The sequence up to which all rows were sent; nil before the first page.
    private var cursor: MusterCore.LogSequence?
    /// The value of `last_seq`.
    private var last = MusterCore.LogSequence.zero

    static let head = Array("{\"results\":[\n".utf8)
    /// The most changes of the log that are searched. If there are more, the newest change of each database is read
    /// instead.
    static let logLimit: Int64 = 20_000
    /// The number of databases that one read covers.
    private static let databasesAtOnce = 500

    init(_ terms: FeedTerms) { self.terms = terms }

    var topic: LogFeeds.Topic { .anyDocuments }

    func advanced(in coordinator: StoreCoordinator) async throws -> (Self, [UInt8], isLast: Bool) {
        var next = self
        // On the writer's thread the directory and the log are equally recent.
        let (directory, newest) = try await coordinator.inspect { _, directory, newest in (directory, newest) }
        let since = cursor ?? terms.since ?? newest
        next.cursor = max(since, newest)
        next.last = next.cursor ?? newest
        guard since < newest || since == .zero else { return (next, [], true) }
        var found = try await Self.createdAndRemoved(since: since, through: newest, directory, coordinator)
        let touched = try await Self.changedDatabases(since: since, through: newest, directory, coordinator)
        for (scope, sequence) in touched {
            guard let name = directory.databaseName(scope) else { continue }
            found[Row(name: name, kind: .updated)] = sequence
        }
        let ordered = found.sorted { ($0.value, $0.key.name) < ($1.value, $1.key.name) }
        let told = Self.page(of: terms.isDescending ? ordered.reversed() : ordered, atLeast: terms.limit - rows)
        var bytes: [UInt8] = []
        for (row, sequence) in told { next.append(row, sequence, to: &bytes) }
        if next.isFull, let end = told.last?.value { next.last = end }
        return (next, bytes, true)
    }

    /// Returns the first `limit` rows, and all others with the sequence of the last of them. A client that continues
    /// after that sequence would miss those.
    private static func page(
        of rows: [(key: Row, value: MusterCore.LogSequence)], atLeast limit: Int
    ) -> ArraySlice<(key: Row, value: MusterCore.LogSequence)> {
        guard limit > 0, limit < rows.count else { return rows.prefix(limit) }
        let last = rows[limit - 1].value
        return rows.prefix(limit + rows[limit...].prefix { $0.value == last }.count)
    }

    private mutating func append(_ row: Row, _ sequence: MusterCore.LogSequence, to bytes: inout [UInt8]) {
        switch terms.form {
        case .list: if rows > 0 { bytes += [0x2C, 0x0A] }
        case .lines: break
        case .events: bytes += "data: ".utf8
        }
        bytes += JSONWriter.object { writer in
            writer.member("db_name", row.name)
            writer.member("type", row.kind.rawValue)
            writer.member("seq", "\(sequence.rawValue)")
        }
        switch terms.form {
        case .list: break
        case .lines: bytes.append(0x0A)
        case .events: bytes += "\nid: \(sequence.rawValue)\n\n".utf8
        }
        rows += 1
    }

    func ending(in coordinator: StoreCoordinator) async throws -> [UInt8] {
        switch terms.form {
        case .list: Array("\n],\n\"last_seq\":\"\(last.rawValue)\"}\n".utf8)
        case .lines: JSONWriter.object { $0.member("last_seq", "\(last.rawValue)") } + [0x0A]
        case .events: []
        }
    }

    // MARK: Reading the log

    /// Returns the databases that were created or removed, with the sequence of the event.
    private static func createdAndRemoved(
        since: MusterCore.LogSequence, through newest: MusterCore.LogSequence, _ directory: Directory,
        _ coordinator: StoreCoordinator
    ) async throws -> [Row: MusterCore.LogSequence] {
        var found: [Row: MusterCore.LogSequence] = [:]
        for event in try await coordinator.read({ try $0.databaseEvents(since: since) }) where event.sequence <= newest
        {
            guard let name = event.removedName ?? directory.databaseName(.database(event.database)) else { continue }
            found[Row(name: name, kind: event.isRemoval ? .deleted : .created)] = event.sequence
        }
        return found
    }

    /// Returns the databases whose documents changed, with the sequence of the last change.
    private static func changedDatabases(
        since: MusterCore.LogSequence, through newest: MusterCore.LogSequence, _ directory: Directory,
        _ coordinator: StoreCoordinator
    ) async throws -> [DatabaseScope: MusterCore.LogSequence] {
        if newest.rawValue - since.rawValue <= logLimit {
            do {
                return try await coordinator.read { store in
                    try changedDatabasesInLog(since: since, through: newest, directory, store)
                }
            } catch StoreError.trimmed {
                // The log no longer contains these changes. The databases know their newest one.
            }
        }
        var touched: [DatabaseScope: MusterCore.LogSequence] = [:]
        let numbers = directory.databases.all.map(\.number) + directory.users.all.map { .locations(of: $0.number) }
        for start in stride(from: 0, to: numbers.count, by: databasesAtOnce) {
            let slice = numbers[start..<min(start + databasesAtOnce, numbers.count)]
            let found = try await coordinator.readDocuments { reader in
                try slice.map { ($0, try reader.newest(in: .database($0))) }
            }
            for (number, sequence) in found where sequence > since {
                touched[.database(number)] = min(sequence, newest)
            }
        }
        let union = try await coordinator.readDocuments { try $0.newest(in: .locations) }
        if union > since { touched[.locations] = min(union, newest) }
        return touched
    }

    /// Finds the changed databases in the log.
    private static func changedDatabasesInLog(
        since: MusterCore.LogSequence, through newest: MusterCore.LogSequence, _ directory: Directory,
        _ store: any Store
    ) throws -> [DatabaseScope: MusterCore.LogSequence] {
        var touched: [DatabaseScope: MusterCore.LogSequence] = [:]
        var cursor = since
        while cursor < newest {
            let page = try store.changes(since: cursor, limit: 2_000)
            guard let last = page.last?.sequence else { return touched }
            cursor = last
            for logged in page where logged.sequence <= newest {
                for scope in logged.change.documentScopes(in: directory) { touched[scope] = logged.sequence }
            }
        }
        return touched
    }
}

extension Directory {
    /// Returns the name of the database of a scope; nil if it does not exist.
    fileprivate func databaseName(_ scope: DatabaseScope) -> String? {
        guard case .database(let number) = scope else { return DatabaseName.allLocations }
        if let user = number.user { return users[user].map { DatabaseName.locations(of: $0.name) } }
        return databases[number]?.name
    }
}

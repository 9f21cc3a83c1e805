package import GRDB
package import MusterCore
import MusterDocuments

/// The rows of subscriptions to datasets, and of pushes that wait.
package enum PushTable {
    package static let schema = """
        CREATE TABLE push_subscriptions (
            owner INTEGER NOT NULL, dataset TEXT NOT NULL, device TEXT NOT NULL,
            PRIMARY KEY (owner, dataset, device)) WITHOUT ROWID;
        CREATE INDEX push_subscriptions_of_device ON push_subscriptions (device, dataset);
        CREATE TABLE pushes (
            number INTEGER PRIMARY KEY, device TEXT NOT NULL, topic TEXT NOT NULL, message BLOB NOT NULL,
            created_at INTEGER NOT NULL, attempts INTEGER NOT NULL, due_at INTEGER NOT NULL);
        CREATE UNIQUE INDEX pushes_of_device ON pushes (device, topic);

        """

    /// Makes pushes begin at the end of the log, because no device could subscribe before this version.
    package static let mark = """
        INSERT INTO counters (name, value) SELECT 'pushed', coalesce(max(first_sequence + count - 1), 0) FROM log;

        """

    // MARK: Reading

    package static func subscribers(to dataset: String, of user: UserNumber, in database: Database) throws -> [String] {
        let statement = try RawStatement(
            "SELECT device FROM push_subscriptions WHERE owner = ? AND dataset = ? ORDER BY device", in: database)
        statement.bind(1, Int64(user.rawValue))
        statement.bind(2, dataset)
        return try texts(statement)
    }

    package static func subscriptions(of device: String, in database: Database) throws -> [String] {
        let statement = try RawStatement(
            "SELECT dataset FROM push_subscriptions WHERE device = ? ORDER BY dataset", in: database)
        statement.bind(1, device)
        return try texts(statement)
    }

    package static func lanes(
        after device: String?, limit: Int, in database: Database
    ) throws -> [PostponedPushLane] {
        let statement = try RawStatement(
            """
            SELECT device, max(due_at), max(attempts) FROM pushes WHERE device > ? GROUP BY device ORDER BY device
            LIMIT ?
            """, in: database)
        // No id is empty.
        statement.bind(1, device ?? "")
        statement.bind(2, Int64(limit))
        defer { statement.reset() }
        var lanes: [PostponedPushLane] = []
        while try statement.step() {
            guard let device = statement.text(0) else { throw CodecError.malformed(offset: 0) }
            lanes.append(
                PostponedPushLane(
                    device: device, dueAt: Instant(milliseconds: statement.integer(1)),
                    attempts: Int(clamping: statement.integer(2))))
        }
        return lanes
    }

    package static func pushes(to device: String, in database: Database) throws -> [PostponedPush] {
        let statement = try RawStatement(
            "SELECT topic, message, created_at, attempts, due_at FROM pushes WHERE device = ? ORDER BY number",
            in: database)
        statement.bind(1, device)
        defer { statement.reset() }
        var pushes: [PostponedPush] = []
        while try statement.step() {
            guard let topic = statement.text(0) else { throw CodecError.malformed(offset: 0) }
            pushes.append(
                PostponedPush(
                    device: device, topic: topic, message: statement.withBlob(1) { Array($0) },
                    createdAt: Instant(milliseconds: statement.integer(2)),
                    attempts: Int(clamping: statement.integer(3)), dueAt: Instant(milliseconds: statement.integer(4))))
        }
        return pushes
    }

    private static func texts(_ statement: RawStatement) throws -> [String] {
        defer { statement.reset() }
        var texts: [String] = []
        while try statement.step() {
            guard let text = statement.text(0) else { throw CodecError.malformed(offset: 0) }
            texts.append(text)
        }
        return texts
    }

    // MARK: Writing

    package static func subscribe(
        _ device: String, to dataset: String, of user: UserNumber, in database: Database
    ) throws {
        let statement = try RawStatement(
            "INSERT OR IGNORE INTO push_subscriptions (owner, dataset, device) VALUES (?, ?, ?)", in: database)
        statement.bind(1, Int64(user.rawValue))
        statement.bind(2, dataset)
        statement.bind(3, device)
        try statement.run()
    }

    package static func unsubscribe(_ device: String, from dataset: String, in database: Database) throws -> Bool {
        let statement = try RawStatement(
            "DELETE FROM push_subscriptions WHERE device = ? AND dataset = ?", in: database)
        statement.bind(1, device)
        statement.bind(2, dataset)
        try statement.run()
        return database.changesCount > 0
    }

    /// Removes all subscriptions of a device, and all pushes that wait for it.
    package static func remove(_ device: String, in database: Database) throws {
        for table in ["push_subscriptions", "pushes"] {
            let statement = try RawStatement("DELETE FROM \(table) WHERE device = ?", in: database)
            statement.bind(1, device)
            try statement.run()
        }
    }

    package static func postpone(_ push: PostponedPush, in database: Database) throws {
        let statement = try RawStatement(
            """
            INSERT INTO pushes (device, topic, message, created_at, attempts, due_at) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (device, topic) DO UPDATE SET message = excluded.message, created_at = excluded.created_at,
                attempts = max(attempts, excluded.attempts), due_at = max(due_at, excluded.due_at)
            """, in: database)
        statement.bind(1, push.device)
        statement.bind(2, push.topic)
        statement.bind(4, push.createdAt.milliseconds)
        statement.bind(5, Int64(push.attempts))
        statement.bind(6, push.dueAt.milliseconds)
        try statement.binding(3, push.message[...]) { try statement.run() }
    }

    package static func forget(_ topic: String, to device: String, in database: Database) throws {
        let statement = try RawStatement("DELETE FROM pushes WHERE device = ? AND topic = ?", in: database)
        statement.bind(1, device)
        statement.bind(2, topic)
        try statement.run()
    }
}

extension SQLiteTransaction {
    func subscribe(_ device: String, to dataset: String, of user: UserNumber) throws {
        try run { try PushTable.subscribe(device, to: dataset, of: user, in: database) }
    }

    func unsubscribe(_ device: String, from dataset: String) throws -> Bool {
        try run { try PushTable.unsubscribe(device, from: dataset, in: database) }
    }

    func removePushDevice(_ device: String) throws {
        try removeCredential(.pushDevice, key: Array(device.utf8))
        try run { try PushTable.remove(device, in: database) }
    }

    func postpone(_ push: PostponedPush) throws { try run { try PushTable.postpone(push, in: database) } }

    func forgetPush(of topic: String, to device: String) throws {
        try run { try PushTable.forget(topic, to: device, in: database) }
    }

    func setPushedThrough(_ sequence: LogSequence) throws {
        try run { try Counter.pushed.set(sequence.rawValue, in: database) }
    }

    /// Removes the push devices of a user, before the user's credentials go.
    func removePushDevices(of user: UserNumber) throws {
        try run {
            for device in try Credential.fetchAll(.pushDevice, of: user, in: database) {
                try PushTable.remove(String(decoding: device.key, as: UTF8.self), in: database)
            }
        }
    }
}

extension SQLiteStore {
    package var hasPushDevices: Bool { get throws { try onReader { try Credential.holds(.pushDevice, in: $0) } } }

    package func pushSubscribers(to dataset: String, of user: UserNumber) throws -> [String] {
        try onReader { try PushTable.subscribers(to: dataset, of: user, in: $0) }
    }

    package func pushSubscriptions(of device: String) throws -> [String] {
        try onReader { try PushTable.subscriptions(of: device, in: $0) }
    }

    package var pushedThrough: LogSequence {
        get throws { LogSequence(try onReader { try Counter.pushed.value(in: $0) }) }
    }

    package func postponedPushLanes(after device: String?, limit: Int) throws -> [PostponedPushLane] {
        try onReader { try PushTable.lanes(after: device, limit: limit, in: $0) }
    }

    package func postponedPushes(to device: String) throws -> [PostponedPush] {
        try onReader { try PushTable.pushes(to: device, in: $0) }
    }
}

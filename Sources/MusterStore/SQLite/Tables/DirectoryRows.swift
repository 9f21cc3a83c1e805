import GRDB
import MusterCore
import MusterDocuments

/// Reads the directory's rows, with an error where a column is not of its type.
extension Row {
    /// Reads a column that must have a value of this type.
    ///
    /// - Throws: `CodecError.malformed` if it has none.
    func value<Value: DatabaseValueConvertible>(_ column: String) throws -> Value {
        guard let value = Value.fromDatabaseValue(self[column]) else { throw CodecError.malformed(offset: 0) }
        return value
    }

    /// Reads a column that may be NULL.
    ///
    /// - Throws: `CodecError.malformed` if it has a value of another type.
    func optional<Value: DatabaseValueConvertible>(_ column: String) throws -> Value? {
        let stored: DatabaseValue = self[column]
        return stored.isNull ? nil : try value(column)
    }

    func number<Entity>(_ column: String) throws -> Number<Entity> { Number(try value(column) as Int32) }

    func optionalNumber<Entity>(_ column: String) throws -> Number<Entity>? {
        (try optional(column) as Int32?).map { Number($0) }
    }

    func instant(_ column: String) throws -> Instant { Instant(milliseconds: try value(column)) }

    func optionalInstant(_ column: String) throws -> Instant? {
        (try optional(column) as Int64?).map { Instant(milliseconds: $0) }
    }

    /// Reads a column that has a raw value of an enumeration.
    func choice<Choice: RawRepresentable>(_ column: String) throws -> Choice
    where Choice.RawValue: DatabaseValueConvertible {
        guard let choice = Choice(rawValue: try value(column)) else { throw CodecError.malformed(offset: 0) }
        return choice
    }

    /// Reads a column that has a raw value of an enumeration, or NULL.
    func optionalChoice<Choice: RawRepresentable>(_ column: String) throws -> Choice?
    where Choice.RawValue: DatabaseValueConvertible {
        let stored: DatabaseValue = self[column]
        return stored.isNull ? nil : try choice(column)
    }

    func times() throws -> EditTimes {
        EditTimes(createdAt: try instant("created_at"), updatedAt: try instant("updated_at"))
    }

    func incidentSettings() throws -> IncidentSettings {
        IncidentSettings(
            closesDrills: try value("closes_drills"), closesRealIncidents: try value("closes_real_incidents"),
            closesAfterSeconds: try value("closes_after_seconds"),
            declaredHoldsSeconds: try value("declared_holds_seconds"),
            showsSafetyAlways: try value("shows_safety_always"), parEverySeconds: try optional("par_every_seconds"),
            allowsPause: try value("allows_pause"))
    }

    func particulars() throws -> Particulars {
        Particulars(
            description: try value("description"),
            tags: try decode("tags") { reader throws(CodecError) in try reader.texts() }, times: try times())
    }

    /// Decodes a blob column.
    ///
    /// - Throws: `CodecError`, also if bytes remain after the value.
    func decode<Value>(
        _ column: String, _ body: (inout ByteReader) throws(CodecError) -> Value
    ) throws -> Value {
        let blob: Blob = try value(column)
        return try blob.bytes.withUnsafeBytes { bytes in
            var reader = ByteReader(bytes)
            let value = try body(&reader)
            try reader.finish()
            return value
        }
    }
}

extension Row {
    /// Decodes a blob column that may be NULL.
    func decodeOptional<Value>(
        _ column: String, _ body: (inout ByteReader) throws(CodecError) -> Value
    ) throws -> Value? {
        let stored: DatabaseValue = self[column]
        return stored.isNull ? nil : try decode(column, body)
    }
}

extension StoredDirectory {
    /// Reads the directory in a read transaction.
    init(from database: Database) throws {
        self.init()
        databases = try DocumentTables(in: database, lastSequence: { .zero }).databases()
        users = try Row.fetchAll(database, sql: "SELECT * FROM users ORDER BY number").map {
            User(
                number: try $0.number("number"), name: try $0.value("name"), role: try $0.choice("role"),
                team: try $0.optionalNumber("team"), crew: try $0.optionalNumber("crew"),
                isImplicit: try $0.value("is_implicit"),
                databaseRoles: try $0.decode("database_roles") { reader throws(CodecError) in
                    var roles: [String] = []
                    for _ in 0..<(try reader.count(minimumBytes: 1)) { roles.append(try reader.text()) }
                    return roles
                }, email: try $0.optional("email"), phone: try $0.optional("phone"),
                displayName: try $0.optional("display_name"))
        }
        teams = try Row.fetchAll(database, sql: "SELECT * FROM teams ORDER BY number").map {
            Team(
                number: try $0.number("number"), name: try $0.value("name"), tracker: try $0.number("tracker"),
                silenceSeconds: try $0.value("silence_seconds"), incidents: try $0.incidentSettings())
        }
        crews = try CrewTable.fetchAll(in: database)
        devices = try Row.fetchAll(database, sql: "SELECT * FROM devices ORDER BY number").map {
            Device(
                number: try $0.number("number"), name: try $0.value("name"), user: try $0.number("owner"),
                alias: try $0.optional("alias"),
                beacon: try $0.decodeOptional("beacon") { reader throws(CodecError) in try reader.beacon() },
                rangeTag: try $0.decodeOptional("range_tag") { reader throws(CodecError) in try reader.rangeTag() })
        }
        collections = try Row.fetchAll(database, sql: "SELECT * FROM collections ORDER BY number").map {
            RegionCollection(
                number: try $0.number("number"), name: try $0.value("name"), policy: try $0.choice("policy"),
                particulars: try $0.particulars())
        }
        var links: [TrackerNumber: [CollectionNumber]] = [:]
        for row in try Row.fetchAll(database, sql: "SELECT * FROM tracker_collections ORDER BY tracker, place") {
            links[try row.number("tracker"), default: []].append(try row.number("collection"))
        }
        trackers = try Row.fetchAll(database, sql: "SELECT * FROM trackers ORDER BY number").map {
            let number: TrackerNumber = try $0.number("number")
            return Tracker(
                number: number, name: try $0.value("name"), filter: try $0.choice("filter"),
                collections: links[number] ?? [], emitsPositionEvents: try $0.value("emits_position_events"),
                worksAtZero: try $0.value("works_at_zero"), particulars: try $0.particulars())
        }
        rules = try Row.fetchAll(database, sql: "SELECT * FROM rules ORDER BY number").map {
            Rule(
                number: try $0.number("number"), name: try $0.value("name"), description: try $0.value("description"),
                pattern: try $0.value("pattern"), isEnabled: try $0.value("is_enabled"),
                targets: try $0.decode("targets") { reader throws(CodecError) in try reader.ruleTargets() },
                times: try $0.times(), maker: try $0.optionalNumber("maker"))
        }
        targets = try Row.fetchAll(database, sql: "SELECT * FROM targets ORDER BY number").map {
            Target(
                number: try $0.number("number"), name: try $0.value("name"), kind: try $0.choice("kind"),
                isEnabled: try $0.value("is_enabled"),
                mode: (try $0.optional("released_through") as Int64?).map { .byHand(through: $0) } ?? .atOnce,
                times: try $0.times(), maker: try $0.optionalNumber("maker"))
        }
    }
}

extension Region {
    static func fetchAll(_ database: Database) throws -> [Region] {
        try Row.fetchAll(database, sql: "SELECT * FROM regions ORDER BY number").map {
            Region(
                number: try $0.number("number"), collection: try $0.number("collection"), id: try $0.value("id"),
                name: try $0.value("name"),
                shape: try $0.decode("shape") { reader throws(CodecError) in
                    reader.isAtEnd ? nil : try reader.shape()
                },
                beacon: try $0.decodeOptional("beacon") { reader throws(CodecError) in try reader.beaconArea() },
                isMuster: try $0.value("is_muster"), mode: try $0.optionalChoice("mode"),
                dwellSeconds: try $0.optional("dwell_seconds"),
                exitDelaySeconds: try $0.value("exit_delay_seconds"), properties: try $0.optional("properties"),
                times: try $0.times())
        }
    }
}

extension Credential {
    static func fetch(_ kind: Kind, key: [UInt8], in database: Database) throws -> Credential? {
        let statement = try database.cachedStatement(sql: "SELECT * FROM credentials WHERE kind = ? AND key = ?")
        return try Row.fetchOne(statement, arguments: [kind.rawValue, Blob(key)]).map { try Credential($0) }
    }

    static func fetchAll(_ kind: Kind, in database: Database) throws -> [Credential] {
        try Row.fetchAll(
            database, sql: "SELECT * FROM credentials WHERE kind = ? ORDER BY key", arguments: [kind.rawValue]
        ).map { try Credential($0) }
    }

    static func fetchAll(_ kind: Kind, of user: UserNumber, in database: Database) throws -> [Credential] {
        // The plus makes SQLite use the index on the owner, because there may be very many credentials of a kind.
        try Row.fetchAll(
            database, sql: "SELECT * FROM credentials WHERE owner = ? AND +kind = ? ORDER BY key",
            arguments: [user.rawValue, kind.rawValue]
        ).map { try Credential($0) }
    }

    /// Whether there is any credential of a kind.
    static func holds(_ kind: Kind, in database: Database) throws -> Bool {
        let statement = try RawStatement("SELECT 1 FROM credentials WHERE kind = ? LIMIT 1", in: database)
        statement.bind(1, Int64(kind.rawValue))
        defer { statement.reset() }
        return try statement.step()
    }

    private init(_ row: Row) throws {
        let key: Blob = try row.value("key")
        let secret: Blob = try row.value("secret")
        self.init(
            kind: try row.choice("kind"), key: key.bytes, user: try row.optionalNumber("owner"),
            device: try row.optionalNumber("device"), label: try row.value("label"), secret: secret.bytes,
            createdAt: try row.instant("created_at"), expiresAt: try row.optionalInstant("expires_at"),
            usedAt: try row.optionalInstant("used_at"))
    }
}

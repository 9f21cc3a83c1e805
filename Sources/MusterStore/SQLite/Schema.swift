import GRDB
import MusterCore
import MusterDocuments

/// The tables of a store's file, and the migrations, steps that upgrade older files.
///
/// Coordinates are REAL and keep all their bits; times are milliseconds since 1970 UTC.
enum Schema {
    /// The `application_id` of Muster's files: "Mstr".
    static let applicationID: Int32 = 0x4D73_7472

    /// The SQL steps that bring a new file to the newest version; a file of version n has run the first n steps. A
    /// released step is never changed.
    static let steps = [
        version1, version2, version3, version4, version5, version6, version7, version8, version9, version10,
        version11, version12, version13, version14, version15, version16, version17, version18,
        version19, version20, version21, version22, version23, version24,
        version25, version26, version27, version28, version29, version30,
        version31, version32, version33, version34, version35, version36,
        version37, version38,
    ]

    /// The newest version that this program reads and writes.
    static var version: Int { steps.count }

    /// Upgrades the file to the newest version, in one transaction.
    ///
    /// - Parameter uuid: the UUID for a new file.
    /// - Throws: `StoreError.tooNew`; `StoreError.corrupt` for a database of another program; `DatabaseError`.
    static func migrate(_ database: Database, path: String, uuid: String) throws {
        let found = try version(of: database, path: path)
        guard found < version else { return }
        try database.inTransaction(.immediate) {
            for step in steps[found...] { try database.execute(sql: step) }
            if try (1..<6).contains(found) || ((6..<13).contains(found) && hasQualified(in: database)) {
                try countUnion(in: database)
            }
            if (1..<14).contains(found) { try countKeptBytes(in: database) }
            if found == 0 {
                try database.execute(sql: "PRAGMA application_id = \(applicationID)")
                try database.execute(
                    sql: "INSERT INTO meta (version, uuid) VALUES (?, ?)", arguments: [version, uuid])
            } else {
                try database.execute(sql: "UPDATE meta SET version = ?", arguments: [version])
            }
            return .commit
        }
    }

    /// Whether any document has a qualified id in the union of locations.
    private static func hasQualified(in database: Database) throws -> Bool {
        try Bool.fetchOne(database, sql: "SELECT EXISTS (SELECT 1 FROM documents WHERE is_qualified = 1)") ?? false
    }

    /// Counts the union of all locations anew, because version 6 removed design documents from it, and since version 13
    /// documents with equal ids of different owners are separate entries.
    private static func countUnion(in database: Database) throws {
        try database.execute(
            sql: """
                DELETE FROM document_counts WHERE database = 0;
                DELETE FROM document_blocks WHERE database = 0;
                """)
        let documents = DocumentTables(in: database) { .zero }
        try documents.countUnion()
        try documents.finish()
    }

    /// Returns the version of the file; 0 for an empty file.
    ///
    /// - Throws: `StoreError.tooNew`; `StoreError.corrupt` for a database of another program; `DatabaseError`.
    @discardableResult
    static func version(of database: Database, path: String) throws -> Int {
        let application = try Int32.fetchOne(database, sql: "PRAGMA application_id") ?? 0
        guard application == applicationID else {
            let tables = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") ?? 0
            guard application == 0, tables == 0 else {
                throw StoreError.corrupt(path: path, reason: "it is a database of another program")
            }
            return 0
        }
        guard let found = try Int.fetchOne(database, sql: "SELECT version FROM meta"), found > 0 else {
            throw StoreError.corrupt(path: path, reason: "it has no version number")
        }
        guard found <= version else { throw StoreError.tooNew(path: path, version: found, known: version) }
        return found
    }

    /// Counts the bodies of revisions that are not the winner, which earlier versions did not count.
    private static func countKeptBytes(in database: Database) throws {
        let documents = DocumentTables(in: database) { .zero }
        try documents.countKeptBytes()
        try documents.finish()
    }

    private static let version1 = """
        CREATE TABLE meta (version INTEGER NOT NULL, uuid TEXT NOT NULL);
        -- The last number given of each kind, and how far the log is merged and trimmed.
        CREATE TABLE counters (name TEXT NOT NULL PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;

        -- One row for each commit; change i of it has the number first_sequence + i.
        CREATE TABLE log (
            first_sequence INTEGER PRIMARY KEY, count INTEGER NOT NULL, committed_at INTEGER NOT NULL,
            changes BLOB NOT NULL);
        -- The history, merged from the log: each row is a block of one device's positions.
        CREATE TABLE history (
            number INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, device INTEGER NOT NULL, first_time INTEGER NOT NULL,
            last_time INTEGER NOT NULL, count INTEGER NOT NULL, positions BLOB NOT NULL);
        CREATE INDEX history_of_device ON history (epoch, device, first_time, last_time);
        -- Each epoch is a run of blocks, with the range of their sample times.
        CREATE TABLE epochs (
            number INTEGER PRIMARY KEY, first_time INTEGER NOT NULL, last_time INTEGER NOT NULL,
            blocks INTEGER NOT NULL);
        -- The newest position in each device's history.
        CREATE TABLE latest (
            device INTEGER PRIMARY KEY, sample_time INTEGER NOT NULL, latitude REAL NOT NULL, longitude REAL NOT NULL,
            position BLOB NOT NULL);
        -- Removed devices and users whose positions and changes are still to be erased from the file.
        CREATE TABLE removals (kind TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (kind, number)) WITHOUT ROWID;

        CREATE TABLE users (number INTEGER PRIMARY KEY, name TEXT NOT NULL, role TEXT NOT NULL, team INTEGER);
        CREATE TABLE teams (
            number INTEGER PRIMARY KEY, name TEXT NOT NULL, tracker INTEGER NOT NULL, silence_seconds REAL NOT NULL);
        CREATE TABLE devices (number INTEGER PRIMARY KEY, name TEXT NOT NULL, owner INTEGER NOT NULL);
        CREATE INDEX devices_of_owner ON devices (owner);
        CREATE TABLE trackers (number INTEGER PRIMARY KEY, name TEXT NOT NULL, filter TEXT NOT NULL);
        CREATE TABLE tracker_collections (
            tracker INTEGER NOT NULL, place INTEGER NOT NULL, collection INTEGER NOT NULL,
            PRIMARY KEY (tracker, place)) WITHOUT ROWID;
        CREATE TABLE collections (number INTEGER PRIMARY KEY, name TEXT NOT NULL);
        CREATE TABLE regions (
            number INTEGER PRIMARY KEY, collection INTEGER NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL,
            shape BLOB NOT NULL, is_muster INTEGER NOT NULL, dwell_seconds REAL, exit_delay_seconds REAL NOT NULL,
            properties TEXT);
        CREATE INDEX regions_of_collection ON regions (collection);

        CREATE TABLE credentials (
            kind INTEGER NOT NULL, key BLOB NOT NULL, owner INTEGER, device INTEGER, label TEXT NOT NULL,
            secret BLOB NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER, used_at INTEGER,
            PRIMARY KEY (kind, key)) WITHOUT ROWID;
        CREATE INDEX credentials_of_owner ON credentials (owner);
        CREATE INDEX credentials_of_device ON credentials (device);
        CREATE TABLE presences (device INTEGER PRIMARY KEY, presences BLOB NOT NULL);
        CREATE TABLE safety (
            person INTEGER PRIMARY KEY, state INTEGER NOT NULL, since INTEGER NOT NULL, region INTEGER);
        """

    /// Sightings of beacons, and devices' notes about themselves.
    private static let version2 = """
        CREATE TABLE sightings (
            device INTEGER NOT NULL, sample_time INTEGER NOT NULL, uuid BLOB NOT NULL, major INTEGER NOT NULL,
            minor INTEGER NOT NULL, received_at INTEGER NOT NULL, distance REAL, signal_strength REAL,
            proximity INTEGER NOT NULL, PRIMARY KEY (device, sample_time, uuid, major, minor)) WITHOUT ROWID;
        CREATE INDEX sightings_by_time ON sightings (sample_time);
        CREATE TABLE notes (
            device INTEGER NOT NULL, kind INTEGER NOT NULL, key BLOB NOT NULL, sample_time INTEGER,
            received_at INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (device, kind, key));
        """

    /// The policies of collections, and the modes of regions.
    private static let version3 = """
        ALTER TABLE collections ADD COLUMN policy TEXT NOT NULL DEFAULT 'confident';
        ALTER TABLE regions ADD COLUMN mode INTEGER;
        """

    /// Documents with equal ids of different owners become separate entries of the union of locations, and the ids of
    /// positions belong to the positions' owners. If any document gets a qualified id, the step deletes the checkpoints
    /// of replications of the union, so that replicas compare everything once.
    private static let version13 = DocumentSchema.ownersInUnion + ownersOfPositionIDs

    private static let ownersOfPositionIDs = """
        UPDATE documents SET is_qualified = 1 WHERE \(hasPositionID) AND NOT \(isOfPositionsOwner);
        UPDATE documents SET is_qualified = 0 WHERE \(hasPositionID) AND \(isOfPositionsOwner);
        DELETE FROM local_documents
            WHERE database < 0 AND id >= 'lt_locations_all/' AND id < 'lt_locations_all0'
                AND EXISTS (SELECT 1 FROM documents WHERE is_qualified = 1);

        """
    private static let hasPositionID =
        "database < 0 AND id GLOB 'position-" + String(repeating: "[0-9]", count: 10) + "-*'"
    private static let isOfPositionsOwner = """
        EXISTS (
            SELECT 1 FROM devices
            WHERE number = CAST(substr(documents.id, 10, 10) AS INTEGER) AND owner = -documents.database)
        """

    /// The bytes stored of each device and database.
    private static let version14 = DocumentSchema.keptBytes + UsageTable.schema

    /// The ids that clients of trackers used for devices before the devices were assigned to their owners.
    private static let version11 = "ALTER TABLE devices ADD COLUMN alias TEXT;"

    /// Page checksums. `PageChecksums.add` adds them to a file before this step; the step prevents older programs,
    /// which do not write checksums, from opening the file.
    private static let version15 = "-- No table changes."

    /// Datasets, subscriptions and states of pushes, and the settings of identity pools.
    private static let version18 = DatasetTable.schema + PushTable.schema + PushTable.mark + PoolSettingsTable.schema

    /// Guests of identity pools, and bulk publishes.
    private static let version21 = GuestTable.schema + PoolSettingsTable.guests + BulkPublishTable.schema

    /// Attendance rules.
    private static let version22 = AttendanceTable.schema

    /// Proximity rules.
    private static let version24 = ProximityTable.schema

    /// Measured ranges, and the tags by which devices are named in them.
    private static let version25 = RangeTable.schema + RangeTable.tags

    /// The mark of proximity alarms that only simulated distances support.
    private static let version26 = ProximityTable.simulated

    /// The index by which a late position finds out whether the history has it.
    private static let version28 = HistoryTable.spanIndex

    /// The e-mail addresses and telephone numbers of users.
    private static let version29 = ContactColumns.schema

    /// The reports that the server could not read.
    private static let version30 = RefusedReportTable.schema

    /// Trackers whose devices may be at 0° north, 0° east.
    private static let version31 = "ALTER TABLE trackers ADD COLUMN works_at_zero INTEGER NOT NULL DEFAULT 0;"

    /// Who made a change by the command line.
    private static let version32 = AuditTable.operators

    /// The display names of users, and of the people of closed incidents.
    private static let version38 = DisplayNames.schema

    /// What edits changed, in the audit log; and how the server knew the states of people over time.
    private static let version37 = AuditTable.details + SafetyHistoryTable.sources

    /// Whether the people of a team may pause. The pauses themselves are stored with the declarations.
    private static let version36 = "ALTER TABLE teams ADD COLUMN allows_pause INTEGER NOT NULL DEFAULT 0;"

    /// The states of people over time.
    private static let version35 = SafetyHistoryTable.schema + SafetyHistoryTable.beginning

    /// PAR and handovers in incidents' records, and the senders' ids of requests about incidents.
    private static let version34 = IncidentTable.course

    /// Crews, and the crews of the people on the rolls of closed incidents.
    private static let version33 = CrewTable.schema

    /// The bytes of devices' ranges and notes.
    private static let version27 = UsageTable.reports

    /// The signals of devices.
    private static let version20 = SignalTable.schema

    /// Targets that are run by hand, the deliveries of a target, and the bytes of signals.
    private static let version23 = DeliveryTable.ofTargets + UsageTable.signals

    /// The beacon or scanner of a region, and the beacon that a tag sends.
    private static let version19 = """
        ALTER TABLE regions ADD COLUMN beacon BLOB;
        ALTER TABLE devices ADD COLUMN beacon BLOB;
        """

    /// Partitioned databases.
    private static let version17 = DocumentSchema.partitions

    /// Users' roles in document databases.
    private static let version16 = "ALTER TABLE users ADD COLUMN database_roles BLOB NOT NULL DEFAULT x'00';"

    /// The makers of rules and targets.
    private static let version12 = MakerColumns.schema

    /// The engine's state of each device, with the last change that it includes, so that a restart changes no decision.
    private static let version10 = FollowedTables.schema

    /// Teams' settings for incidents, and the author, the note and the name on a line of an incident's record. The name
    /// is that of a person without an account.
    private static let version9 = """
        ALTER TABLE teams ADD COLUMN closes_drills INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE teams ADD COLUMN closes_real_incidents INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE teams ADD COLUMN closes_after_seconds REAL NOT NULL DEFAULT 300;
        ALTER TABLE teams ADD COLUMN declared_holds_seconds REAL NOT NULL DEFAULT 43200;
        ALTER TABLE teams ADD COLUMN shows_safety_always INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE incident_changes ADD COLUMN author INTEGER;
        ALTER TABLE incident_changes ADD COLUMN note TEXT;
        ALTER TABLE incident_changes ADD COLUMN name TEXT;
        """

    /// Local documents, each in a row with a number of its own.
    private static let version8 = DocumentSchema.localsInRows

    /// The times at which databases were made and removed.
    private static let version7 = DatabaseEventTable.schema

    /// The union of locations without design documents, and databases that are erased in slices.
    private static let version6 = DocumentSchema.locationsAndRemovals

    /// Documents.
    private static let version5 = markedHistory + DocumentSchema.tables

    /// Blocks with the change of each of their positions. The log has every position of the history, so the store
    /// merges it anew when it opens.
    private static let markedHistory = """
        DROP INDEX history_of_device;
        DROP TABLE history;
        CREATE TABLE history (
            number INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, device INTEGER NOT NULL, first_time INTEGER NOT NULL,
            last_time INTEGER NOT NULL, first_sequence INTEGER NOT NULL, last_sequence INTEGER NOT NULL,
            told INTEGER NOT NULL, count INTEGER NOT NULL, marks BLOB NOT NULL, positions BLOB NOT NULL);
        CREATE INDEX history_of_device ON history (
            epoch, device, first_time, last_time, first_sequence, last_sequence, told);
        DELETE FROM epochs;
        UPDATE counters SET value = 0 WHERE name IN ('merged', 'mergingThrough', 'mergedOfThese');

        """

    /// Particulars, rules, deliveries and safety.
    private static let version4 = particulars + rules + deliveries + safety

    /// Descriptions, tags and times of trackers and collections, and users that an endpoint made.
    private static let particulars = """
        ALTER TABLE users ADD COLUMN is_implicit INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE trackers ADD COLUMN emits_position_events INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE trackers ADD COLUMN description TEXT NOT NULL DEFAULT '';
        ALTER TABLE trackers ADD COLUMN tags BLOB NOT NULL DEFAULT x'00';
        ALTER TABLE trackers ADD COLUMN created_at INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE trackers ADD COLUMN updated_at INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE collections ADD COLUMN description TEXT NOT NULL DEFAULT '';
        ALTER TABLE collections ADD COLUMN tags BLOB NOT NULL DEFAULT x'00';
        ALTER TABLE collections ADD COLUMN created_at INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE collections ADD COLUMN updated_at INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE regions ADD COLUMN created_at INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE regions ADD COLUMN updated_at INTEGER NOT NULL DEFAULT 0;

        """

    /// Declarations, incidents with their records, and audit entries.
    private static let safety = """
        ALTER TABLE safety ADD COLUMN source INTEGER;
        ALTER TABLE safety ADD COLUMN marked_by INTEGER;
        ALTER TABLE safety ADD COLUMN acknowledged_by INTEGER;
        CREATE TABLE declared (person INTEGER PRIMARY KEY, declared BLOB NOT NULL);
        CREATE TABLE declarations (
            subject INTEGER NOT NULL, id TEXT NOT NULL, sample_time INTEGER NOT NULL, is_current INTEGER NOT NULL,
            declaration BLOB NOT NULL, PRIMARY KEY (subject, id)) WITHOUT ROWID;
        CREATE INDEX declarations_of_subject ON declarations (subject, sample_time, id);
        CREATE INDEX declarations_by_time ON declarations (sample_time);
        CREATE TABLE incidents (
            number INTEGER PRIMARY KEY, team INTEGER NOT NULL, is_open INTEGER NOT NULL, incident BLOB NOT NULL);
        CREATE INDEX incidents_of_team ON incidents (team, number);
        CREATE TABLE incident_changes (
            number INTEGER PRIMARY KEY, incident INTEGER NOT NULL, at INTEGER NOT NULL, person INTEGER NOT NULL,
            event INTEGER NOT NULL, safety BLOB NOT NULL, latitude REAL, longitude REAL, seen_at INTEGER);
        CREATE INDEX incident_changes_of_person ON incident_changes (incident, person, number);
        CREATE INDEX incident_changes_in_order ON incident_changes (incident, number);
        CREATE TABLE audit (
            sequence INTEGER PRIMARY KEY, at INTEGER NOT NULL, author INTEGER NOT NULL, device INTEGER,
            change BLOB NOT NULL);

        """

    /// Rules and their targets.
    private static let rules = """
        CREATE TABLE rules (
            number INTEGER PRIMARY KEY, name TEXT NOT NULL, description TEXT NOT NULL, pattern TEXT NOT NULL,
            is_enabled INTEGER NOT NULL, targets BLOB NOT NULL, created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL);
        CREATE TABLE targets (
            number INTEGER PRIMARY KEY, name TEXT NOT NULL, kind TEXT NOT NULL, is_enabled INTEGER NOT NULL,
            created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL);

        """

    /// Waiting deliveries and dead letters.
    private static let deliveries = """
        -- subject: a device's number, a user's number negated, or 0 for neither.
        CREATE TABLE deliveries (
            number INTEGER PRIMARY KEY, target INTEGER NOT NULL, subject INTEGER NOT NULL, rule TEXT NOT NULL,
            event TEXT NOT NULL, content_type TEXT NOT NULL, created_at INTEGER NOT NULL, attempts INTEGER NOT NULL,
            next_attempt_at INTEGER NOT NULL, last_error TEXT, body BLOB NOT NULL);
        CREATE INDEX deliveries_of_subject ON deliveries (subject);
        CREATE TABLE dead_letters (
            number INTEGER PRIMARY KEY, target INTEGER NOT NULL, subject INTEGER NOT NULL, rule TEXT NOT NULL,
            event TEXT NOT NULL, content_type TEXT NOT NULL, created_at INTEGER NOT NULL, attempts INTEGER NOT NULL,
            next_attempt_at INTEGER NOT NULL, last_error TEXT, died_at INTEGER NOT NULL, body BLOB NOT NULL);
        CREATE INDEX dead_letters_of_target ON dead_letters (target, number);
        CREATE INDEX dead_letters_of_subject ON dead_letters (subject);
        CREATE INDEX dead_letters_by_time ON dead_letters (died_at);

        """
}

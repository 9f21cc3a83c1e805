import GRDB
import MusterCore

/// The display names of users, and those that the people of incidents had when these closed.
enum DisplayNames {
    /// Existing users have none, and nothing says what the people of closed incidents were called.
    static let schema = """
        ALTER TABLE users ADD COLUMN display_name TEXT;
        CREATE TABLE incident_names (
            incident INTEGER NOT NULL, person INTEGER NOT NULL, display_name TEXT NOT NULL,
            PRIMARY KEY (incident, person)) WITHOUT ROWID;
        CREATE INDEX incident_names_of_person ON incident_names (person);
        """

    /// Stores the display names of people of an incident, in place of what was stored of them before.
    static func set(_ names: [UserNumber: String?], of incident: IncidentNumber, in database: Database) throws {
        let removal = try database.cachedStatement(
            sql: "DELETE FROM incident_names WHERE incident = ? AND person = ?")
        let insertion = try database.cachedStatement(
            sql: "INSERT INTO incident_names (incident, person, display_name) VALUES (?, ?, ?)")
        for (person, name) in names.sorted(by: { $0.key < $1.key }) {
            try removal.execute(arguments: [incident.rawValue, person.rawValue])
            guard let name else { continue }
            try insertion.execute(arguments: [incident.rawValue, person.rawValue, name])
        }
    }

    /// Removes the display names of a removed user from every incident whose record does not keep the user's name.
    static func remove(_ user: UserNumber, in database: Database) throws {
        try database.cachedStatement(
            sql: """
                DELETE FROM incident_names WHERE person = ? AND NOT EXISTS (
                    SELECT 1 FROM incident_changes AS line WHERE line.incident = incident_names.incident
                        AND line.person = incident_names.person AND line.name IS NOT NULL)
                """
        ).execute(arguments: [user.rawValue])
    }

    static func fetch(of incident: IncidentNumber, in database: Database) throws -> [UserNumber: String] {
        let rows = try Row.fetchAll(
            database, sql: "SELECT person, display_name FROM incident_names WHERE incident = ?",
            arguments: [incident.rawValue])
        return Dictionary(
            uniqueKeysWithValues: try rows.map { (try $0.number("person"), try $0.value("display_name") as String) })
    }
}

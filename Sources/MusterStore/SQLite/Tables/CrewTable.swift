import GRDB
import MusterCore

/// The rows of crews.
enum CrewTable {
    /// Existing users are in no crew, and nothing says in which crews the people of closed incidents were.
    static let schema = """
        CREATE TABLE crews (number INTEGER PRIMARY KEY, team INTEGER NOT NULL, name TEXT NOT NULL);
        ALTER TABLE users ADD COLUMN crew INTEGER;
        CREATE TABLE incident_crews (
            incident INTEGER NOT NULL, person INTEGER NOT NULL, crew TEXT NOT NULL,
            PRIMARY KEY (incident, person)) WITHOUT ROWID;
        """

    static func put(_ crew: Crew, in database: Database) throws {
        try database.cachedStatement(
            sql: """
                INSERT INTO crews (number, team, name) VALUES (?, ?, ?) ON CONFLICT (number)
                DO UPDATE SET team = excluded.team, name = excluded.name
                """
        ).execute(arguments: [crew.number.rawValue, crew.team.rawValue, crew.name])
    }

    static func remove(_ crew: CrewNumber, in database: Database) throws {
        try database.cachedStatement(sql: "DELETE FROM crews WHERE number = ?").execute(arguments: [crew.rawValue])
    }

    static func fetchAll(in database: Database) throws -> [Crew] {
        try Row.fetchAll(database, sql: "SELECT * FROM crews ORDER BY number").map {
            Crew(number: try $0.number("number"), team: try $0.number("team"), name: try $0.value("name"))
        }
    }

    /// Stores in which crew each person on an incident's roll is, in place of what was stored before.
    static func setCrews(_ crews: [UserNumber: String], of incident: IncidentNumber, in database: Database) throws {
        try database.cachedStatement(sql: "DELETE FROM incident_crews WHERE incident = ?")
            .execute(arguments: [incident.rawValue])
        let statement = try database.cachedStatement(
            sql: "INSERT INTO incident_crews (incident, person, crew) VALUES (?, ?, ?)")
        for (person, crew) in crews.sorted(by: { $0.key < $1.key }) {
            try statement.execute(arguments: [incident.rawValue, person.rawValue, crew])
        }
    }

    static func crews(of incident: IncidentNumber, in database: Database) throws -> [UserNumber: String] {
        let rows = try Row.fetchAll(
            database, sql: "SELECT person, crew FROM incident_crews WHERE incident = ?",
            arguments: [incident.rawValue])
        return Dictionary(
            uniqueKeysWithValues: try rows.map { (try $0.number("person"), try $0.value("crew") as String) })
    }
}

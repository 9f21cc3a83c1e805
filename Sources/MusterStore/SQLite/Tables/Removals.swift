import GRDB
import MusterCore
import MusterDocuments

/// The removed devices and users of which the file still has data. Readers leave that data out from the removing commit
/// on; `settle` erases it.
struct Removals: Equatable {
    var devices: Set<DeviceNumber> = []
    var users: Set<UserNumber> = []

    var isEmpty: Bool { devices.isEmpty && users.isEmpty }

    mutating func formUnion(_ other: Removals) {
        devices.formUnion(other.devices)
        users.formUnion(other.users)
    }

    mutating func subtract(_ other: Removals) {
        devices.subtract(other.devices)
        users.subtract(other.users)
    }

    /// Whether a change is about a removed device or user.
    func cover(_ change: Change) -> Bool {
        switch change {
        case .position(_, let device, _): devices.contains(device)
        case .sighting(_, let device, _), .note(_, let device), .signal(_, let device): devices.contains(device)
        case .range(let range, let device, _): devices.contains(device) || devices.contains(range.peer)
        case .crossing(let crossing): devices.contains(crossing.device)
        case .presence(let report): devices.contains(report.device)
        case .belief(_, let device): devices.contains(device)
        case .safety(_, let user), .reminder(_, let user, _), .checkInTimer(_, let user), .pause(_, let user):
            users.contains(user)
        case .declaration(let declaration, _): users.contains(declaration.subject)
        case .document(let touch): touch.database.user.map { users.contains($0) } ?? false
        case .dataset(let touch): users.contains(touch.owner)
        case .action(let action):
            action.user.map { users.contains($0) } ?? false
                || action.device.map { devices.contains($0) } ?? false
        case .region, .directory, .incident, .roll, .attendance, .proximity, .posted: false
        }
    }

    init() {}

    init(from database: Database) throws {
        for row in try Row.fetchAll(database, sql: "SELECT kind, number FROM removals") {
            guard let number = Int32.fromDatabaseValue(row["number"]) else { throw CodecError.malformed(offset: 0) }
            switch String.fromDatabaseValue(row["kind"]) {
            case "device": devices.insert(DeviceNumber(number))
            case "user": users.insert(UserNumber(number))
            default: throw CodecError.malformed(offset: 0)
            }
        }
    }

    /// Stores these removals in the file.
    func store(in database: Database) throws {
        for (kind, number) in entries {
            try database.execute(
                sql: "INSERT INTO removals (kind, number) VALUES (?, ?) ON CONFLICT DO NOTHING",
                arguments: [kind, number])
        }
    }

    /// Deletes these removals from the file.
    func delete(from database: Database) throws {
        for (kind, number) in entries {
            try database.execute(
                sql: "DELETE FROM removals WHERE kind = ? AND number = ?", arguments: [kind, number])
        }
    }

    private var entries: [(String, Int32)] {
        devices.sorted().map { ("device", $0.rawValue) } + users.sorted().map { ("user", $0.rawValue) }
    }
}

import MusterCore
import MusterServer
import MusterStore

/// The users of a table, to be made all together or not at all.
struct UserImport: Sendable {
    /// How many users, teams and devices an import makes.
    struct Made: Hashable, Sendable {
        var users = 0
        var teams = 0
        var devices = 0
    }

    /// The largest number of teams that one import makes.
    static let teamLimit = 10_000

    let table: UserTable
    /// Whether teams that do not exist are made. Otherwise they are faults.
    let makesTeams: Bool
    /// The name of a device that every user gets; nil for none.
    let device: String?

    /// Returns what the import would make.
    ///
    /// - Throws: `Problem.invalid` with every fault of the table by itself and over the directory.
    func preview(in directory: Directory) throws(Problem) -> Made {
        let teams = try newTeams(in: directory)
        return Made(users: table.rows.count, teams: teams.count, devices: device == nil ? 0 : table.rows.count)
    }

    /// Drafts the edits that make everything.
    ///
    /// - Throws: as `preview`, and the store's errors.
    func add(to draft: inout Draft, in directory: Directory) throws -> Made {
        let newTeams = try newTeams(in: directory)
        let collections = directory.collectionsForNewTeam
        draft.edits.reserveCapacity(2 * newTeams.count + (device == nil ? 1 : 2) * table.rows.count)
        var teams: [String: TeamNumber] = [:]
        for name in newTeams {
            teams[name] = try draft.addTeam(named: name, linkedTo: collections, in: directory).number
        }
        var made = Made(teams: newTeams.count)
        for row in table.rows {
            guard let name = row.name, let released = directory.releasing(name) else { throw Problem.internalError }
            let number = try draft.transaction.nextUserNumber()
            let team = row.team.flatMap { directory.teams[$0]?.number ?? teams[$0] }
            draft.edits += released
            draft.edits.append(
                .putUser(
                    User(
                        number: number, name: name, role: row.role, team: team, email: row.email, phone: row.phone)))
            made.users += 1
            guard let device else { continue }
            let deviceNumber = try draft.transaction.nextDeviceNumber()
            draft.edits.append(.putDevice(Device(number: deviceNumber, name: device, user: number)))
            made.devices += 1
        }
        return made
    }

    /// The teams that the table names and the directory does not have, in the order of the table.
    ///
    /// - Throws: `Problem.invalid` with every fault.
    private func newTeams(in directory: Directory) throws(Problem) -> [String] {
        let names = Set(table.rows.compactMap(\.name))
        var faults = TableFaults()
        var made: [String] = []
        var seen: Set<String> = []
        for row in table.rows {
            if let name = row.name, let fault = Self.fault(of: name, among: names, in: directory) {
                faults.add(row.line, .name, fault)
            }
            guard let team = row.team, directory.teams[team] == nil else { continue }
            guard makesTeams else {
                faults.add(row.line, .team, "there is no team \(team)")
                continue
            }
            guard seen.insert(team).inserted else { continue }
            if directory.trackers[team] != nil {
                faults.add(row.line, .team, "there is a tracker \(team), and a team's tracker has the team's name")
            } else if made.count == Self.teamLimit {
                faults.add(row.line, .team, "is more than \(Self.teamLimit) new teams")
            } else {
                made.append(team)
            }
        }
        var all = table.faults
        all.add(faults)
        try all.throwIfAny()
        return made
    }

    /// Why no new user may have a valid name; nil where one may.
    private static func fault(of name: String, among names: Set<String>, in directory: Directory) -> String? {
        guard let released = directory.releasing(name) else { return "there is a user \(name) already" }
        guard case .putUser(let other)? = released.first, names.contains(other.name) else { return nil }
        return "a device's user has this name and would become \(other.name), which the table names, too"
    }
}

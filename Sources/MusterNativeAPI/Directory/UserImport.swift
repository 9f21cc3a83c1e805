import MusterCore
import MusterServer
import MusterStore

/// The users of a table, to be made all together or not at all.
struct UserImport: Sendable {
    /// How many users, teams, crews and devices an import makes.
    struct Made: Hashable, Sendable {
        var users = 0
        var teams = 0
        var crews = 0
        var devices = 0
    }

    /// The largest number of teams that one import makes.
    static let teamLimit = 10_000

    let table: UserTable
    /// Whether teams that do not exist are made. Otherwise they are faults. Crews that do not exist are always made.
    let makesTeams: Bool
    /// The name of a device that every user gets; nil for none.
    let device: String?

    /// The teams and crews that the table names and the directory does not have, in the order of the table.
    fileprivate struct Missing {
        /// A crew by its team's name and its own.
        struct CrewName: Hashable {
            var team: String
            var name: String
        }
        var teams: [String] = []
        var crews: [CrewName] = []
    }

    /// Returns what the import would make.
    ///
    /// - Throws: `Problem.invalid` with every fault of the table by itself and over the directory.
    func preview(in directory: Directory) throws(Problem) -> Made {
        let missing = try missing(in: directory)
        return Made(
            users: table.rows.count, teams: missing.teams.count, crews: missing.crews.count,
            devices: device == nil ? 0 : table.rows.count)
    }

    /// Drafts the edits that make everything.
    ///
    /// - Throws: as `preview`, and the store's errors.
    func add(to draft: inout Draft, in directory: Directory) throws -> Made {
        let missing = try missing(in: directory)
        let collections = directory.collectionsForNewTeam
        draft.edits.reserveCapacity(
            2 * missing.teams.count + missing.crews.count + (device == nil ? 1 : 2) * table.rows.count)
        var teams: [String: TeamNumber] = [:]
        for name in missing.teams {
            teams[name] = try draft.addTeam(named: name, linkedTo: collections, in: directory).number
        }
        var crews: [Missing.CrewName: CrewNumber] = [:]
        for crew in missing.crews {
            guard let team = directory.teams[crew.team]?.number ?? teams[crew.team] else { throw Problem.internalError }
            crews[crew] = try draft.addCrew(named: crew.name, to: team).number
        }
        var made = Made(teams: missing.teams.count, crews: missing.crews.count)
        for row in table.rows {
            guard let name = row.name, let released = directory.releasing(name) else { throw Problem.internalError }
            let number = try draft.transaction.nextUserNumber()
            let team = row.team.flatMap { directory.teams[$0]?.number ?? teams[$0] }
            let crew = row.crewName.flatMap { crew in
                crews[crew] ?? team.flatMap { directory.crew(named: crew.name, in: $0)?.number }
            }
            draft.edits += released
            draft.edits.append(
                .putUser(
                    User(
                        number: number, name: name, role: row.role, team: team, crew: crew, email: row.email,
                        phone: row.phone, displayName: row.displayName)))
            made.users += 1
            guard let device else { continue }
            let deviceNumber = try draft.transaction.nextDeviceNumber()
            draft.edits.append(.putDevice(Device(number: deviceNumber, name: device, user: number)))
            made.devices += 1
        }
        return made
    }

    /// - Throws: `Problem.invalid` with every fault.
    private func missing(in directory: Directory) throws(Problem) -> Missing {
        let names = Set(table.rows.compactMap(\.name))
        var faults = TableFaults()
        for row in table.rows {
            if let name = row.name, let fault = Self.fault(of: name, among: names, in: directory) {
                faults.add(row.line, .name, fault)
            }
        }
        let missing = Missing(
            teams: missingTeams(in: directory, &faults), crews: missingCrews(in: directory, &faults))
        var all = table.faults
        all.add(faults)
        try all.throwIfAny()
        return missing
    }

    private func missingTeams(in directory: Directory, _ faults: inout TableFaults) -> [String] {
        var made: [String] = []
        var seen: Set<String> = []
        for row in table.rows {
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
        return made
    }

    private func missingCrews(in directory: Directory, _ faults: inout TableFaults) -> [Missing.CrewName] {
        var made: [Missing.CrewName] = []
        var seen: Set<Missing.CrewName> = []
        var counts: [String: Int] = [:]
        for row in table.rows {
            guard row.crew != nil else { continue }
            guard let crew = row.crewName else {
                // A team with a fault of its own is told of once.
                if !row.namesTeam { faults.add(row.line, .crew, "needs a team, because a crew is a part of one") }
                continue
            }
            let team = directory.teams[crew.team]?.number
            if let team, directory.crew(named: crew.name, in: team) != nil { continue }
            guard seen.insert(crew).inserted else { continue }
            let count = counts[crew.team] ?? team.map { directory.crewCount(in: $0) } ?? 0
            counts[crew.team] = count + 1
            if count >= Crew.limitPerTeam {
                faults.add(row.line, .crew, "is more than \(Crew.limitPerTeam) crews of the team \(crew.team)")
            } else {
                made.append(crew)
            }
        }
        return made
    }

    /// Why no new user may have a valid name; nil where one may.
    private static func fault(of name: String, among names: Set<String>, in directory: Directory) -> String? {
        guard let released = directory.releasing(name) else { return "there is a user \(name) already" }
        guard case .putUser(let other)? = released.first, names.contains(other.name) else { return nil }
        return "a device's user has this name and would become \(other.name), which the table names, too"
    }
}

extension UserTable.Row {
    /// The crew that the row names, with its team; nil where it names none of a valid team.
    fileprivate var crewName: UserImport.Missing.CrewName? {
        guard let team, let crew else { return nil }
        return .init(team: team, name: crew)
    }
}

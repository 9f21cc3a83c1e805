import MusterCore
import Testing

/// Crews: named parts of a team.
@Suite struct CrewTests {
    private static let (north, south) = (TeamNumber(1), TeamNumber(2))
    private static let (engine, ladder, boat) = (CrewNumber(1), CrewNumber(2), CrewNumber(3))

    /// Two teams: ana and ben are in Engine 3 of north, cleo is in no crew, sue is in Engine 3 of south.
    private static let town: Directory = {
        var directory = Directory()
        for (team, name) in [(north, "north"), (south, "south")] {
            directory.apply(.putTeam(Team(number: team, name: name, tracker: TrackerNumber(team.rawValue))))
        }
        let crews = [(engine, north, "Engine 3"), (ladder, north, "Ladder 1"), (boat, south, "Engine 3")]
        for (crew, team, name) in crews {
            directory.apply(.putCrew(Crew(number: crew, team: team, name: name)))
        }
        let people: [(String, TeamNumber, CrewNumber?)] = [
            ("ana", north, engine), ("ben", north, engine), ("cleo", north, nil), ("sue", south, boat),
        ]
        for (index, person) in people.enumerated() {
            let number = UserNumber(Int32(index) + 1)
            directory.apply(
                .putUser(User(number: number, name: person.0, role: .member, team: person.1, crew: person.2)))
        }
        return directory
    }()

    private func names(in team: TeamNumber, of directory: Directory) -> [UserNumber: String] {
        directory.crewNames(of: directory.users.all.map(\.number), in: team)
    }

    @Test func `a name is found in its own team, and free again after a renaming`() throws {
        var directory = Self.town
        #expect(directory.crew(named: "Engine 3", in: Self.north)?.number == Self.engine)
        #expect(directory.crew(named: "Engine 3", in: Self.south)?.number == Self.boat)
        var crew = try #require(directory.crews[Self.engine])
        crew.name = "Engine 7"
        directory.apply(.putCrew(crew))
        #expect(directory.crew(named: "Engine 3", in: Self.north) == nil)
        #expect(directory.crew(named: "Engine 7", in: Self.north) == crew)
        #expect(directory.crews(in: Self.north).map(\.name) == ["Engine 7", "Ladder 1"])
        #expect(names(in: Self.north, of: directory) == [UserNumber(1): "Engine 7", UserNumber(2): "Engine 7"])
    }

    @Test func `a user who changes the team leaves the crew, and one who keeps it stays`() throws {
        var ana = try #require(Self.town.users["ana"])
        ana.team = Self.north
        ana.role = .leader
        #expect(ana.crew == Self.engine)
        ana.team = Self.south
        #expect(ana.crew == nil)
        ana.crew = Self.boat
        ana.team = nil
        #expect(ana.crew == nil)
    }

    @Test func `the people of a removed crew stay in the team`() {
        var directory = Self.town
        for edit in directory.removal(of: Self.engine) { directory.apply(edit) }
        #expect(directory.crews[Self.engine] == nil && directory.crewCount(in: Self.north) == 1)
        #expect(directory.users.all.filter { $0.team == Self.north }.map(\.crew) == [nil, nil, nil])
        #expect(directory.users["sue"]?.crew == Self.boat)
    }

    @Test func `a removed team takes its crews along`() {
        var directory = Self.town
        for edit in directory.removal(of: Self.north) { directory.apply(edit) }
        #expect(directory.crews.all.map(\.number) == [Self.boat])
        #expect(directory.crews(in: Self.north) == [])
        #expect(["ana", "ben", "cleo"].allSatisfy { directory.users[$0]?.crew == nil })
        #expect(names(in: Self.south, of: directory) == [UserNumber(4): "Engine 3"])
    }

    @Test func `a crew's people are counted without gateways`() {
        var directory = Self.town
        directory.apply(
            .putUser(User(number: UserNumber(5), name: "gate", role: .gateway, team: Self.north, crew: Self.engine)))
        #expect(directory.crewSizes(in: Self.north) == [Self.engine: 2])
        #expect(names(in: Self.south, of: directory) == [UserNumber(4): "Engine 3"])
    }

    @Test(arguments: [
        "Engine 3", "é", "消防 第三", "A/B", "...1", String(repeating: "x", count: 100), "1\u{301}",
    ])
    func `a crew may be called so`(name: String) { #expect(Crew.isName(name)) }

    @Test(arguments: [
        "", " ", "Engine  3", " Engine 3", "Engine 3 ", ".", "..", "a\nb", "a\tb", "a\u{202E}b", "a\u{0}", "a\u{A0}b",
        String(repeating: "x", count: 101),
    ])
    func `a crew may not be called so`(name: String) { #expect(!Crew.isName(name)) }
}

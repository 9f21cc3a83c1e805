import Foundation
import MusterKit
import Testing

@testable import MusterApp

/// What a leader's face shows of people whom no server told of, among them the invented team of the previews.
@MainActor @Suite struct LeaderFaceTests {
    private func person(
        _ name: String, _ state: SafetyState, north metres: Double, at time: Date, accuracy: Double = 8
    ) -> Person {
        var person = Person(user: name)
        (person.team, person.state) = ("crew", state)
        person.located = Person.Place(
            latitude: 52.001 + metres / 111_260, longitude: 13, time: time, accuracyMetres: accuracy)
        return person
    }

    @Test func `people close together are one mark; a call for help, and old, wild and rough places are apart`()
        async throws
    {
        let app = try await AppModel.sample(.english, isLeader: true)
        let account = try #require(app.account)
        let now = app.wording.now
        var wild = person("eve", .unknown, north: 6_000, at: now)
        wild.wild = Person.Place(latitude: 52.1, longitude: 13.05, time: now)
        let people = [
            person("ann", .safe, north: 0, at: now), person("bob", .safe, north: 2, at: now),
            person("cy", .sos, north: 1, at: now), person("dee", .unknown, north: 3_000, at: now - 900), wild,
            person("fay", .unknown, north: 9_000, at: now, accuracy: 900),
        ]
        var state = TeamState(user: "lea")
        (state.role, state.team, state.heardAt, state.sequence) = ("leader", "crew", now, 1)
        state.replace(people: people, incidents: [])
        account.follower.show(state)
        let map = account.map
        let marks = map.marks(in: MapModel.Box(south: 51.9, west: 12.9, north: 52.2, east: 13.1))
        #expect(marks.map(\.count).sorted() == [1, 1, 1, 1, 2])
        let cluster = try #require(marks.first { $0.count == 2 })
        #expect(cluster.title == "2 people" && cluster.state == .safe && !cluster.isOld)
        #expect(marks.last?.user == "cy", "who calls for help is drawn above the others")
        let dee = try #require(marks.first { $0.user == "dee" })
        #expect(dee.isOld && !dee.isWild)
        let eve = try #require(marks.first { $0.user == "eve" })
        #expect(eve.isWild && eve.place == MapModel.Place(latitude: 52.1, longitude: 13.05))
        #expect(eve.accuracyMetres == nil, "nobody knows how far off it is")
        #expect(marks.first { $0.user == "fay" }?.isWild ?? false, "a rough place is drawn apart, too")
        #expect(map.marks(in: MapModel.Box(south: 0, west: 12.9, north: 1, east: 13.1)).isEmpty)
        await app.close()
    }

    @Test func `a visitor who needs help is on the list, and no alarm that nobody could acknowledge`() async throws {
        let app = try await AppModel.sample(.english, isLeader: true)
        let account = try #require(app.account)
        let leader = try #require(account.leader)
        #expect(leader.alarms.cards.map(\.id) == ["dai", "ivo"], "SOS comes first")
        var visitor = Person(user: Person.rollKey(7, -1))
        (visitor.name, visitor.team, visitor.state) = ("Vic", "North", .needsHelp)
        visitor.roll = Person.RollPlace(incident: 7, person: -1, kind: .visitor)
        var state = account.follower.state
        state.put(visitor)
        account.follower.show(state)
        #expect(leader.roster.rows.contains { $0.name == "Vic" && $0.state == .needsHelp })
        #expect(leader.alarms.cards.map(\.id) == ["dai", "ivo"])
        await app.close()
    }

    @Test(arguments: Language.allCases)
    func `the previews have a leader and a member in a drill, in each language`(_ language: Language) async throws {
        for isLeader in [true, false] {
            let app = try await AppModel.sample(language, isLeader: isLeader)
            #expect(app.face == (isLeader ? .leader : .member))
            let account = try #require(app.account)
            #expect(account.status.title == Words(language).text(isLeader ? .stateSafe : .stateUnsafe))
            #expect(account.call.unseen?.title == Words(language).text(.callDrill))
            #expect(account.leader?.incident.card?.isDrill == (isLeader ? true : nil))
            #expect(account.leader?.roster.count == (isLeader ? 12 : nil))
            #expect(account.way.target != nil && !account.map.areas.isEmpty)
            await app.close()
        }
    }
}

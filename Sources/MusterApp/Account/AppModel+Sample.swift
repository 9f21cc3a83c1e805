import Foundation
import MusterCore
import MusterGeometry
public import MusterKit

extension AppModel {
    /// An app with invented people and an open drill, for previews: it is signed in, and asks no server.
    ///
    /// - Throws: `MusterError` if its temporary store cannot be made.
    public static func sample(_ language: Language, isLeader: Bool) async throws(MusterError) -> AppModel {
        let folder = FileManager.default.temporaryDirectory.appending(path: "muster-sample-\(UUID().uuidString)")
        let system = AppSystem(folder: folder, preferredLanguages: [language.rawValue])
        let app = AppModel(system)
        let muster = try await Muster.open("https://muster.invalid", store: folder.appending(path: "sample.sqlite"))
        let user = isLeader ? "lea" : "ana"
        let account = AccountModel(
            muster, user: user, folder: folder, system, app.wording, isReporting: false)
        account.follower.show(TeamState.sample(of: user, isLeader: isLeader, at: app.wording.now))
        account.way.show(sampleAreas, at: Muster.Location(latitude: 43.5662, longitude: -6.0580, time: Date()))
        account.refresh()
        app.adoptSample(account)
        return app
    }

    private static var sampleAreas: [RegionWatch.Area] {
        func area(_ id: String, _ latitude: Double, _ longitude: Double, isMuster: Bool) -> RegionWatch.Area? {
            guard let centre = try? Coordinate(latitude: latitude, longitude: longitude) else { return nil }
            return RegionWatch.Area(
                region: RegionWatch.Name(collection: "sample", id: id), title: id,
                shape: .circle(Circle(centre: centre, radius: Metres(60))), isMuster: isMuster, isByBeacon: false)
        }
        return [area("A", 43.5680, -6.0570, isMuster: true), area("B", 43.5640, -6.0600, isMuster: false)]
            .compactMap(\.self)
    }
}

extension TeamState {
    /// A dozen invented people with an open drill.
    static func sample(of user: String, isLeader: Bool, at now: Date) -> TeamState {
        var state = TeamState(user: user)
        (state.role, state.team, state.heardAt, state.sequence) = (isLeader ? "leader" : "member", "North", now, 1)
        let states: [(String, SafetyState, String, StateDoubt?)] = [
            ("ana", .unsafe, "position", nil), ("ben", .safe, "region", nil), ("carla", .safe, "region", .checking),
            ("dai", .sos, "ownDeclaration", nil), ("eva", .unknown, "silence", nil), ("fumi", .offSite, "marked", nil),
            ("guo", .safe, "ownDeclaration", nil), ("hana", .unknown, "seemsToHaveLeft", nil),
            ("ivo", .needsHelp, "ownDeclaration", nil), ("juan", .safe, "region", nil), ("lea", .safe, "region", nil),
            ("mei", .unsafe, "position", nil),
        ]
        let people = states.enumerated().map { index, entry in
            var person = Person(user: entry.0)
            (person.team, person.state, person.source, person.doubt) = ("North", entry.1, entry.2, entry.3)
            person.crew = index % 2 == 0 ? "1" : "2"
            person.since = now.addingTimeInterval(-Double(index + 1) * 60)
            person.heard = now.addingTimeInterval(-Double(index) * 20)
            person.located = Person.Place(
                latitude: 43.566 + Double(index % 4) / 2_000, longitude: -6.058 + Double(index / 4) / 2_000,
                time: person.heard, accuracyMetres: 8, battery: Double(90 - index * 7))
            person.roll = Person.RollPlace(incident: 7, person: Int64(index + 1), kind: .user)
            return person
        }
        let incident = Incident(
            number: 7, team: "North", isDrill: true, startedAt: now.addingTimeInterval(-372), startedBy: "lea",
            leader: "lea", isOpen: true)
        state.replace(people: isLeader ? people : people.filter { $0.user == user }, incidents: [incident])
        return state
    }
}

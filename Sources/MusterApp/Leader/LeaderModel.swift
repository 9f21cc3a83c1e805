import Foundation
import MusterKit
public import Observation

/// The leader's face: people, map, incident, regions, and who calls for help.
@MainActor @Observable public final class LeaderModel {
    /// The list of people.
    public let roster: RosterModel
    /// The incident and its roll.
    public let incident: IncidentModel
    /// The regions and their editor.
    public let regions: RegionsModel
    /// Who calls for help.
    public let alarms: AlarmsModel
    /// The map.
    public let map: MapModel

    private let follower: TeamFollower
    private let outbox: Outbox
    private let server: ServerClient
    private let wording: Wording
    @ObservationIgnored private var people: [String: PersonModel] = [:]

    /// How many models of one person are kept.
    private static let personLimit = 20

    init(
        _ follower: TeamFollower, _ outbox: Outbox, _ server: ServerClient, _ map: MapModel, _ muster: Muster,
        _ wording: Wording
    ) {
        (self.follower, self.outbox, self.server, self.wording) = (follower, outbox, server, wording)
        self.map = map
        roster = RosterModel(follower, wording)
        incident = IncidentModel(follower, outbox, server, wording)
        regions = RegionsModel(follower, server, muster, wording)
        alarms = AlarmsModel(follower, outbox, wording)
    }

    /// The model of one person, the same for the same name while it is shown.
    public func person(_ name: String) -> PersonModel {
        if let known = people[name] { return known }
        if people.count >= Self.personLimit { people.removeAll() }
        let model = PersonModel(name, follower, outbox, server, wording)
        people[name] = model
        return model
    }

    /// The people by name, for a shortcut in which one chooses.
    public var names: [PersonName] {
        follower.state.people.values.filter { $0.roll?.kind ?? .user == .user }
            .map { PersonName(id: $0.user, name: wording.legible($0.called)) }
            .sorted { ($0.name.lowercased(), $0.id) < ($1.name.lowercased(), $1.id) }
    }

    /// A person by name.
    public struct PersonName: Hashable, Sendable, Identifiable {
        /// The user's name.
        public var id: String
        /// What the person is called.
        public var name: String
    }

    /// Where a person is, in words: for a shortcut that asks "Where is Ana?".
    ///
    /// - Parameter id: the user's name, of `names`.
    public func whereIs(_ id: PersonName.ID) -> String {
        guard let person = follower.state.people.values.first(where: { $0.user == id }) else {
            return wording.words.text(.personUnknown, ["name": wording.legible(id)])
        }
        return RosterModel.row(of: person, follower.state.shown(person), wording).spoken
    }
}

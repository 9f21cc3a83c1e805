/// A named part of one team, such as "Engine 3". A user is in at most one crew, and only in one of their own team.
public struct Crew: Hashable, Sendable {
    /// The number by which users and the log know the crew. It stays when the crew is renamed.
    public let number: CrewNumber
    /// The team that the crew is a part of. A crew never changes its team.
    public let team: TeamNumber
    /// The name, valid by `isName`, unique among the team's crews.
    public var name: String

    /// The greatest length of a name, in Unicode scalars.
    public static let nameLimit = 100
    /// The largest number of crews of one team.
    public static let limitPerTeam = 1_000

    /// Creates a crew without people.
    public init(number: CrewNumber, team: TeamNumber, name: String) {
        self.number = number
        self.team = team
        self.name = name
    }

    /// Whether a text can name a crew: 1 to 100 visible characters and single spaces between them, at least one of them
    /// not a dot (so that no name is a relative path). Control characters, and invisible ones that change how a text is
    /// displayed, are refused.
    ///
    /// - Complexity: O(length).
    public static func isName(_ text: String) -> Bool {
        let scalars = text.unicodeScalars
        guard (1...nameLimit).contains(scalars.count), scalars.contains(where: { $0 != "." }) else { return false }
        let words = scalars.split(separator: " ", omittingEmptySubsequences: false)
        return words.allSatisfy { !$0.isEmpty && $0.allSatisfy { $0.isVisible } }
    }
}

/// A crew's number.
public typealias CrewNumber = Number<Crew>

extension Crew: Entity {
    /// Nil, because a crew's name is unique only within its team.
    public var uniqueName: String? { nil }
}

extension Directory {
    /// Returns the edits that remove a crew. Its people stay, without a crew.
    public func removal(of crew: CrewNumber) -> [Edit] {
        let people = users.all.filter { $0.crew == crew }.map { user -> Edit in
            var user = user
            user.crew = nil
            return .putUser(user)
        }
        return people + [.removeCrew(crew)]
    }

    /// Returns, by person, the name of the team's crew that each of these people is in.
    public func crewNames(of people: some Sequence<UserNumber>, in team: TeamNumber) -> [UserNumber: String] {
        var names: [UserNumber: String] = [:]
        for person in people {
            guard let crew = users[person]?.crew.flatMap({ crews[$0] }), crew.team == team else { continue }
            names[person] = crew.name
        }
        return names
    }

    /// Returns how many people each crew of a team has; a gateway, which is a machine, does not count.
    ///
    /// - Complexity: O(users).
    public func crewSizes(in team: TeamNumber) -> [CrewNumber: Int] {
        var sizes: [CrewNumber: Int] = [:]
        for user in users.all where user.team == team && user.role != .gateway {
            if let crew = user.crew { sizes[crew, default: 0] += 1 }
        }
        return sizes
    }
}

package import MusterCore

/// Rights to see and change crews.
extension Access {
    /// Whether the principal may list a team's crews: everyone who reads the team's roll may. A member sees the name of
    /// their own crew alone, in their own user.
    package func mayReadCrews(of team: Team) -> Bool {
        principal.device == nil && mayRead(team) && principal.role != .member
    }

    /// Whether the principal may read the name of this crew: of their own, or of a team whose crews they may list.
    package func mayRead(_ crew: Crew) -> Bool {
        if principal.device == nil, directory.users[principal.user]?.crew == crew.number { return true }
        return directory.teams[crew.team].map { mayReadCrews(of: $0) } ?? false
    }

    /// Whether the principal may create, rename and remove a team's crews: the team's leaders and admins.
    package func mayChangeCrews(of team: Team) -> Bool { mayLead(team) }

    /// Whether the principal may put this user into a crew of the user's team, or take them out of one.
    package func mayChangeCrew(of user: User) -> Bool {
        user.team.flatMap { directory.teams[$0] }.map { mayChangeCrews(of: $0) } ?? mayChangeAccounts
    }

    /// The telephone numbers of those of these people whose contacts the principal may read.
    package func phones(of people: some Sequence<UserNumber>) -> [UserNumber: String] {
        var phones: [UserNumber: String] = [:]
        for person in people {
            guard let user = directory.users[person], mayReadContacts(of: user) else { continue }
            phones[person] = user.phone
        }
        return phones
    }
}

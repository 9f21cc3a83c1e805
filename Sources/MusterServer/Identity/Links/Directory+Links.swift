package import MusterCore
import MusterStore

/// The rights to give links. A link lasts as long as its giver has the right to give it.
extension Access {
    /// Whether the principal may show this person's state and place to the bearer of a link: a leader the people of
    /// the team, an admin everyone.
    package func mayShare(_ user: User) -> Bool { user.role != .gateway && mayAskForLocation(of: user) }

    /// Whether the principal may let this user set a password by a link: a leader the members of the team, an admin
    /// everyone else.
    package func mayInvite(_ user: User) -> Bool { user.number != principal.user && mayGiveTag(to: user) }

    /// Whether the principal may give a link for this purpose. A link that shows a person ends when the person moves to
    /// another team.
    package func mayGive(_ purpose: Link.Purpose) -> Bool {
        let user = purpose.user.flatMap { directory.users[$0] }
        switch purpose.kind {
        case .person: return user.map { $0.team == purpose.team && mayShare($0) } ?? false
        case .invitation: return user.map { mayInvite($0) } ?? false
        case .incident, .visitors:
            return purpose.team.flatMap { directory.teams[$0] }.map { mayLead($0) } ?? false
        }
    }

    /// Whether the principal may see that this link exists, and withdraw it: an admin, the giver, and a leader who
    /// could give it too.
    package func mayManage(_ link: Link) -> Bool {
        guard principal.device == nil else { return false }
        return switch principal.role {
        case .admin: true
        case .leader: link.giver == principal.user || mayGive(link.purpose)
        case .member, .analyst, .gateway, .guest: false
        }
    }
}

extension Directory {
    /// Whether a link still has its giver's right.
    func lets(_ link: Link) -> Bool {
        users[link.giver].map { Access(Principal($0, proof: .password), in: self).mayGive(link.purpose) } ?? false
    }

    /// Returns the links that end with an edit: because it takes a giver's right or removes what the link is for, or
    /// because it sets the password that an invitation is to set.
    func linksEnded(by draft: Draft, following after: Directory, in store: any Store) throws -> [Credential] {
        let renewed = Set(draft.credentials.filter { $0.kind == .password }.compactMap(\.user))
        guard mayEndLinks(draft.edits) || !renewed.isEmpty else { return [] }
        let withdrawn = Set(draft.removedCredentials.filter { $0.kind == .link }.map(\.key))
        return try store.credentials(.link).filter { credential in
            guard let link = Link(credential), !withdrawn.contains(link.key) else { return false }
            let isAnswered = link.kind == .invitation && link.purpose.user.map { renewed.contains($0) } ?? false
            return isAnswered || !after.lets(link)
        }
    }

    private func mayEndLinks(_ edits: [Edit]) -> Bool {
        edits.contains { edit in
            switch edit {
            case .removeUser, .joinUser, .removeTeam: true
            case .putUser(let user): users[user.number].map { $0.role != user.role || $0.team != user.team } ?? false
            default: false
            }
        }
    }
}

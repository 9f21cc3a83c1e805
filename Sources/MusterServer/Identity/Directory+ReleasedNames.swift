import MusterCore

/// Names that an endpoint took for devices of nobody's are free for people.
extension Directory {
    /// The edits that free a name: a user that nobody made gives it up, and is called `name@TRACKER` from then on, as
    /// where the person came first.
    ///
    /// - Returns: nil when a person has the name, or the other one is taken too.
    func releasing(_ name: String) -> [Edit]? {
        guard var user = users[name] else { return [] }
        guard user.isImplicit, let team = user.team.flatMap({ teams[$0] }), let tracker = trackers[team.tracker] else {
            return nil
        }
        user.name = "\(name)@\(tracker.name)"
        guard EntityName.isValid(user.name), users[user.name] == nil else { return nil }
        return [.putUser(user)]
    }

    /// The collections that a new team's tracker is linked to: those that teams share. What is one team's alone, of
    /// several, stays so.
    var collectionsForNewTeam: [CollectionNumber] {
        let trackers = teams.all.compactMap { self.trackers[$0.tracker] }.filter { !$0.isOfEvaluations }
        guard trackers.count > 1 else { return collections.all.map(\.number) }
        return collections.all.map(\.number).filter { collection in
            trackers.count { $0.collections.contains(collection) } != 1
        }
    }
}

package import MusterCore

/// People may take names that an endpoint gave to implicit users, the owners of devices that nobody created.
extension Directory {
    /// Returns the edits that free a name. An implicit user that holds the name is renamed to `name@TRACKER`, as if the
    /// person had come first.
    ///
    /// - Returns: no edits when the name is free; nil when a person holds the name, when the other name is taken too,
    ///   or when no new user may have the name (`EntityName.isFreeForUsers`).
    package func releasing(_ name: String) -> [Edit]? {
        guard EntityName.isFreeForUsers(name) else { return nil }
        guard var user = users[name] else { return [] }
        guard user.isImplicit, let team = user.team.flatMap({ teams[$0] }), let tracker = trackers[team.tracker] else {
            return nil
        }
        user.name = "\(name)@\(tracker.name)"
        guard EntityName.isValid(user.name), users[user.name] == nil else { return nil }
        return [.putUser(user)]
    }

    /// The collections to link a new team's tracker to: all that teams share. Where there are several teams, a
    /// collection that belongs to one of them alone is left out.
    package var collectionsForNewTeam: [CollectionNumber] {
        let trackers = teams.all.compactMap { self.trackers[$0.tracker] }.filter { !$0.isOfEvaluations }
        guard trackers.count > 1 else { return collections.all.map(\.number) }
        return collections.all.map(\.number).filter { collection in
            trackers.count { $0.collections.contains(collection) } != 1
        }
    }
}

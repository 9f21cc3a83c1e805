package import MusterCore
import MusterStore

/// Ends the rules, targets, tokens and replications that depend on a user's rights, in the transaction in which those
/// rights end.
extension Directory {
    /// Whether trackers of more than one team are linked to a collection. Trackers made only for evaluations do not
    /// count.
    func isShared(_ collection: RegionCollection) -> Bool {
        let linked = trackers.all.filter { $0.collections.contains(collection.number) && !$0.isOfEvaluations }
        return linked.count > 1
    }

    /// Whether a device token is valid: as long as the user who made it has the right to make tokens for that device.
    ///
    /// - Parameter maker: the maker; nil where it was not recorded: such a token is valid until it is revoked.
    func letsToken(madeBy maker: UserNumber?, standForDevicesOf owner: UserNumber) -> Bool {
        guard let maker else { return users[owner] != nil }
        guard let maker = users[maker], let owner = users[owner] else { return false }
        return Access(Principal(maker, proof: .password), in: self).mayChangeDevices(of: owner)
    }

    /// Whether an admin remains without this user; true for a user who is not an admin.
    package func hasAnotherAdmin(than user: UserNumber) -> Bool {
        guard users[user]?.role == .admin else { return true }
        return users.all.contains { $0.role == .admin && $0.number != user }
    }

    /// Whether edits could end a user's rights to rules, targets or tokens that the user made.
    private func mayEndRights(_ edits: [Edit]) -> Bool {
        edits.contains { edit in
            switch edit {
            case .removeUser: true
            case .putUser(let user): users[user.number].map { $0.role != user.role || $0.team != user.team } ?? false
            default: false
            }
        }
    }

    /// Returns the edits that switch off the rules and targets of admins who lose their rights through the given edits.
    /// An admin who switches one on again becomes its maker.
    func suspensions(following edits: [Edit]) -> [Edit] {
        guard mayEndRights(edits) else { return [] }
        var ended: Set<UserNumber> = []
        for edit in edits {
            switch edit {
            case .removeUser(let user): ended.insert(user)
            case .putUser(let user) where user.role != .admin: ended.insert(user.number)
            default: continue
            }
        }
        let rules = self.rules.all.filter { $0.isEnabled && $0.maker.map { ended.contains($0) } ?? false }
        let targets = self.targets.all.filter { $0.isEnabled && $0.maker.map { ended.contains($0) } ?? false }
        return rules.map { rule in
            var rule = rule
            rule.isEnabled = false
            return .putRule(rule)
        }
            + targets.map { target in
                var target = target
                target.isEnabled = false
                return .putTarget(target)
            }
    }

    /// Whether a replication that a user started may continue.
    package func letsReplicate(orderedBy user: UserNumber) -> Bool {
        users[user].map { Access(Principal($0, proof: .password), in: self).mayAdministerDatabases } ?? false
    }

    /// Returns the device tokens that end because the edits take their makers' rights away.
    func tokensEnded(by edits: [Edit], following after: Directory, in store: any Store) throws -> [Credential] {
        guard mayEndRights(edits) else { return [] }
        return try store.credentials(.deviceToken).filter { token in
            guard let owner = token.user, after.users[owner] != nil else { return false }
            return !after.letsToken(madeBy: token.maker, standForDevicesOf: owner)
        }
    }
}

extension Edit {
    /// The edit with its author as the maker, where the record has one.
    package func made(by author: Author?) -> Edit {
        guard let author else { return self }
        switch self {
        case .putRule(var rule):
            rule.maker = author.user
            return .putRule(rule)
        case .putTarget(var target):
            target.maker = author.user
            return .putTarget(target)
        default: return self
        }
    }
}

extension Credential {
    /// The user who made a device token; nil for other credentials, and where the token does not record it.
    package var maker: UserNumber? {
        guard kind == .deviceToken, secret.count == 4 else { return nil }
        return UserNumber(Int32(bitPattern: secret.reduce(0) { $0 << 8 | UInt32($1) }))
    }
}

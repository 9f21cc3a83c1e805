import MusterCore
import MusterStore

/// What ends with the right of who made it, in the transaction in which that right ends.
extension Directory {
    /// Whether more than one team's devices cross a collection's regions. What evaluates positions without a tracker is
    /// no team.
    func isShared(_ collection: RegionCollection) -> Bool {
        let linked = trackers.all.filter { $0.collections.contains(collection.number) && !$0.isOfEvaluations }
        return linked.count > 1
    }

    /// Whether a device's token still stands: as long as whoever made it may make one.
    ///
    /// - Parameter maker: nil where that was not noted: such a token stands until it is taken away.
    func letsToken(madeBy maker: UserNumber?, standForDevicesOf owner: UserNumber) -> Bool {
        guard let maker else { return users[owner] != nil }
        guard let maker = users[maker], let owner = users[owner] else { return false }
        return Access(Principal(maker, proof: .password), in: self).mayChangeDevices(of: owner)
    }

    /// Whether edits could end someone's right to what they made.
    private func mayEndRights(_ edits: [Edit]) -> Bool {
        edits.contains { edit in
            switch edit {
            case .removeUser: true
            case .putUser(let user): users[user.number].map { $0.role != user.role || $0.team != user.team } ?? false
            default: false
            }
        }
    }

    /// Switches off the rules and targets of admins whose right ends by edits over this directory. Another admin who
    /// switches one on again is its maker then.
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

    /// Whether what a user ordered the server to replicate may go on.
    func letsReplicate(orderedBy user: UserNumber) -> Bool {
        users[user].map { Access(Principal($0, proof: .password), in: self).mayMakeDatabases } ?? false
    }

    /// The device tokens whose makers have lost the right to them by edits over this directory.
    func tokensEnded(by edits: [Edit], following after: Directory, in store: any Store) throws -> [Credential] {
        guard mayEndRights(edits) else { return [] }
        return try store.credentials(.deviceToken).filter { token in
            guard let owner = token.user, after.users[owner] != nil else { return false }
            return !after.letsToken(madeBy: token.maker, standForDevicesOf: owner)
        }
    }
}

extension Edit {
    /// The edit with who makes it, where that is kept.
    func made(by author: Author?) -> Edit {
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
    /// Who made a device's token; nil where that was not noted.
    var maker: UserNumber? {
        guard kind == .deviceToken, secret.count == 4 else { return nil }
        return UserNumber(Int32(bitPattern: secret.reduce(0) { $0 << 8 | UInt32($1) }))
    }
}

/// Why two users cannot be joined, or a device cannot be given to another user.
public enum JoinError: Error, Hashable, Sendable {
    /// Both are the same user.
    case isSame
    /// A person's account, and no user that stands for a device alone, would go.
    case isAccount
    /// They are in different teams, or in none.
    case isInOtherTeam
    /// One of them is a machine that reports for others.
    case isMachine
    /// The other one would have more devices than this.
    case tooManyDevices(limit: Int)
    /// The one that would go has keys of its own.
    case hasKeys
    /// The one that would go has documents of its own.
    case hasDocuments
    /// The one that would go calls for help.
    case callsForHelp
}

extension Directory {
    /// How many devices a user has at most.
    public static let deviceLimit = 100

    /// The largest number of regions in all collections together.
    public static let regionLimit = 200_000

    /// The edits by which a user who stands for a device turns out to be another user, who is the same person: the
    /// devices are the other's, and the user goes.
    ///
    /// - Parameter alias: what trackers' clients call a device of the user; it stays good.
    /// - Throws: `JoinError`, but for what the directory does not know: keys, documents and calls for help.
    public func joining(
        _ user: User, to person: User, alias: (Device) -> String
    ) throws(JoinError) -> [Edit] {
        guard user.number != person.number else { throw .isSame }
        guard user.isImplicit else { throw .isAccount }
        try check(user, and: person, gaining: devices(of: user.number).count)
        var after = self
        for number in devices(of: user.number) {
            guard let device = devices[number] else { continue }
            after.apply(after.giving(device, to: person, alias: device.alias ?? alias(device)))
        }
        let given = devices(of: user.number).compactMap { after.devices[$0] }.map { Edit.putDevice($0) }
        return given + [.joinUser(user.number, to: person.number)]
    }

    /// The edits that give one device to another user. Its former owner stays.
    ///
    /// - Parameter alias: what trackers' clients may go on calling it.
    /// - Throws: `JoinError`.
    public func giving(_ device: Device, from user: User, to person: User, alias: String) throws(JoinError) -> [Edit] {
        guard user.number != person.number else { throw .isSame }
        try check(user, and: person, gaining: 1)
        return [giving(device, to: person, alias: device.alias ?? alias)]
    }

    private func check(_ user: User, and person: User, gaining count: Int) throws(JoinError) {
        guard let team = user.team, team == person.team else { throw .isInOtherTeam }
        guard user.role != .gateway, person.role != .gateway else { throw .isMachine }
        guard devices(of: person.number).count + count <= Self.deviceLimit else {
            throw .tooManyDevices(limit: Self.deviceLimit)
        }
    }

    private func giving(_ device: Device, to person: User, alias: String) -> Edit {
        var given = device
        given.user = person.number
        given.alias = alias
        var suffix = 2
        while self.device(named: given.name, of: person.number) != nil {
            // Of at most a hundred devices: a name is free soon.
            given.name = "\(device.name.prefix(60))-\(suffix)"
            suffix += 1
        }
        return .putDevice(given)
    }
}

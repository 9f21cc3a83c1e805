/// Why two users cannot be joined, or a device cannot be given to another user.
public enum JoinError: Error, Hashable, Sendable {
    /// The two users are the same.
    case isSame
    /// The user to be removed is an ordinary account, not one that an endpoint made for a device.
    case isAccount
    /// The two users are in different teams, or in none.
    case isInOtherTeam
    /// One of the two is a gateway, a machine that reports for others.
    case isMachine
    /// The receiving user would have more devices than the limit.
    case tooManyDevices(limit: Int)
    /// The user who would be removed has keys.
    case hasKeys
    /// The user who would be removed has a check-in timer.
    case hasTimer
    /// An attendance or proximity rule counts only the user who would be removed, or that user is the centre of one.
    case isExpected
    /// The user who would be removed has documents.
    case hasDocuments
    /// The user who would be removed is calling for help.
    case callsForHelp
}

extension Directory {
    /// The largest number of devices of a user.
    public static let deviceLimit = 100

    /// The largest number of regions in all collections together.
    public static let regionLimit = 200_000

    /// Returns the edits that join a user whom an endpoint made for a device to the person who owns the device: they
    /// give the devices to that person and remove the first user.
    ///
    /// - Parameter alias: returns the id that trackers' clients use for a device; it stays valid.
    /// - Throws: `JoinError`. The directory does not know keys, timers, rules, documents and calls for help, so the
    ///   caller checks for those.
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

    /// Returns the edits that give one device to another user. They do not remove the former owner.
    ///
    /// - Parameter alias: the id that trackers' clients may go on using.
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
        // The former owner agreed to be measured, and the new one has not.
        given.rangeTag = nil
        var suffix = 2
        while self.device(named: given.name, of: person.number) != nil {
            // A user has at most a hundred devices, so a free name comes soon.
            given.name = "\(device.name.prefix(60))-\(suffix)"
            suffix += 1
        }
        return .putDevice(given)
    }
}

package import MusterCore

/// Rights to report for other users. They depend on the protocol by which the report arrives.
extension Access {
    /// Whether the principal is a gateway user, or the device of one: it may report which radios it heard. Otherwise
    /// the token of such a device has the rights of any device's token.
    package var mayReportAsGateway: Bool {
        isGatewayUser || (principal.device != nil && directory.users[principal.user]?.role == .gateway)
    }

    /// Whether the principal may name another user's device in an OwnTracks topic. `mayReport(for:)` decides for each
    /// device.
    package var mayReportForOthers: Bool { principal.role == .gateway || principal.role == .admin }

    /// Whether the reports of many devices come by this principal's connection, so that the report of one must not end
    /// the connection.
    package var relaysManyDevices: Bool { isGatewayUser }

    /// Whether the principal may report which radios this device heard. A sighting does not say who reported it, so a
    /// gateway reports what its own devices heard, and no other's.
    package func mayReportSightings(heardBy device: Device) -> Bool {
        mayReport(for: device) && (!isGatewayUser || device.user == principal.user)
    }

    /// Whether the principal may pass on what this user wrote by SMS: the principal is a gateway user, and the text is
    /// of a person who may declare for themselves. The endpoint admits one gateway user alone, whom the operator named.
    package func mayPassOnTexts(of user: User) -> Bool {
        isGatewayUser && principal.device == nil && [.admin, .leader, .member].contains(user.role)
    }

    /// Whether the principal may report positions to the tracker of this team. `mayReport(for:)` decides for each
    /// device.
    package func mayReportToTracker(of team: Team) -> Bool {
        principal.team == team.number || principal.role == .gateway || principal.role == .admin
    }

    /// The user whose device a report is about, given the user that the report names. Gateways report for the named
    /// user alone. An admin's report that names no user is about the admin, because an iPhone app sends "user" when its
    /// user field is empty. Everyone else reports for themselves, and a guest for nobody.
    package func reportedUser(naming named: User?) -> User? {
        switch principal.role {
        case .gateway: named
        case .admin: named ?? directory.users[principal.user]
        case .leader, .member, .analyst: directory.users[principal.user]
        case .guest: nil
        }
    }

    /// Whether a position report of the principal may create a device for this user, who has no such device yet.
    ///
    /// - Parameter forAnyone: whether the principal's reports may create devices for other users.
    package func mayCreateDeviceByReport(of user: User, forAnyone: Bool) -> Bool {
        switch principal.role {
        case .admin, .gateway: forAnyone
        case .leader, .member, .analyst: principal.user == user.number && mayChangeDevices(of: user)
        case .guest: false
        }
    }
}

/// Rights of every user except a gateway user, which is not a person.
extension Access {
    private var isGatewayUser: Bool { principal.role == .gateway }

    /// Whether the principal may subscribe to changes by MQTT.
    package var maySubscribe: Bool { !isGatewayUser }

    /// Whether the principal's devices receive commands, such as to report the location. A gateway is not the phone of
    /// the device's owner.
    package var receivesCommands: Bool { !isGatewayUser }

    /// The users whom an app shows as friends: the caller, for a leader also the people of the team, for a gateway
    /// nobody.
    package var friends: [User] {
        if isGatewayUser { return [] }
        let team = principal.role == .leader ? principal.team : nil
        return directory.users.all.filter {
            $0.number == principal.user || (team != nil && $0.team == team && mayRead($0))
        }
    }
}

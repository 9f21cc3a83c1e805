package import MusterCore

/// A guest who proved their identity by the signature of a request.
package struct GuestCaller: Hashable, Sendable {
    package let id: GuestID
    /// The number under which the guest's datasets are stored; if the guest has stored nothing, a number that nobody
    /// has.
    package let number: UserNumber

    package init(id: GuestID, number: UserNumber?) {
        self.id = id
        self.number = number ?? IncidentEntry.nobody
    }
}

/// The authenticated sender of a request. Role and team come from the directory at that moment, never from a token.
package struct Principal: Hashable, Sendable {
    /// The kind of credential that authenticated the request.
    package enum Proof: Hashable, Sendable {
        /// An access token of the session with this key.
        case session(key: [UInt8])
        /// A name and a password, sent with the request.
        case password
        case apiKey
        /// The key that the server leaves in its data folder for the command line. Only the owner of the data folder
        /// can read it.
        case control
        /// A token that one device carries.
        case deviceToken
        /// A signature made with an AWS access key.
        case amazonKey
        /// The name and password of a key that opens only its user's location database.
        case locationKey
    }

    /// The user who sent the request.
    package let user: UserNumber
    package let name: String
    /// The role that limits the request. Requests with a device token or a location key have the rights of a member,
    /// whatever the user's role.
    package let role: Role
    /// The roles by which databases are opened to the user; none for a request with a device token or a location key.
    package let databaseRoles: [String]
    package let team: TeamNumber?
    /// The device whose token was shown. Such a request may only report for that device.
    package let device: DeviceNumber?
    /// The kind of credential that authenticated the request.
    package let proof: Proof
    /// With the command line's key, the user of the operating system who runs the command, as the command states it.
    /// The server cannot check the name. Nil with any other credential.
    package var operatorName: String?
    /// The guest who sent the request; nil for a user.
    package let guest: GuestCaller?

    /// Makes the principal of a user from the credential that authenticated it.
    package init(_ user: User, device: DeviceNumber? = nil, proof: Proof) {
        self.user = user.number
        name = user.name
        let isLimited = device != nil || proof == .locationKey
        role = isLimited ? .member : user.role
        databaseRoles = isLimited ? [] : user.databaseRoles
        team = user.team
        self.device = device
        self.proof = proof
        guest = nil
    }

    /// Makes the principal of a guest. A guest is not a user and has no team, so no right of a user or a team applies.
    package init(_ guest: GuestCaller) {
        user = IncidentEntry.nobody
        name = "guest"
        role = .guest
        databaseRoles = []
        team = nil
        device = nil
        proof = .amazonKey
        self.guest = guest
    }
}

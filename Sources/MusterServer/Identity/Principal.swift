package import MusterCore

/// Who sends a request, as far as it was proved. Role and team are the directory's at that moment, never a token's.
package struct Principal: Hashable, Sendable {
    /// How it was proved.
    package enum Proof: Hashable, Sendable {
        /// An access token of the session with this key.
        case session(key: [UInt8])
        /// Name and password, with the request.
        case password
        case apiKey
        /// The key that the server leaves in its data folder for the command line: whoever has it owns the machine.
        case control
        /// A token that one device carries.
        case deviceToken
        /// A signature made with an AWS access key.
        case amazonKey
        /// The name and password of a key that opens its user's location database alone.
        case locationKey
    }

    /// Whose request it is.
    package let user: UserNumber
    /// The user's name.
    package let name: String
    /// What the request may do. A device token and a location key never do more than a member does, whoever they belong
    /// to.
    package let role: Role
    /// The user's team.
    package let team: TeamNumber?
    /// The device whose token was shown; such a request speaks for this device alone.
    package let device: DeviceNumber?
    /// How it was proved.
    package let proof: Proof

    /// The principal that a user is, by one proof.
    package init(_ user: User, device: DeviceNumber? = nil, proof: Proof) {
        self.user = user.number
        name = user.name
        role = device == nil && proof != .locationKey ? user.role : .member
        team = user.team
        self.device = device
        self.proof = proof
    }
}

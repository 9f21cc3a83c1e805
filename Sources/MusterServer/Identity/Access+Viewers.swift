package import MusterCore

/// The list of those who see a person, for the person to read. `Access.mayRead` decides; nothing here repeats it.
extension Directory {
    /// The other users who may read this user's positions and safety, in the order of their numbers.
    package func viewers(of user: User) -> [User] {
        users.all.filter { viewer in
            viewer.number != user.number && Access(Principal(viewer, proof: .password), in: self).mayRead(user)
        }
    }
}

extension Access {
    /// Whether the principal may read who sees this user. Everyone who may read the user's record may, except the
    /// bearer of a device's token, because the token can get into other hands with the device.
    package func mayReadViewers(of user: User) -> Bool { principal.device == nil && mayReadAccount(of: user) }
}

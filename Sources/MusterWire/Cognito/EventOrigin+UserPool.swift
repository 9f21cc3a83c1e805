package import MusterCore

/// The user pool of a store: all its users, whatever their team. Its ids follow from the store's UUID, so that they are
/// the same after every restart and on no other store.
extension EventOrigin {
    /// The id of the user pool, `REGION_NAME`, as Cognito's clients are configured with it.
    package var userPoolID: String { "\(region)_\(userPoolName)" }

    /// The part of the user pool's id behind the region: nine letters and digits, which clients hash with passwords.
    package var userPoolName: String { letters(9, salt: 0x706F_6F6C) }

    /// The id of the user pool's only client, which has no secret.
    package var userPoolClientID: String { letters(26, salt: 0x636C_6965) }

    /// The claim `sub` of a user's tokens: the UUID of the user's identity.
    package func subject(of user: UserNumber) -> String {
        String(text(of: .identity(user)).dropFirst(region.count + 1))
    }

    /// The user whose tokens have this `sub`; nil for a text that no user of this store has.
    package func user(ofSubject subject: String) -> UserNumber? {
        guard case .identity(let user) = cognitoID("\(region):\(subject)") else { return nil }
        return user
    }

    /// Lower-case letters and digits that follow from the store's UUID.
    private func letters(_ count: Int, salt: UInt64) -> String {
        let alphabet = Array("0123456789abcdefghijklmnopqrstuvwxyz")
        var state = Self.scatter(high ^ Self.scatter(low ^ salt))
        return String(
            (0..<count).map { _ in
                state = Self.scatter(state &+ 0x9E37_79B9_7F4A_7C15)
                return alphabet[Int(state % 36)]
            })
    }
}

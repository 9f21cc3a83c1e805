package import MusterCore

/// A secret that a client presents, or with which the server signs. Tokens and keys are stored as SHA-256 digests.
package struct Credential: Hashable, Sendable {
    /// The use of a credential, with its fields.
    package enum Kind: UInt8, Hashable, Sendable, CaseIterable {
        /// Key: the user's number, 4 bytes big-endian. Secret: the scrypt hash in its text form.
        case password
        /// Key: SHA-256 of the token, or of a certificate. Subject: a device. Label: of a certificate, what it opens.
        case deviceToken
        /// Key: SHA-256 of the API key. Subject: a user.
        case apiKey
        /// Key: SHA-256 of the refresh token. Subject: a user. Secret: the family it belongs to.
        case refreshToken
        /// Key: the key's id. Secret: the private key's raw bytes.
        case signingKey
        /// Key: the device's number, 4 bytes big-endian. Secret: the 1 to 32 bytes with which its phone encrypts
        /// reports.
        case encryptionKey
        /// Key: the access key id, in ASCII. Subject: a user. Secret, sealed: the secret access key, and for a
        /// temporary key the SHA-256 of its session token after it.
        case awsKey
        /// Key: the target's number, 4 bytes big-endian. Secret, sealed: what authorizes and signs the calls to the
        /// target.
        case targetSecret
        /// Key: "mark". Secret: a known text, sealed, which shows whether the server has the key that sealed the
        /// secrets.
        case vaultMark
        /// Key: the user's number, 4 bytes big-endian, and the index among the user's keys, 1 byte. Subject: a user.
        /// Secret: the SHA-256 of its password, then the mark of the user's password when the key was made.
        case locationKey
        /// Key: the push device's id, in ASCII. Subject: a user. Label: its platform. Secret, sealed: its address.
        case pushDevice
        /// Key: "vapid". Secret, sealed: the private key with which the server proves itself to Web Push services.
        case vapidKey
        /// Key: "rs256", and for a successor a space and its time in milliseconds. Secret, sealed: the private key that
        /// signs the tokens of Cognito's clients, as DER. The newest signs.
        case userPoolKey
        /// Key: the user's number, 4 bytes big-endian. Subject: a user. Secret, sealed: salt and verifier of SRP, the
        /// mark of the password that they are of, and the user's name.
        case passwordVerifier
        /// Key: the user's number and the device's (-1 for none), 4 bytes big-endian each, and the client's id.
        /// Subject: a user, and the device whose token opened the session. Label: the client's id. Secret: an MQTT
        /// client's subscriptions and its place in the log, which is not secret.
        case messagingSession
        /// Key: SHA-256 of the token. Subject: the user who gave the link, and with whom it goes. Label: the giver's
        /// note. Secret: what the link opens, which is not secret.
        case link
        /// Key: SHA-256 of a visitors' link's key and the sender's id. Subject: the user who gave the link. Label: the
        /// visitor's name. It shows that the visitor of that id is on the roll already.
        case linkVisit
        /// Key: "devices". Secret, sealed: the private key that signs devices' certificates, as DER, and its
        /// certificate.
        case certificateAuthority
    }

    package var kind: Kind
    package var key: [UInt8]
    package var user: UserNumber?
    package var device: DeviceNumber?
    /// The name that a person gave it.
    package var label: String
    package var secret: [UInt8]
    package var createdAt: Instant
    /// nil if it never expires.
    package var expiresAt: Instant?
    /// When it was used up (a rotated refresh token); nil while it is valid.
    package var usedAt: Instant?

    package init(
        kind: Kind, key: [UInt8], user: UserNumber? = nil, device: DeviceNumber? = nil, label: String = "",
        secret: [UInt8] = [], createdAt: Instant, expiresAt: Instant? = nil, usedAt: Instant? = nil
    ) {
        self.kind = kind
        self.key = key
        self.user = user
        self.device = device
        self.label = label
        self.secret = secret
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.usedAt = usedAt
    }
}

/// A user's action that no other change in the log records: on credentials, a device's history, dead letters,
/// documents, or indexes.
public struct Action: Hashable, Sendable {
    /// What was done.
    public var kind: Kind
    /// The user who performed the action.
    public var author: UserNumber
    /// The user whom the action concerns; nil when it concerns no single user.
    public var user: UserNumber?
    /// The device of that user that the action concerns; nil when it concerns none.
    public var device: DeviceNumber?
    /// The name of the object that the action concerns, as lists show it: a key's id, or a database. Never a secret.
    public var label: String

    /// What the user did.
    public enum Kind: UInt8, Hashable, Sendable, CaseIterable {
        /// A user's password was set.
        case passwordSet
        /// An API key was made, or ended.
        case keyMade, keyEnded
        /// An AWS access key was made, or ended.
        case amazonKeyMade, amazonKeyEnded
        /// A device's token was made, or ended.
        case deviceTokenMade, deviceTokenEnded
        /// The secret with which a phone encrypts its reports was set, or deleted.
        case encryptionKeySet, encryptionKeyEnded
        /// The history of a device's positions was deleted.
        case historyDeleted
        /// Dead letters were sent again, or discarded.
        case lettersRedriven, lettersDiscarded
        /// A test was sent to a target.
        case testSent
        /// Documents were purged.
        case documentsPurged
        /// An index was made, or removed.
        case indexMade, indexRemoved
        /// The bodies of a database's superseded revisions were removed.
        case databaseCompacted
        /// A person was asked where they are now.
        case locationAsked
        /// The settings of an identity pool were changed.
        case poolChanged
        /// A code that a person waits for was read, to hand it over.
        case codeRead
        /// A key that signs tokens was replaced.
        case signingKeyRotated
        /// A link, a right without an account, was given, ended before its time, or was used: a visitor entered by it,
        /// or a person set their password.
        case linkMade, linkEnded, linkUsed

        /// Whether the action is on a link.
        public var isOfLink: Bool { [.linkMade, .linkEnded, .linkUsed].contains(self) }
    }

    /// Creates an action; without `user`, `device` or `label` it concerns none.
    public init(
        _ kind: Kind, by author: UserNumber, user: UserNumber? = nil, device: DeviceNumber? = nil, label: String = ""
    ) {
        self.kind = kind
        self.author = author
        self.user = user
        self.device = device
        self.label = label
    }
}

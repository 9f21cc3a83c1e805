/// What someone did by hand that no other change of the log tells of: to credentials, to a history, to what waits.
public struct Action: Hashable, Sendable {
    /// What was done.
    public var kind: Kind
    /// Who did it.
    public var author: UserNumber
    /// Whom it concerns; nil where it concerns no one user.
    public var user: UserNumber?
    /// Which of that user's devices it concerns; nil where it concerns none.
    public var device: DeviceNumber?
    /// What it concerns, by the name that lists show: a key's id, a database. Never a secret.
    public var label: String

    /// The kinds of action.
    public enum Kind: UInt8, Hashable, Sendable, CaseIterable {
        /// A user's password was set.
        case passwordSet
        /// An API key was made, or ended.
        case keyMade, keyEnded
        /// An AWS access key was made, or ended.
        case amazonKeyMade, amazonKeyEnded
        /// A device's token was made, or ended.
        case deviceTokenMade, deviceTokenEnded
        /// The secret that a phone seals its reports with was set, or forgotten.
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
    }

    /// An action.
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

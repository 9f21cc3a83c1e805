package import MusterCore

/// What someone did by hand, in names.
package struct NamedAction: Hashable, Sendable {
    /// What was done.
    package var kind: Action.Kind
    /// Who did it.
    package var author: String
    /// Whom it concerns.
    package var user: String?
    /// Which device it concerns, `alice/phone`.
    package var device: String?
    /// What it concerns, by the name that lists show.
    package var label: String

    /// An action in names.
    package init(kind: Action.Kind, author: String, user: String?, device: String?, label: String) {
        self.kind = kind
        self.author = author
        self.user = user
        self.device = device
        self.label = label
    }
}

extension Action.Kind {
    /// How the wire calls it.
    package var wireName: StaticString {
        switch self {
        case .passwordSet: "passwordSet"
        case .keyMade: "keyMade"
        case .keyEnded: "keyEnded"
        case .amazonKeyMade: "amazonKeyMade"
        case .amazonKeyEnded: "amazonKeyEnded"
        case .deviceTokenMade: "deviceTokenMade"
        case .deviceTokenEnded: "deviceTokenEnded"
        case .encryptionKeySet: "encryptionKeySet"
        case .encryptionKeyEnded: "encryptionKeyEnded"
        case .historyDeleted: "historyDeleted"
        case .lettersRedriven: "lettersRedriven"
        case .lettersDiscarded: "lettersDiscarded"
        case .testSent: "testSent"
        case .documentsPurged: "documentsPurged"
        case .indexMade: "indexMade"
        case .indexRemoved: "indexRemoved"
        case .databaseCompacted: "databaseCompacted"
        case .poolChanged: "poolChanged"
        }
    }
}

extension JSONWriter {
    /// Writes the members of an action.
    mutating func members(of action: NamedAction) {
        member("kind", action.kind.wireName.description)
        member("author", action.author)
        if let user = action.user { member("user", user) }
        if let device = action.device { member("device", device) }
        if !action.label.isEmpty { member("label", action.label) }
    }
}

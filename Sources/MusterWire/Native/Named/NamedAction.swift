package import MusterCore

/// An `Action` with names in place of numbers.
package struct NamedAction: Hashable, Sendable {
    package var kind: Action.Kind
    /// The name of the user who performed it.
    package var author: String
    /// The name of the user that the action concerns.
    package var user: String?
    /// The device that it concerns, such as `alice/phone`.
    package var device: String?
    /// The name of the object that it concerns, as lists show it.
    package var label: String

    package init(kind: Action.Kind, author: String, user: String?, device: String?, label: String) {
        self.kind = kind
        self.author = author
        self.user = user
        self.device = device
        self.label = label
    }
}

extension Action.Kind {
    /// The kind's name in the API.
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
        case .locationAsked: "locationAsked"
        case .poolChanged: "poolChanged"
        case .codeRead: "codeRead"
        case .signingKeyRotated: "signingKeyRotated"
        case .linkMade: "linkMade"
        case .linkEnded: "linkEnded"
        case .linkUsed: "linkUsed"
        }
    }
}

extension JSONWriter {
    mutating func members(of action: NamedAction) {
        member("kind", action.kind.wireName.description)
        member("author", action.author)
        if let user = action.user { member("user", user) }
        if let device = action.device { member("device", device) }
        if !action.label.isEmpty { member("label", action.label) }
    }
}

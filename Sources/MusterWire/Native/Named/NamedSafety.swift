package import MusterCore
import MusterGeometry

/// A person's `Safety` with names in place of numbers.
package struct NamedSafety: Hashable, Sendable {
    /// The safety, in numbers.
    package var safety: Safety
    /// The muster region that makes the person safe.
    package var region: NamedRegion?
    /// The name of the other user who declared it; nil when none did.
    package var markedBy: String?
    /// The name of the user who acknowledged the call for help.
    package var acknowledgedBy: String?

    package init(_ safety: Safety, region: NamedRegion?, markedBy: String?, acknowledgedBy: String?) {
        self.safety = safety
        self.region = region
        self.markedBy = markedBy
        self.acknowledgedBy = acknowledgedBy
    }
}

/// A `Declaration` with names in place of numbers.
package struct NamedDeclaration: Hashable, Sendable {
    /// The declaration, in numbers.
    package var declaration: Declaration
    /// The name of the subject.
    package var user: String
    package var author: String
    /// The device whose token authorized it, such as `alice/phone`.
    package var device: String?
    /// Whether it changed nothing.
    package var isLate: Bool

    package init(_ declaration: Declaration, user: String, author: String, device: String?, isLate: Bool) {
        self.declaration = declaration
        self.user = user
        self.author = author
        self.device = device
        self.isLate = isLate
    }
}

extension JSONWriter {
    /// Writes a person's safety: the members after the user.
    package mutating func members(of named: NamedSafety) {
        let safety = named.safety
        member("state", safety.state.wireName.description)
        // "Unknown since 1970" means that the server never heard of the person.
        if safety.since > Instant(milliseconds: 0) { member("since", safety.since) }
        member("source", safety.source.wireName.description)
        if let doubt = safety.doubt { member("doubt", doubt.wireName.description) }
        if let author = named.markedBy { member("markedBy", author) }
        if safety.state.isCall { member("acknowledged", safety.acknowledgedBy != nil) }
        if let user = named.acknowledgedBy { member("acknowledgedBy", user) }
        if let region = named.region {
            key("region")
            value(region)
        }
    }

    package mutating func members(of named: NamedDeclaration) {
        let declaration = named.declaration
        member("id", declaration.id)
        member("user", named.user)
        member("kind", declaration.kind.wireName.description)
        member("author", named.author)
        if let device = named.device { member("device", device) }
        member("sampleTime", declaration.sampleTime)
        member("receivedTime", declaration.receivedTime)
        if let note = declaration.note { member("note", note) }
        if let coordinate = declaration.coordinate {
            member("latitude", coordinate.latitude)
            member("longitude", coordinate.longitude)
        }
        if declaration.repeatsCall { member("repeated", true) }
        member("late", named.isLate)
    }
}

extension Safety.State {
    /// Its name in the API.
    package var wireName: StaticString {
        switch self {
        case .unknown: "unknown"
        case .safe: "safe"
        case .unsafe: "unsafe"
        case .needsHelp: "needsHelp"
        case .sos: "sos"
        case .offSite: "offSite"
        }
    }
}

extension Safety.Source {
    /// Its name in the API.
    package var wireName: StaticString {
        switch self {
        case .silence: "silence"
        case .region: "region"
        case .position: "position"
        case .ownDeclaration: "ownDeclaration"
        case .marked: "marked"
        case .unlocated: "unlocated"
        case .seemsToHaveLeft: "seemsToHaveLeft"
        case .underReview: "underReview"
        case .checkInTimer: "checkInTimer"
        }
    }
}

extension Declaration.Kind {
    /// Its name in the API.
    package var wireName: StaticString {
        switch self {
        case .safe: "safe"
        case .needsHelp: "needsHelp"
        case .sos: "sos"
        case .offSite: "offSite"
        case .clear: "clear"
        case .acknowledge: "acknowledge"
        }
    }
}

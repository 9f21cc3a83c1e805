package import MusterCore
import MusterGeometry

/// How someone is, in names.
package struct NamedSafety: Hashable, Sendable {
    /// In numbers; what of it has a name follows.
    package var safety: Safety
    /// The region that makes safe.
    package var region: NamedRegion?
    /// Who said so, where someone else did.
    package var markedBy: String?
    /// Who has heard the call for help.
    package var acknowledgedBy: String?

    /// A person's safety with the names of what it speaks of.
    package init(_ safety: Safety, region: NamedRegion?, markedBy: String?, acknowledgedBy: String?) {
        self.safety = safety
        self.region = region
        self.markedBy = markedBy
        self.acknowledgedBy = acknowledgedBy
    }
}

/// What was said of someone, in names.
package struct NamedDeclaration: Hashable, Sendable {
    /// In numbers.
    package var declaration: Declaration
    /// Of whom it speaks.
    package var user: String
    /// Who said it.
    package var author: String
    /// The device whose token it came with, as `alice/phone`.
    package var device: String?
    /// Whether it moved nothing.
    package var isLate: Bool

    /// A declaration with the names of whom it speaks of.
    package init(_ declaration: Declaration, user: String, author: String, device: String?, isLate: Bool) {
        self.declaration = declaration
        self.user = user
        self.author = author
        self.device = device
        self.isLate = isLate
    }
}

extension JSONWriter {
    /// Writes how someone is: the members that follow the user.
    package mutating func members(of named: NamedSafety) {
        let safety = named.safety
        member("state", safety.state.wireName.description)
        // Nothing was ever heard of who is unknown since 1970.
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

    /// Writes what was said of someone.
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
        member("late", named.isLate)
    }
}

extension Safety.State {
    /// How the wire calls it.
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
    /// How the wire calls it.
    package var wireName: StaticString {
        switch self {
        case .silence: "silence"
        case .region: "region"
        case .position: "position"
        case .ownDeclaration: "ownDeclaration"
        case .marked: "marked"
        case .unlocated: "unlocated"
        case .underReview: "underReview"
        }
    }
}

extension Declaration.Kind {
    /// How the wire calls it.
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

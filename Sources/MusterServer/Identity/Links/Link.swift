import MusterCoding
package import MusterCore
import MusterStore

/// A right without an account, which a user gives until a time: the bearer of its token sees or does what the link is
/// for, and nothing else.
///
/// A link ends at its second of expiry, when it is withdrawn, when an invitation is used, and with its giver's right
/// (`Directory.lets`). It never begins again.
package struct Link: Hashable, Sendable {
    /// What a link is for.
    package enum Kind: String, CaseIterable, Sendable {
        /// Shows one person's state and place.
        case person
        /// Shows the roll of one incident.
        case incident
        /// Puts people without an account on the roll of a team's open incident.
        case visitors
        /// Lets one user set their password, once.
        case invitation
    }

    /// What a user asks a link for.
    package struct Purpose: Hashable, Sendable {
        package let kind: Kind
        /// The person whom the link shows or invites; nil for the other kinds.
        package var user: UserNumber?
        /// The incident whose roll the link shows; nil for the other kinds.
        package var incident: IncidentNumber?
        /// The team of the person, of the incident or of the visitors; nil for a person without a team.
        package var team: TeamNumber?
        /// The state of visitors who enter by the link: `.safe`, or `.unknown` where nobody sees them enter.
        package var visitorState = Safety.State.safe
        /// Whether programs of maps may read what the link shows, by an address that has the token in its path. Such an
        /// address is in logs of others more easily than a page's.
        package var isForMaps = false

        package init(
            _ kind: Kind, user: UserNumber? = nil, incident: IncidentNumber? = nil, team: TeamNumber? = nil,
            visitorState: Safety.State = .safe, isForMaps: Bool = false
        ) {
            self.kind = kind
            self.user = user
            self.incident = incident
            self.team = team
            self.visitorState = visitorState
            self.isForMaps = isForMaps
        }
    }

    /// The SHA-256 of the token.
    let key: [UInt8]
    package let purpose: Purpose
    /// The user who gave the link.
    package let giver: UserNumber
    /// What the giver wrote about it, for lists.
    package let note: String
    package let createdAt: Instant
    /// The moment from which the link is over.
    package let expiresAt: Instant

    init(_ purpose: Purpose, key: [UInt8], giver: UserNumber, note: String, createdAt: Instant, expiresAt: Instant) {
        self.key = key
        self.purpose = purpose
        self.giver = giver
        self.note = note
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }

    /// Identifies the link without revealing its token.
    package var id: String { APIKey.id(ofKey: key) }
    package var kind: Kind { purpose.kind }
    /// The link as the audit log names it.
    var label: String { "\(kind.rawValue) \(id)" }

    func isOver(at now: Instant) -> Bool { now >= expiresAt }
}

extension Link {
    /// Reads a stored link; nil for any other credential, and for a link of a kind that a newer version made.
    init?(_ credential: Credential) {
        guard credential.kind == .link, let giver = credential.user, let expiresAt = credential.expiresAt,
            let purpose = Purpose(stored: credential.secret)
        else { return nil }
        self.init(
            purpose, key: credential.key, giver: giver, note: credential.label, createdAt: credential.createdAt,
            expiresAt: expiresAt)
    }

    /// The link as it is stored.
    var credential: Credential {
        Credential(
            kind: .link, key: key, user: giver, label: note, secret: purpose.stored, createdAt: createdAt,
            expiresAt: expiresAt)
    }
}

extension Link.Purpose {
    /// The stored form: a version, the kind, flags (1: visitors are safe, 2: for maps), then user, incident and team, 4
    /// bytes big-endian each, 0 for none.
    fileprivate var stored: [UInt8] {
        let kind = UInt8(Link.Kind.allCases.firstIndex(of: kind) ?? 0)
        let numbers = [user?.rawValue, incident?.rawValue, team?.rawValue].map { UInt32(bitPattern: $0 ?? 0) }
        return [1, kind, (visitorState == .safe ? 1 : 0) | (isForMaps ? 2 : 0)]
            + numbers.flatMap { number in (0..<4).map { UInt8(truncatingIfNeeded: number >> UInt32(24 - 8 * $0)) } }
    }

    fileprivate init?(stored bytes: [UInt8]) {
        guard bytes.count == 15, bytes[0] == 1, Int(bytes[1]) < Link.Kind.allCases.count else { return nil }
        func number(at start: Int) -> Int32? {
            let number = bytes[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) }
            return number == 0 ? nil : Int32(bitPattern: number)
        }
        self.init(
            Link.Kind.allCases[Int(bytes[1])], user: number(at: 3).map { UserNumber($0) },
            incident: number(at: 7).map { IncidentNumber($0) }, team: number(at: 11).map { TeamNumber($0) },
            visitorState: bytes[2] & 1 == 1 ? .safe : .unknown, isForMaps: bytes[2] & 2 == 2)
    }
}

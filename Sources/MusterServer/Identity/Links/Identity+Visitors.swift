import Crypto
package import MusterCore
import MusterStore

/// A visitor whom a link put on a roll.
package struct LinkVisit: Hashable, Sendable {
    package let name: String
    /// When the visitor was put on the roll.
    package let at: Instant
}

/// Why a visitor was not put on a roll.
package enum LinkVisitError: Error, Hashable, Sendable {
    /// The team has no open incident.
    case noIncident
    /// The link was used too often lately.
    case tooFast(retryAfterSeconds: Int)
    /// Links have put as many visitors on this roll as they may.
    case tooMany

    /// A sentence for the person who enters their name.
    package var sentence: String {
        switch self {
        case .noIncident:
            "There is no incident or drill now, so nobody is counted. Keep this page, and try again when one begins."
        case .tooFast: "Many people enter their names at once: wait, and try again."
        case .tooMany: "The list of visitors is full: give your name to the leader."
        }
    }
}

extension Identity {
    /// How many visitors one link takes at once, and each second after that.
    static let visitAllowance = AttemptLimiter.Allowance(tries: 60, perSecond: 1)
    /// How many visitors a roll may have before links are refused: the leader can still add some by hand.
    package static let linkVisitorLimit = Roll.visitorLimit * 8 / 10
    /// The largest length of a visitor's note, in bytes.
    package static let visitNoteLimitBytes = 500

    /// Puts a visitor on the roll of the open incident of the link's team, in the name of the giver. The record of the
    /// incident says that a link did it.
    ///
    /// - Parameters:
    ///   - id: the sender's id of this visitor. A repeated one changes nothing.
    ///   - note: what the visitor wrote.
    /// - Throws: `LinkVisitError`; `IdentityError.refused` when the link is over by now; `CoordinatorError`,
    ///   `StoreError`.
    package func addVisitor(named name: String, note: String?, id: String, by link: Link) async throws -> LinkVisit {
        guard link.kind == .visitors, let team = link.purpose.team else { throw IdentityError.refused }
        let wait = visitRates.spendRequest(link.id, at: now())
        guard wait == 0 else { throw LinkVisitError.tooFast(retryAfterSeconds: wait) }
        let author = Author(user: link.giver)
        let key = Array(SHA256.hash(data: link.key + Array(id.utf8)))
        return try await coordinator.withDecision(by: author) { [coordinator] engine, transaction, decision, now in
            try coordinator.directory.require(link, in: transaction, at: now)
            if let earlier = try transaction.credential(.linkVisit, key: key) {
                return LinkVisit(name: earlier.label, at: earlier.createdAt)
            }
            guard let incident = engine.openIncident(of: team) else { throw LinkVisitError.noIncident }
            guard engine.roll(of: incident.number).visitorCount < Self.linkVisitorLimit else {
                throw LinkVisitError.tooMany
            }
            let line = try engine.addVisitor(
                named: name, link.purpose.visitorState, isOwnWord: true, note: Self.visitNote(note),
                to: incident.number, of: team, by: link.giver, now: now, into: &decision)
            try transaction.put(
                Credential(
                    kind: .linkVisit, key: key, user: link.giver, label: name, createdAt: now,
                    expiresAt: link.expiresAt))
            let use = Change.action(Action(.linkUsed, by: author.user, label: link.label))
            try transaction.appendAuditEntry(use, at: transaction.append(use), now, by: author)
            return LinkVisit(name: name, at: line.at)
        }
    }

    private static func visitNote(_ note: String?) -> String {
        let words = "entered by a link"
        return note.map { $0.isEmpty ? words : "\(words): \($0)" } ?? words
    }
}

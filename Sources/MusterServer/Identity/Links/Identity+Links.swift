import MusterCore
import MusterHTTP
import MusterStore

/// Why a link was not given.
package enum LinkError: Error, Hashable, Sendable {
    /// A leader invites only members who cannot sign in yet: a leader may not reset passwords.
    case hasPassword(_ user: String)

    /// A sentence that says what to do.
    package var sentence: String {
        switch self {
        case .hasPassword(let user): "\(user) has a password already: an admin can invite them to set a new one."
        }
    }
}

/// Links: giving, listing, withdrawing, verifying and using them.
extension Identity {
    /// The largest number of open links of one giver, and of all.
    package static let linkLimit = 100
    package static let linkLimitOfAll = 10_000
    /// How long a link may last, in seconds: up to 30 days.
    package static let linkSeconds: ClosedRange<Double> = 60...2_592_000

    /// Gives a link.
    ///
    /// - Parameters:
    ///   - seconds: how long it lasts; within `linkSeconds`.
    ///   - note: what the giver wrote about it, for lists.
    /// - Returns: the link, and its token, which cannot be read again.
    /// - Throws: `IdentityError.unknown` when the author may not give it, `.tooMany`; `LinkError`; `CoordinatorError`,
    ///   `StoreError`.
    package func makeLink(
        for purpose: Link.Purpose, lasting seconds: Double, note: String, by author: Author
    ) async throws -> (link: Link, token: String) {
        let now = now()
        guard try await openLinks().count < Self.linkLimitOfAll else {
            throw IdentityError.tooMany("open links", limit: Self.linkLimitOfAll)
        }
        let token = SecretToken(.link)
        let link = Link(
            purpose, key: token.digest.bytes, giver: author.user, note: note, createdAt: now,
            expiresAt: now.advanced(bySeconds: seconds))
        try await coordinator.edit(by: author) { directory, draft in
            guard directory.lets(link), let giver = directory.users[author.user] else { throw IdentityError.unknown }
            if link.kind == .invitation, giver.role != .admin, let user = purpose.user,
                try !Self.passwordMark(of: user, in: draft.transaction).isEmpty
            {
                throw LinkError.hasPassword(directory.users[user]?.name ?? "This user")
            }
            let open = try draft.store.credentials(.link, of: author.user).count { $0.isGood(at: now) }
            guard open < Self.linkLimit else {
                throw IdentityError.tooMany("open links of \(giver.name)", limit: Self.linkLimit)
            }
            draft.credentials.append(link.credential)
        }
        return (link, token.text)
    }

    /// The open links, newest first: those that have not ended.
    package func openLinks() async throws -> [Link] {
        let now = now()
        let directory = coordinator.directory
        return try await coordinator.read { try $0.credentials(.link) }.compactMap { Link($0) }
            .filter { !$0.isOver(at: now) && directory.lets($0) }
            .sorted { ($0.createdAt, $0.id) > ($1.createdAt, $1.id) }
    }

    /// Ends a link. Its token is refused from then on.
    ///
    /// - Throws: `CoordinatorError`, `StoreError`.
    package func withdraw(_ link: Link, by author: Author) async throws {
        try await coordinator.edit(by: author) { _, draft in
            draft.removedCredentials.append((kind: .link, key: link.key))
        }
    }

    /// Verifies the token of a link. Expiry and the giver's right are checked each time; a token that was shown before
    /// costs one digest and one lookup.
    ///
    /// - Parameters:
    ///   - authorization: the header's value, which must be a bearer token.
    ///   - address: the address the request comes from, to slow down guessing.
    /// - Throws: `IdentityError.missing` without a header; `.refused` for an unknown, expired, withdrawn or used link
    ///   alike; `.tooManyTries` after many unknown ones; `CoordinatorError` and `StoreError` when the store cannot
    ///   answer now.
    package func authenticateLink(_ authorization: String?, from address: String) async throws -> Link {
        guard let authorization else { throw IdentityError.missing }
        let parts = authorization.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { throw IdentityError.refused }
        return try await authenticateLink(token: String(parts[1]), from: address)
    }

    /// Verifies the token of a link that a path has. Only a link whose giver allowed that is admitted.
    ///
    /// - Throws: as for a token in a header.
    package func authenticateLink(inPath token: String, from address: String) async throws -> Link {
        let link = try await authenticateLink(token: token, from: address)
        guard link.purpose.isForMaps else { throw IdentityError.refused }
        return link
    }

    private func authenticateLink(token: String, from address: String) async throws -> Link {
        guard token.utf8.count == SecretToken.length, token.hasPrefix(SecretToken.Kind.link.rawValue) else {
            throw IdentityError.refused
        }
        let now = now()
        let digest = TokenDigest(of: token)
        let endedRights = coordinator.endedRights
        let known = links.entry(for: digest)
        if let known {
            guard !known.isOver, !known.link.isOver(at: now), coordinator.directory.lets(known.link) else {
                throw IdentityError.refused
            }
            if known.endedRights == endedRights { return known.link }
        }
        let stored = try await coordinator.readCredentials { try $0.credential(.link, key: digest.bytes) }
        guard let link = stored.flatMap({ Link($0) }), !link.isOver(at: now), coordinator.directory.lets(link) else {
            // A token that was valid before is no guess: its page is still open.
            guard known == nil else {
                links.storeEnd(of: digest)
                throw IdentityError.refused
            }
            try attempts.spendAttempt(name: "link from \(address)", address: address, at: now)
            throw IdentityError.refused
        }
        links.store(link, for: digest, endedRights: endedRights)
        return link
    }

    /// Sets the password of an invited user, and uses the invitation up. As any change of a password, it ends the
    /// user's sessions.
    ///
    /// - Throws: `IdentityError.refused` when the invitation is over by now; `.unusablePassword`, `.busy`;
    ///   `CoordinatorError`, `StoreError`.
    package func setPassword(_ password: String, invitedBy link: Link) async throws {
        guard link.kind == .invitation, let user = link.purpose.user else { throw IdentityError.refused }
        let now = now()
        try await setPassword(password, of: user, by: Author(user: user)) { directory, draft in
            try directory.require(link, in: draft.transaction, at: now)
            draft.removedCredentials.append((kind: .link, key: link.key))
            draft.actions.append(Action(.linkUsed, by: user, user: user, label: link.label))
        }
    }
}

extension Directory {
    /// Requires that a link is not over, as a transaction sees it.
    ///
    /// - Throws: `IdentityError.refused`; `StoreError`.
    func require(_ link: Link, in transaction: any StoreTransaction, at now: Instant) throws {
        guard try transaction.credential(.link, key: link.key) != nil, !link.isOver(at: now), lets(link) else {
            throw IdentityError.refused
        }
    }
}

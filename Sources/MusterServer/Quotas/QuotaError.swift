package import HTTPTypes

/// A request would exceed a quota. Nothing of it was stored.
package struct QuotaError: Error, Hashable, Sendable, CustomStringConvertible {
    package let quota: Quota
    /// The owner of the quota: the name of a user, of a device with its user's, of a team or of a database; nil for
    /// server-wide quotas.
    package let owner: String?
    /// The limit, in the quota's unit.
    package let limit: Double
    /// The seconds after which the same request has room; nil where time alone makes no room.
    package let retryAfterSeconds: Int?

    /// - Parameter retryAfterSeconds: nil where time alone makes no room.
    package init(_ quota: Quota, of owner: String? = nil, limit: Double, retryAfterSeconds: Int? = nil) {
        self.quota = quota
        self.owner = owner
        self.limit = limit
        self.retryAfterSeconds = retryAfterSeconds
    }

    /// The seconds until there is room; `Int.max` where time alone makes none.
    package var waitSeconds: Int { retryAfterSeconds ?? .max }

    /// A message for people: what happened and what to do.
    package var words: String {
        let owner = owner ?? ""
        switch quota {
        case .positions:
            return "The devices of user \(owner) report more than \(Self.text(limit)) positions a second. "
                + "Try again in \(retryAfterSeconds ?? 1) s."
        case .signals:
            return "The device \(owner) fires more than \(Self.text(limit)) signals a second. "
                + "Try again in \(retryAfterSeconds ?? 1) s, or ask an admin for more (--quota-signals-per-second)."
        case .signalsOfUser:
            return "The devices of user \(owner) together fire more than \(Self.text(limit)) signals a second. "
                + "Try again in \(retryAfterSeconds ?? 1) s, or ask an admin for more (--quota-signals-per-second)."
        case .dryRuns:
            return "User \(owner) asks what edits would change more than \(Self.text(limit)) times a second. "
                + "Try again in \(retryAfterSeconds ?? 1) s."
        case .userBytes:
            return "User \(owner) has \(Self.bytes(limit)) stored, as much as a user may have. "
                + "Delete documents and compact, delete positions or datasets, or ask an admin for more "
                + "(--quota-user-mib)."
        case .databaseBytes:
            return "Database \(owner) holds \(Self.bytes(limit)), as much as a database may hold. "
                + "Delete documents and compact, or ask an admin for more (--quota-database-mib)."
        case .storeBytes:
            return "The store holds \(Self.bytes(limit)), as much as it may hold. "
                + "An admin can remove data or allow more (--quota-store-mib)."
        case .implicitUsersOfTeam:
            return "Team \(owner) has \(Self.text(limit)) devices created automatically by AWS clients, as many as a "
                + "team may have. "
                + "Delete some, or ask an admin for more (--quota-implicit-users)."
        case .implicitUsers:
            return "There are \(Self.text(limit)) devices created automatically by AWS clients, as many as there may "
                + "be."
        case .collectionsOfTeam:
            return "Team \(owner) has \(Self.text(limit)) collections of its own, as many as a team may have. "
                + "Remove one, or ask an admin (--quota-collections)."
        case .collections:
            return "There are \(Self.text(limit)) collections, as many as there may be. Remove one first."
        case .databases: return "There are \(Self.text(limit)) databases, as many as there may be. Remove one first."
        }
    }

    package var description: String { words }

    private static func text(_ number: Double) -> String {
        number == number.rounded() ? "\(Int64(number))" : "\(number)"
    }

    private static func bytes(_ number: Double) -> String {
        let mebibytes = number / 1_048_576
        return mebibytes >= 1 ? "\(text(mebibytes.rounded())) MiB" : "\(text(number)) bytes"
    }

    /// 429 where waiting makes room, otherwise 507 (RFC 4918, section 11.5).
    package var status: HTTPResponse.Status {
        retryAfterSeconds == nil ? .init(code: 507, reasonPhrase: "Insufficient Storage") : .tooManyRequests
    }
}

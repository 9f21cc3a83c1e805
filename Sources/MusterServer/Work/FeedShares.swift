package import MusterCore

// `FeedShares`: how many feeds a user, a device and all together may have open.

/// The user, and the device if any, that an open feed counts for.
package struct FeedOwner: Hashable, Sendable {
    package let user: UserNumber
    /// Whether the feed may use the places that are reserved for leaders and admins.
    let leads: Bool
    /// The number of feeds that the user may have open.
    package let limit: Int
    /// The device whose token opened the feed; nil for any other credential. A device token may open fewer feeds than a
    /// user.
    package let device: DeviceNumber?

    /// Makes the owner of a feed that a request opens.
    package init(_ principal: Principal) {
        user = principal.user
        device = principal.device
        leads = principal.role == .admin || principal.role == .leader
        limit =
            switch principal.role {
            case .admin: FeedShares.all
            case .leader: FeedShares.ofLeader
            case .member, .analyst, .gateway, .guest: FeedShares.ofOne
            }
    }

    /// Makes the owner of a feed that the server opens for one of a user's replications.
    ///
    /// - Parameter limit: the number of such feeds that the user may have.
    package init(replicationOf user: UserNumber, limit: Int) {
        self.user = user
        self.limit = limit
        device = nil
        leads = true
    }
}

extension FeedOwner {
    /// The owner of a feed that the server opens for itself.
    package static let server = FeedOwner(replicationOf: UserNumber(-1), limit: .max)
}

/// Counts the open feeds of one kind, and limits them for each device token, for each user and in total.
package struct FeedShares: Sendable {
    /// Why the server does not open a feed.
    package enum Refusal: Error, Hashable {
        /// The device's token has reached its limit.
        case deviceHasItsShare(limit: Int)
        /// The user has reached their limit.
        case userHasItsShare(limit: Int)
        /// All places that the owner may use are taken.
        case isFull
        case isStopping

        /// A sentence that tells a person what to do.
        package var words: String {
            switch self {
            case .deviceHasItsShare(let limit):
                "\(limit) feeds are open with this device's token, which is the limit: close one first."
            case .userHasItsShare(let limit): "You have \(limit) feeds open, which is the limit: close one first."
            case .isFull: "The server has reached its limit of open feeds. Try again later."
            case .isStopping: "The server is stopping."
            }
        }
    }

    /// The number of feeds of one kind that may be open for a device's token, an ordinary user, and a leader. Admins
    /// have no limit of their own.
    package static let ofDevice = 10
    static let ofOne = 200
    package static let ofLeader = 1_000
    package static let all = Int.max
    /// One part in this many of all places is reserved for leaders and admins.
    private static let reserveDivisor = 10

    private let capacity: Int
    package private(set) var count = 0
    /// The number of feeds refused since the server started.
    package private(set) var refused = 0
    private var byUser: [UserNumber: Int] = [:]
    private var byDevice: [DeviceNumber: Int] = [:]

    package init(capacity: Int) { self.capacity = capacity }

    /// Checks that the owner may open one more feed, and counts a refusal.
    ///
    /// - Throws: `Refusal`.
    package mutating func check(_ owner: FeedOwner) throws(Refusal) {
        let room = owner.leads ? capacity : capacity - capacity / Self.reserveDivisor
        guard let refusal = refusal(of: owner, room: room) else { return }
        refused += 1
        throw refusal
    }

    private func refusal(of owner: FeedOwner, room: Int) -> Refusal? {
        if count >= room { return .isFull }
        if byUser[owner.user, default: 0] >= owner.limit { return .userHasItsShare(limit: owner.limit) }
        if let device = owner.device, byDevice[device, default: 0] >= Self.ofDevice {
            return .deviceHasItsShare(limit: Self.ofDevice)
        }
        return nil
    }

    /// Checks that the owner may open one more feed, and counts it as open.
    ///
    /// - Throws: `Refusal`.
    package mutating func open(_ owner: FeedOwner) throws(Refusal) {
        try check(owner)
        count += 1
        byUser[owner.user, default: 0] += 1
        if let device = owner.device { byDevice[device, default: 0] += 1 }
    }

    /// Counts one of the owner's feeds as closed.
    package mutating func close(_ owner: FeedOwner) {
        count -= 1
        byUser[owner.user] = byUser[owner.user].flatMap { $0 > 1 ? $0 - 1 : nil }
        guard let device = owner.device else { return }
        byDevice[device] = byDevice[device].flatMap { $0 > 1 ? $0 - 1 : nil }
    }
}

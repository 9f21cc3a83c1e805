package import MusterCore

/// Whose feed it is, for counting.
package struct FeedOwner: Hashable, Sendable {
    /// The user.
    package let user: UserNumber
    /// Whether it is a leader or an admin: some feeds are kept for these.
    let leads: Bool
    /// Feeds that the user may have open.
    package let limit: Int
    /// The device whose token was shown, which may have few.
    package let device: DeviceNumber?

    /// The owner of a request's feed.
    package init(_ principal: Principal) {
        user = principal.user
        device = principal.device
        leads = principal.role == .admin || principal.role == .leader
        limit =
            switch principal.role {
            case .admin: FeedShares.all
            case .leader: FeedShares.ofLeader
            case .member, .analyst, .gateway: FeedShares.ofOne
            }
    }

    /// The server itself, for one of a user's replications.
    package init(replicationOf user: UserNumber, limit: Int) {
        self.user = user
        self.limit = limit
        device = nil
        leads = true
    }
}

/// Counts open feeds, so that nobody takes all there may be.
package struct FeedShares: Sendable {
    /// Why a feed is not opened.
    package enum Refusal: Error, Hashable {
        /// The device's token has as many as it may.
        case deviceHasItsShare(limit: Int)
        /// The user has as many as one may.
        case userHasItsShare(limit: Int)
        /// As many are open as may be.
        case isFull
        /// The server is stopping.
        case isStopping

        /// For a person.
        package var words: String {
            switch self {
            case .deviceHasItsShare(let limit):
                "\(limit) feeds are open with this device's token, as many as may be: close one first."
            case .userHasItsShare(let limit): "You have \(limit) feeds open, as many as one may: close one first."
            case .isFull: "As many feeds are open as may be: try again later."
            case .isStopping: "The server is stopping."
            }
        }
    }

    /// Feeds of one kind that a device's token, a user, and a leader may have open; an admin may have all.
    package static let ofDevice = 10
    static let ofOne = 200
    package static let ofLeader = 1_000
    package static let all = Int.max
    /// The part of all feeds that leaders and admins alone may open: a tenth.
    private static let reserveDivisor = 10

    private let capacity: Int
    package private(set) var count = 0
    /// Feeds that were refused since the start.
    package private(set) var refused = 0
    private var byUser: [UserNumber: Int] = [:]
    private var byDevice: [DeviceNumber: Int] = [:]

    package init(capacity: Int) { self.capacity = capacity }

    /// Makes sure that there is room for one more, and counts a refusal.
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

    /// Counts one more.
    package mutating func open(_ owner: FeedOwner) throws(Refusal) {
        try check(owner)
        count += 1
        byUser[owner.user, default: 0] += 1
        if let device = owner.device { byDevice[device, default: 0] += 1 }
    }

    /// Counts one less.
    package mutating func close(_ owner: FeedOwner) {
        count -= 1
        byUser[owner.user] = byUser[owner.user].flatMap { $0 > 1 ? $0 - 1 : nil }
        guard let device = owner.device else { return }
        byDevice[device] = byDevice[device].flatMap { $0 > 1 ? $0 - 1 : nil }
    }
}

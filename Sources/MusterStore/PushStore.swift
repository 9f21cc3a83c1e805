package import MusterCore

/// The state of pushes: the devices' subscriptions to datasets, the change up to which the server has read the log for
/// pushes, and the pushes that it could not send yet. A push device itself is a `Credential`.
package protocol PushStore {
    /// Whether there is any push device.
    var hasPushDevices: Bool { get throws }

    /// Returns the ids of the devices that subscribe to a user's dataset, in order.
    func pushSubscribers(to dataset: String, of user: UserNumber) throws -> [String]

    /// Returns the names of the datasets that a device subscribes to, in order.
    func pushSubscriptions(of device: String) throws -> [String]

    /// The newest change up to which the pushes of every change were sent, given up or stored.
    var pushedThrough: LogSequence { get throws }

    /// Returns the devices with waiting pushes whose ids come after `device`, in the order of their ids, at most
    /// `limit`.
    func postponedPushLanes(after device: String?, limit: Int) throws -> [PostponedPushLane]

    /// Returns the pushes that wait for a device, in the order in which they were stored first.
    func postponedPushes(to device: String) throws -> [PostponedPush]
}

/// The operations of a transaction on pushes.
package protocol PushTransaction {
    /// Subscribes a device to a user's dataset. Does nothing if it is subscribed already.
    func subscribe(_ device: String, to dataset: String, of user: UserNumber) throws
    /// Ends a subscription.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    func unsubscribe(_ device: String, from dataset: String) throws -> Bool
    /// Removes a push device with its subscriptions and the pushes that wait for it. Does nothing if there is none.
    func removePushDevice(_ device: String) throws
    /// Stores a waiting push, or replaces the one with its topic to its device, which keeps its place in the order.
    func postpone(_ push: PostponedPush) throws
    /// Deletes a waiting push. Does nothing if there is none.
    func forgetPush(of topic: String, to device: String) throws
    /// Records that the pushes of every change up to this one were sent, given up or stored.
    func setPushedThrough(_ sequence: LogSequence) throws
}

/// A push that waits for its next attempt.
package struct PostponedPush: Hashable, Sendable {
    /// The id of the device it goes to.
    package var device: String
    /// The topic. Of two pushes of one topic to one device the server sends only the newer.
    package var topic: String
    /// The content, as the server encodes it.
    package var message: [UInt8]
    /// The time of the change that the push reports.
    package var createdAt: Instant
    /// The attempts made so far.
    package var attempts: Int
    /// The earliest time of the next attempt.
    package var dueAt: Instant

    package init(
        device: String, topic: String, message: [UInt8], createdAt: Instant, attempts: Int, dueAt: Instant
    ) {
        self.device = device
        self.topic = topic
        self.message = message
        self.createdAt = createdAt
        self.attempts = attempts
        self.dueAt = dueAt
    }
}

/// The next attempt at a device's waiting pushes: they are sent in order, so one time holds for all of them.
package struct PostponedPushLane: Hashable, Sendable {
    /// The device's id.
    package var device: String
    /// The earliest time of the next attempt.
    package var dueAt: Instant
    /// The largest number of attempts made so far at one of these pushes.
    package var attempts: Int

    package init(device: String, dueAt: Instant, attempts: Int) {
        self.device = device
        self.dueAt = dueAt
        self.attempts = attempts
    }
}

package import MusterCore

/// The number of a delivery. Numbers increase in the order in which the store puts deliveries; no number is used twice.
package struct DeliveryNumber: Hashable, Comparable, Sendable {
    /// At least 1, except in `zero`.
    package let rawValue: Int64

    package init(_ rawValue: Int64) { self.rawValue = rawValue }

    /// Precedes every delivery.
    package static let zero = DeliveryNumber(0)

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The device or person that an event is about. The events about one of them reach a target in order, and the store
/// deletes their deliveries when it removes the device or person.
package enum DeliverySubject: Hashable, Sendable {
    case device(DeviceNumber)
    case user(UserNumber)
    /// An event about neither: it needs no order, and no removal deletes its deliveries.
    case nobody

    /// The subject as one number: a device's number, a user's number negated, or 0.
    package var code: Int32 {
        switch self {
        case .device(let device): device.rawValue
        case .user(let user): -user.rawValue
        case .nobody: 0
        }
    }

    package init(code: Int32) {
        self = code > 0 ? .device(DeviceNumber(code)) : code < 0 ? .user(UserNumber(-code)) : .nobody
    }
}

/// One event for one target, before the store has it.
package struct NewDelivery: Hashable, Sendable {
    package var target: TargetNumber
    package var subject: DeliverySubject
    /// The name of the rule, and its id of the target, for people.
    package var rule: String
    /// The id of the event, the same for every attempt and after a redrive. Receivers recognise repetitions by it.
    package var event: String
    package var contentType: String
    package var body: [UInt8]
    package var createdAt: Instant

    package init(
        target: TargetNumber, subject: DeliverySubject, rule: String, event: String,
        contentType: String = "application/json", body: [UInt8], createdAt: Instant
    ) {
        self.target = target
        self.subject = subject
        self.rule = rule
        self.event = event
        self.contentType = contentType
        self.body = body
        self.createdAt = createdAt
    }

    /// Whether the rule of this name made it. `rule` is that name, with or without a slash and the id of its target.
    package func isMade(by name: String) -> Bool { rule == name || rule.hasPrefix("\(name)/") }
}

/// One event that the server still has to deliver to one target.
package struct Delivery: Hashable, Sendable {
    package var number: DeliveryNumber
    package var content: NewDelivery
    /// The number of attempts so far.
    package var attempts: Int
    /// The earliest time of the next attempt.
    package var nextAttemptAt: Instant
    /// Why the last attempt failed; nil if there was none.
    package var lastError: String?

    /// Makes a delivery; with the defaults, one that was just put.
    package init(
        number: DeliveryNumber, content: NewDelivery, attempts: Int = 0, nextAttemptAt: Instant? = nil,
        lastError: String? = nil
    ) {
        self.number = number
        self.content = content
        self.attempts = attempts
        self.nextAttemptAt = nextAttemptAt ?? content.createdAt
        self.lastError = lastError
    }
}

/// The fields of a waiting delivery that the dispatcher keeps in memory.
package struct PendingDelivery: Hashable, Sendable {
    package var number: DeliveryNumber
    package var target: TargetNumber
    package var subject: DeliverySubject
    package var createdAt: Instant
    package var attempts: Int32
    package var nextAttemptAt: Instant

    package init(
        number: DeliveryNumber, target: TargetNumber, subject: DeliverySubject, createdAt: Instant,
        attempts: Int32 = 0, nextAttemptAt: Instant? = nil
    ) {
        self.number = number
        self.target = target
        self.subject = subject
        self.createdAt = createdAt
        self.attempts = attempts
        self.nextAttemptAt = nextAttemptAt ?? createdAt
    }
}

/// Which of a target's waiting deliveries a reader wants.
package struct WaitingFilter: Hashable, Sendable {
    /// The name of the rule that made them; nil for those of any rule.
    package var rule: String?
    /// Whether they were attempted before; nil for both.
    package var isTried: Bool?

    package init(rule: String? = nil, isTried: Bool? = nil) {
        self.rule = rule
        self.isTried = isTried
    }

    /// Whether a delivery is wanted.
    package func admits(_ delivery: Delivery) -> Bool {
        if let rule, !delivery.content.isMade(by: rule) { return false }
        return isTried.map { $0 == (delivery.attempts > 0) } ?? true
    }
}

/// A part of a target's waiting deliveries, in order, without their bodies.
package struct WaitingPage: Hashable, Sendable {
    package var items: [Delivery]
    /// The last delivery that was looked at, after which the next part begins; nil if there are no more.
    package var end: DeliveryNumber?

    package init(items: [Delivery] = [], end: DeliveryNumber? = nil) {
        self.items = items
        self.end = end
    }
}

/// A delivery that the server gave up. The store keeps it, so that a person can inspect and redrive it.
package struct DeadLetter: Hashable, Sendable {
    /// The delivery, with the reason in `lastError`. Lists leave out its body.
    package var delivery: Delivery
    package var diedAt: Instant

    package init(delivery: Delivery, diedAt: Instant) {
        self.delivery = delivery
        self.diedAt = diedAt
    }
}

/// The largest numbers of deliveries and dead letters that a store holds.
package struct DeliveryLimits: Hashable, Sendable {
    /// The largest number of waiting deliveries; the store makes one more a dead letter at once.
    package var pending = 1_000_000
    /// The largest number of waiting deliveries of one target. The store makes a further one a dead letter at once, so
    /// that a flood to one target leaves room for the others.
    package var pendingPerTarget = 250_000
    /// The largest number of dead letters of one target; one more replaces the oldest.
    package var deadLettersPerTarget = 10_000

    /// The largest number of waiting deliveries that are looked at for one `WaitingPage`.
    package static let lookLimit = 10_000

    /// The `lastError` of a delivery that found the queue full.
    package static let fullReason = "the queue of deliveries was full"

    /// The limits of a server.
    package init() {}
}

/// The numbers of waiting deliveries and of dead letters.
package struct DeliveryCounts: Hashable, Sendable {
    package var pending: Int
    package var deadLetters: Int

    package init(pending: Int, deadLetters: Int) {
        self.pending = pending
        self.deadLetters = deadLetters
    }
}

/// The last delivery number in use, and the number of waiting deliveries of each target that has any.
struct DeliveryTally: Equatable {
    private(set) var last: Int64
    private(set) var pending: [TargetNumber: Int]
    private(set) var pendingCount: Int
    /// The deliveries that became dead letters because the limits allowed no more, since the store was opened.
    private(set) var refusedCount = 0

    init(last: Int64 = 0, pending: [TargetNumber: Int] = [:]) {
        self.last = last
        self.pending = pending
        pendingCount = pending.values.reduce(0, +)
    }

    /// Whether the limits allow one more delivery to a target.
    func hasRoom(for target: TargetNumber, within limits: DeliveryLimits) -> Bool {
        pendingCount < limits.pending && pending[target, default: 0] < limits.pendingPerTarget
    }

    /// Adds to the number of waiting deliveries; `count` is negative for those that no longer wait.
    mutating func count(_ count: Int, of target: TargetNumber) {
        pendingCount += count
        let total = pending[target, default: 0] + count
        pending[target] = total == 0 ? nil : total
    }

    mutating func countRefused() { refusedCount += 1 }

    mutating func next() -> DeliveryNumber {
        last += 1
        return DeliveryNumber(last)
    }
}

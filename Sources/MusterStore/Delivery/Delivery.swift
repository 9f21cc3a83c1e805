package import MusterCore

/// The number of a delivery: rising in the order in which deliveries were put, never given twice.
package struct DeliveryNumber: Hashable, Comparable, Sendable {
    /// 1 and up.
    package let rawValue: Int64

    /// The delivery with that number.
    package init(_ rawValue: Int64) { self.rawValue = rawValue }

    /// Before the first.
    package static let zero = DeliveryNumber(0)

    /// Whether the left one was put earlier.
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// Whom an event tells of. What tells of one of them reaches a target in order, and is gone when they are removed.
package enum DeliverySubject: Hashable, Sendable {
    case device(DeviceNumber)
    case user(UserNumber)
    /// Nobody: no order is kept, and no removal touches it.
    case nobody

    /// As one number: a device's own, a user's negated, 0.
    package var code: Int32 {
        switch self {
        case .device(let device): device.rawValue
        case .user(let user): -user.rawValue
        case .nobody: 0
        }
    }

    /// The subject with that code.
    package init(code: Int32) {
        self = code > 0 ? .device(DeviceNumber(code)) : code < 0 ? .user(UserNumber(-code)) : .nobody
    }
}

/// One event for one target, about to be stored.
package struct NewDelivery: Hashable, Sendable {
    package var target: TargetNumber
    package var subject: DeliverySubject
    /// The rule that asked for it and its name for the target, for people.
    package var rule: String
    /// The event's id: the same for every attempt, also after it was redriven. Receivers tell repetitions by it.
    package var event: String
    package var contentType: String
    package var body: [UInt8]
    package var createdAt: Instant

    /// What is to be delivered.
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
}

/// One event on its way to one target.
package struct Delivery: Hashable, Sendable {
    package var number: DeliveryNumber
    package var content: NewDelivery
    /// How often it was tried.
    package var attempts: Int
    /// Not before this moment is it tried (again).
    package var nextAttemptAt: Instant
    /// Why the last attempt failed.
    package var lastError: String?

    /// A delivery; one that was just put unless said otherwise.
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

/// What must be in memory of a delivery that waits.
package struct PendingDelivery: Hashable, Sendable {
    package var number: DeliveryNumber
    package var target: TargetNumber
    package var subject: DeliverySubject
    package var createdAt: Instant
    package var attempts: Int32
    package var nextAttemptAt: Instant

    /// A delivery that waits.
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

/// A delivery that was given up, kept so that a person can look at it and have it tried again.
package struct DeadLetter: Hashable, Sendable {
    /// What was given up, with why in `lastError`. In lists its body is left out.
    package var delivery: Delivery
    package var diedAt: Instant

    /// A delivery that was given up.
    package init(delivery: Delivery, diedAt: Instant) {
        self.delivery = delivery
        self.diedAt = diedAt
    }
}

/// How many deliveries a store keeps.
package struct DeliveryLimits: Hashable, Sendable {
    /// Deliveries that may wait; one more is a dead letter at once.
    package var pending = 1_000_000
    /// Dead letters of one target; one more takes the place of the oldest.
    package var deadLettersPerTarget = 10_000

    /// What a dead letter says that never waited.
    package static let fullReason = "as many deliveries were waiting as may wait"

    /// The limits of a server.
    package init() {}
}

/// What a store has given out, and how many deliveries wait.
struct DeliveryTally: Equatable {
    var last: Int64 = 0
    var pending = 0

    mutating func next() -> DeliveryNumber {
        last += 1
        return DeliveryNumber(last)
    }
}

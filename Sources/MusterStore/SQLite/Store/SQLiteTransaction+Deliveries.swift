import GRDB
import MusterCore

/// Deliveries and dead letters.
extension SQLiteTransaction {
    @discardableResult
    func put(_ delivery: NewDelivery) throws -> DeliveryNumber {
        let number = tally.next()
        let delivery = Delivery(number: number, content: delivery)
        try run {
            guard tally.hasRoom(for: delivery.content.target, within: deliveryLimits) else {
                var refused = delivery
                refused.lastError = DeliveryLimits.fullReason
                tally.countRefused()
                return try deadLetter(refused, at: delivery.content.createdAt)
            }
            try DeliveryTable.insert(delivery, in: database)
            tally.count(1, of: delivery.content.target)
        }
        return number
    }

    func complete(_ delivery: DeliveryNumber) throws {
        try run { try delete(delivery) }
    }

    private func delete(_ delivery: DeliveryNumber) throws {
        if let target = try DeliveryTable.delete(delivery, in: database) { tally.count(-1, of: target) }
    }

    func postpone(_ delivery: DeliveryNumber, until next: Instant, attempts: Int, error: String) throws {
        try run {
            try DeliveryTable.postpone(delivery, until: next, attempts: attempts, error: error, in: database)
        }
    }

    func deadLetter(_ delivery: DeliveryNumber, at moment: Instant, attempts: Int, error: String?) throws {
        try run {
            guard var dead = try DeliveryTable.delivery(delivery, in: database) else { return }
            dead.attempts = attempts
            dead.lastError = error ?? dead.lastError
            try deadLetter(dead, at: moment)
            try delete(delivery)
        }
    }

    private func deadLetter(_ delivery: Delivery, at moment: Instant) throws {
        try DeadLetterTable.insert(DeadLetter(delivery: delivery, diedAt: moment), in: database)
        targetsOfLetters.insert(delivery.content.target)
    }

    func redrive(_ letters: [DeliveryNumber], at moment: Instant) throws -> Int {
        try run {
            try letters.count { number in
                guard var content = try DeadLetterTable.letter(number, in: database)?.delivery.content else {
                    return false
                }
                _ = try DeadLetterTable.delete(number, in: database)
                content.createdAt = moment
                try put(content)
                return true
            }
        }
    }

    func discard(_ letters: [DeliveryNumber]) throws -> Int {
        try run { try letters.count { try DeadLetterTable.delete($0, in: database) } }
    }

    /// Deletes the deliveries and dead letters of a target.
    func removeDeliveries(of target: TargetNumber) throws {
        try removeDeliveries(where: "target = ?", Int64(target.rawValue))
        tally.count(-tally.pending[target, default: 0], of: target)
    }

    /// Deletes the deliveries and dead letters about a subject.
    func removeDeliveries(about subject: DeliverySubject) throws {
        let counts = try run { try DeliveryTable.counts(about: subject, in: database) }
        try removeDeliveries(where: "subject = ?", Int64(subject.code))
        for (target, count) in counts { tally.count(-count, of: target) }
    }

    private func removeDeliveries(where condition: String, _ value: Int64) throws {
        try execute("DELETE FROM deliveries WHERE \(condition)", [value])
        try execute("DELETE FROM dead_letters WHERE \(condition)", [value])
    }
}

extension [DeliveryNumber] {
    /// Counts the elements for which a step returns true.
    fileprivate func count(where step: (DeliveryNumber) throws -> Bool) rethrows -> Int {
        try reduce(0) { try $0 + (step($1) ? 1 : 0) }
    }
}

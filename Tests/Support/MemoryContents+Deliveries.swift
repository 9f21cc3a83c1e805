import MusterCore
import MusterStore

/// The deliveries and dead letters of a memory store.
extension MemoryContents {
    mutating func put(_ delivery: Delivery) {
        let ofTarget = deliveries.values.count { $0.content.target == delivery.content.target }
        guard deliveries.count < deliveryLimits.pending, ofTarget < deliveryLimits.pendingPerTarget else {
            var refused = delivery
            refused.lastError = DeliveryLimits.fullReason
            refusedDeliveryCount += 1
            return deadLetter(refused, at: delivery.content.createdAt)
        }
        deliveries[delivery.number] = delivery
    }

    mutating func postpone(_ number: DeliveryNumber, until next: Instant, attempts: Int, error: String) {
        deliveries[number]?.attempts = attempts
        deliveries[number]?.nextAttemptAt = next
        deliveries[number]?.lastError = error
    }

    mutating func deadLetter(_ number: DeliveryNumber, at moment: Instant, attempts: Int, error: String?) {
        guard var dead = deliveries.removeValue(forKey: number) else { return }
        dead.attempts = attempts
        dead.lastError = error ?? dead.lastError
        deadLetter(dead, at: moment)
    }

    private mutating func deadLetter(_ delivery: Delivery, at moment: Instant) {
        deadLetters[delivery.number] = DeadLetter(delivery: delivery, diedAt: moment)
        let ofTarget = deadLetters.values.filter { $0.delivery.content.target == delivery.content.target }
        guard ofTarget.count > deliveryLimits.deadLettersPerTarget else { return }
        if let oldest = ofTarget.map(\.delivery.number).min() { deadLetters[oldest] = nil }
    }

    mutating func redrive(_ letter: DeliveryNumber, as number: DeliveryNumber, at moment: Instant) {
        guard var content = deadLetters.removeValue(forKey: letter)?.delivery.content else { return }
        content.createdAt = moment
        put(Delivery(number: number, content: content))
    }

    mutating func removeDeliveries(of target: TargetNumber) {
        deliveries = deliveries.filter { $0.value.content.target != target }
        deadLetters = deadLetters.filter { $0.value.delivery.content.target != target }
    }

    mutating func removeDeliveries(about subject: DeliverySubject) {
        deliveries = deliveries.filter { $0.value.content.subject != subject }
        deadLetters = deadLetters.filter { $0.value.delivery.content.subject != subject }
    }

    /// Deletes at most `limit` dead letters older than the horizon. Returns their number.
    mutating func forgetDeadLetters(before horizon: Instant, limit: Int) -> Int {
        let old = deadLetters.values.filter { $0.diedAt < horizon }.prefix(limit)
        for letter in old { deadLetters[letter.delivery.number] = nil }
        return old.count
    }
}

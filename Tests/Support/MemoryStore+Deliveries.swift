package import MusterCore
package import MusterStore
import Synchronization

extension MemoryStore {
    package var lastDelivery: DeliveryNumber { DeliveryNumber(contents.withLock { $0.lastDelivery }) }

    package var pendingDeliveryCount: Int { contents.withLock { $0.deliveries.count } }

    package var pendingDeliveryCounts: [TargetNumber: Int] {
        contents.withLock { contents in
            contents.deliveries.values.reduce(into: [:]) { $0[$1.content.target, default: 0] += 1 }
        }
    }

    package var refusedDeliveryCount: Int { contents.withLock { $0.refusedDeliveryCount } }

    package func deliveryCounts(of target: TargetNumber, through number: DeliveryNumber) throws -> DeliveryCounts {
        contents.withLock { contents in
            DeliveryCounts(
                pending: contents.deliveries.values.count { $0.content.target == target && $0.number <= number },
                deadLetters: contents.deadLetters.values.map(\.delivery).count {
                    $0.content.target == target && $0.number <= number
                })
        }
    }

    package func pendingDeliveries(after number: DeliveryNumber, limit: Int) throws -> [PendingDelivery] {
        let waiting = contents.withLock { $0.deliveries.values.filter { $0.number > number } }
        return waiting.sorted { $0.number < $1.number }.prefix(max(0, limit)).map { delivery in
            PendingDelivery(
                number: delivery.number, target: delivery.content.target, subject: delivery.content.subject,
                createdAt: delivery.content.createdAt, attempts: Int32(clamping: delivery.attempts),
                nextAttemptAt: delivery.nextAttemptAt)
        }
    }

    package func deliveries(_ numbers: [DeliveryNumber]) throws -> [Delivery] {
        contents.withLock { contents in numbers.compactMap { contents.deliveries[$0] } }
    }

    package func waitingDeliveries(
        of target: TargetNumber, matching filter: WaitingFilter, after number: DeliveryNumber, limit: Int
    ) throws -> WaitingPage {
        guard limit > 0 else { return WaitingPage() }
        let waiting = contents.withLock { contents in
            contents.deliveries.values.filter { $0.content.target == target && $0.number > number }
        }.sorted { $0.number < $1.number }
        var page = WaitingPage()
        var last = number
        for (looked, delivery) in waiting.enumerated() {
            if page.items.count == limit || looked == DeliveryLimits.lookLimit {
                page.end = last
                break
            }
            last = delivery.number
            guard filter.admits(delivery) else { continue }
            var found = delivery
            found.content.body = []
            page.items.append(found)
        }
        return page
    }

    package func deadLetters(
        of target: TargetNumber?, by rule: String?, after number: DeliveryNumber, limit: Int
    ) throws -> [DeadLetter] {
        let letters = contents.withLock { $0.deadLetters.values.filter { $0.delivery.number > number } }
        let wanted = letters.filter { letter in
            let content = letter.delivery.content
            return (target == nil || content.target == target) && (rule.map { content.isMade(by: $0) } ?? true)
        }
        return wanted.sorted { $0.delivery.number < $1.delivery.number }.prefix(max(0, limit)).map { letter in
            var letter = letter
            letter.delivery.content.body = []
            return letter
        }
    }

    package func deadLetter(_ number: DeliveryNumber) throws -> DeadLetter? {
        contents.withLock { $0.deadLetters[number] }
    }

    package func deadLetterCounts() throws -> [TargetNumber: Int] {
        contents.withLock { contents in
            contents.deadLetters.values.reduce(into: [:]) { $0[$1.delivery.content.target, default: 0] += 1 }
        }
    }
}

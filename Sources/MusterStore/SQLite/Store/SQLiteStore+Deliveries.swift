package import MusterCore
import Synchronization

/// Reads waiting deliveries and dead letters.
extension SQLiteStore {
    package var lastDelivery: DeliveryNumber { DeliveryNumber(tally.withLock { $0.last }) }

    package var pendingDeliveryCount: Int { tally.withLock { $0.pendingCount } }

    package var pendingDeliveryCounts: [TargetNumber: Int] { tally.withLock { $0.pending } }

    package var refusedDeliveryCount: Int { tally.withLock { $0.refusedCount } }

    package func deliveryCounts(of target: TargetNumber, through number: DeliveryNumber) throws -> DeliveryCounts {
        try onReader { database in
            DeliveryCounts(
                pending: try DeliveryTable.count(of: target, through: number, in: database),
                deadLetters: try DeadLetterTable.count(of: target, through: number, in: database))
        }
    }

    package func pendingDeliveries(after number: DeliveryNumber, limit: Int) throws -> [PendingDelivery] {
        guard limit > 0 else { return [] }
        return try onReader { try DeliveryTable.pending(after: number, limit: limit, in: $0) }
    }

    package func deliveries(_ numbers: [DeliveryNumber]) throws -> [Delivery] {
        try onReader { database in try numbers.compactMap { try DeliveryTable.delivery($0, in: database) } }
    }

    package func waitingDeliveries(
        of target: TargetNumber, matching filter: WaitingFilter, after number: DeliveryNumber, limit: Int
    ) throws -> WaitingPage {
        guard limit > 0 else { return WaitingPage() }
        return try onReader {
            try DeliveryTable.waiting(of: target, matching: filter, after: number, limit: limit, in: $0)
        }
    }

    package func deadLetters(
        of target: TargetNumber?, by rule: String?, after number: DeliveryNumber, limit: Int
    ) throws -> [DeadLetter] {
        guard limit > 0 else { return [] }
        return try onReader { try DeadLetterTable.letters(of: target, by: rule, after: number, limit: limit, in: $0) }
    }

    package func deadLetter(_ number: DeliveryNumber) throws -> DeadLetter? {
        try onReader { try DeadLetterTable.letter(number, in: $0) }
    }

    package func deadLetterCounts() throws -> [TargetNumber: Int] {
        try onReader { try DeadLetterTable.counts(in: $0) }
    }
}

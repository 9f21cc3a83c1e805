import MusterCore
import MusterStore
import Synchronization

/// Deliveries in a transaction of a memory store.
extension MemoryTransaction {
    @discardableResult
    func put(_ delivery: NewDelivery) throws -> DeliveryNumber {
        let number = nextDelivery()
        edits.append { $0.put(Delivery(number: number, content: delivery)) }
        return number
    }

    func complete(_ delivery: DeliveryNumber) throws { edits.append { $0.deliveries[delivery] = nil } }

    func postpone(_ delivery: DeliveryNumber, until next: Instant, attempts: Int, error: String) throws {
        edits.append { $0.postpone(delivery, until: next, attempts: attempts, error: error) }
    }

    func deadLetter(_ delivery: DeliveryNumber, at moment: Instant, attempts: Int, error: String?) throws {
        edits.append { $0.deadLetter(delivery, at: moment, attempts: attempts, error: error) }
    }

    func redrive(_ letters: [DeliveryNumber], at moment: Instant) throws -> Int {
        let found = lettersToTake(letters)
        for letter in found {
            let number = nextDelivery()
            edits.append { $0.redrive(letter, as: number, at: moment) }
        }
        return found.count
    }

    func discard(_ letters: [DeliveryNumber]) throws -> Int {
        let found = lettersToTake(letters)
        for letter in found { edits.append { $0.deadLetters[letter] = nil } }
        return found.count
    }

    /// The letters that exist and that this transaction has not taken before. Marks them as taken.
    private func lettersToTake(_ letters: [DeliveryNumber]) -> [DeliveryNumber] {
        let stored = store.contents.withLock { $0.deadLetters }
        return letters.filter { stored[$0] != nil && takenLetters.insert($0).inserted }
    }

    private func nextDelivery() -> DeliveryNumber {
        lastDelivery += 1
        return DeliveryNumber(lastDelivery)
    }
}

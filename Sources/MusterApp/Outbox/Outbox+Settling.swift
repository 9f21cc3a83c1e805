import Foundation
import MusterReplication

extension Outbox {
    /// Waits until orders are over: the server has each, or refused it, or it was cancelled.
    ///
    /// - Returns: whether they are; false after so many seconds, or when the task is cancelled.
    @discardableResult
    func settle(_ ids: Set<Order.ID>, withinSeconds seconds: Double) async -> Bool {
        func areOver() -> Bool { !deliveries.contains { ids.contains($0.id) && !$0.isOver } }
        if areOver() { return true }
        let (changes, changing) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let number = UUID()
        settling[number] = changing
        let pacing = pacing
        let limit = Task {
            try? await pacing.sleep(seconds)
            changing.finish()
        }
        defer {
            settling[number] = nil
            limit.cancel()
        }
        for await _ in changes where areOver() { return true }
        return areOver()
    }
}

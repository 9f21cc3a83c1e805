import Foundation

extension Outbox {
    /// So many seconds after it was said a call for help may count as of its arrival.
    private static let freshSeconds = 60.0

    /// The order with the server's time of when it was said. One that was said before the server had told its time, as
    /// between a sign-in and the first answer, has the phone's: with that of a phone an hour behind, a call for help
    /// would come behind an older mark.
    ///
    /// A call for help that was just said is not held up for it: it counts as of its arrival.
    ///
    /// - Throws: `ServerFault` where the server has to be asked for its time and does not answer.
    func timedByServer(_ order: Order) async throws(ServerFault) -> Order {
        guard order.isTimedByPhone == true, let saidAt = order.saidAt else { return order }
        if !wording.knowsServerTime {
            if order.mayCountAsOfArrival, abs(phoneNow.timeIntervalSince(saidAt)) < Self.freshSeconds {
                var fresh = order
                fresh.saidAt = nil
                return fresh
            }
            let date = try await server.send("GET", "session").date
            // The field has whole seconds. Without it, as behind a proxy that removes it, the phone's clock counts.
            let ahead = date?.addingTimeInterval(0.5).timeIntervalSince(phoneNow)
            if !wording.knowsServerTime { wording.learnServerTime(aheadSeconds: ahead ?? 0) }
        }
        let ahead = wording.serverAheadSeconds
        update(order.id) { delivery in
            guard delivery.order.isTimedByPhone == true else { return }
            delivery.order.isTimedByPhone = nil
            delivery.order.saidAt = delivery.order.saidAt?.addingTimeInterval(ahead)
        }
        await keep()
        return deliveries.first { $0.id == order.id }?.order ?? order
    }
}

import MusterCore
import MusterWire
import Testing

@testable import MusterServer

/// What the services of Apple and Google can read of a message.
@Suite struct PushSecrecyTests {
    @Test func `a timer's note is pushed only by encrypted Web Push`() async throws {
        let office = try await Office()
        let (worker, now) = (try office.user("mia"), office.clock.now)
        var timer = CheckInTimer(
            intervalSeconds: 600, note: "Pump house 3, alone", setBy: worker.number, lastWord: now, now: now)
        timer.turn = .overdue
        let logged = LoggedChange(
            sequence: LogSequence(1), committedAt: now, change: .checkInTimer(timer, of: worker.number))
        let recipients = PushRecipients(directory: office.coordinator.directory, origin: office.coordinator.origin)
        let told = try #require(recipients.notification(of: logged)).message
        // Also after it has waited in the store.
        for message in [told, try #require(PushMessage(stored: told.stored, topic: told.topic))] {
            let services = [APNsSender.text(of: message), FCMSender.text(of: message, to: "token", at: now)]
            for text in services.map({ String(decoding: $0, as: UTF8.self) }) {
                #expect(text.contains("The check-in is overdue.") && !text.contains("Pump"))
            }
            let page = WebPushSender.text(of: message, page: "https://muster.example")
            #expect(String(decoding: page, as: UTF8.self).contains("The check-in is overdue. Pump house 3, alone"))
        }
        try await office.coordinator.close()
    }
}

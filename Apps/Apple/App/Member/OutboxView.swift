import MusterApp
import SwiftUI

/// What waits on this phone for the server.
struct OutboxView: View {
    let outbox: OutboxModel

    var body: some View {
        Section(outbox.title) {
            TextLines([outbox.summary, outbox.sentText, outbox.faultText ?? ""])
            ForEach(outbox.lines) { line in DeliveryRow(line: line) }
            ActionButton(outbox.sendNowTitle, "arrow.up.circle") { await outbox.sendNow() }
        }
    }
}

import MusterApp
import SwiftUI

/// The person's own state, as the server says it, and beside it what the phone thinks.
struct StatusView: View {
    let status: StatusModel

    var body: some View {
        VStack(alignment: .leading, spacing: 8) {
            if let text = status.connectionText { Label(text, systemImage: "wifi.slash").font(.callout) }
            Text(status.saidBy).font(.subheadline).foregroundStyle(.secondary)
            HStack(alignment: .center, spacing: 12) {
                StateMark(state: status.state, isOld: status.isOld).font(.largeTitle)
                VStack(alignment: .leading) {
                    Text(status.title).font(.title).fontWeight(.bold)
                    Text(status.since).font(.subheadline).foregroundStyle(.secondary)
                }
            }
            TextLines(status.lines)
            if let guess = status.guess {
                VStack(alignment: .leading, spacing: 4) {
                    Text(status.guessTitle).font(.headline)
                    Text(guess)
                }
                .padding(12)
                .overlay { RoundedRectangle(cornerRadius: 12).stroke(.secondary, lineWidth: 1) }
            }
        }
        .accessibilityElement(children: .ignore)
        .accessibilityLabel(status.spoken)
        .accessibilityAddTraits(.updatesFrequently)
    }
}

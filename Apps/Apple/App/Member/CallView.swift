import MusterApp
import SwiftUI

/// An incident's call over the whole screen, until the person has said that they have seen it.
struct CallView: View {
    let card: CallModel.Card
    let call: CallModel
    let showWay: @MainActor () -> Void

    var body: some View {
        VStack(spacing: 20) {
            Spacer()
            Image(systemName: "figure.walk.departure").font(.largeTitle).accessibilityHidden(true)
            Text(card.title).font(.largeTitle).fontWeight(.bold).multilineTextAlignment(.center)
                .accessibilityAddTraits(.isHeader)
            Text(card.line)
            Text(card.note).font(.title3).multilineTextAlignment(.center)
            Text(card.whatToDo).font(.title2).multilineTextAlignment(.center)
            Spacer()
            ActionButton(card.acknowledgeTitle, "eye") { await call.acknowledge(card.id) }
                .buttonStyle(.borderedProminent).controlSize(.extraLarge)
            Text(card.meansText).font(.footnote).foregroundStyle(.secondary).multilineTextAlignment(.center)
            ActionButton(card.wayTitle, "location.north.line") {
                await call.acknowledge(card.id)
                showWay()
            }
            .buttonStyle(.bordered)
        }
        .padding(24)
        .frame(maxWidth: .infinity, maxHeight: .infinity)
        .interactiveDismissDisabled()
    }
}

/// An incident's call that the person has seen, as a card.
struct CallCard: View {
    let card: CallModel.Card
    let call: CallModel
    let showWay: @MainActor () -> Void

    var body: some View {
        VStack(alignment: .leading, spacing: 8) {
            Label(card.title, systemImage: "figure.walk.departure").font(.title2)
            TextLines([card.line, card.note, card.whatToDo, card.seenText ?? ""])
            Button(card.wayTitle, systemImage: "location.north.line") { showWay() }.buttonStyle(.bordered)
        }
    }
}

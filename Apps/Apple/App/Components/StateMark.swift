import MusterApp
import SwiftUI

/// The mark of a person's state: a symbol in a colour. Its shape alone tells the states apart.
struct StateMark: View {
    let state: ShownState
    /// Whether the state is from before, and so has no colour.
    var isOld = false

    var body: some View {
        Image(systemName: state.symbol).foregroundStyle(isOld ? .secondary : state.color).accessibilityHidden(true)
    }
}

extension ShownState {
    /// The symbol of SF Symbols for a state.
    var symbol: String {
        switch self {
        case .sos: "sos.circle.fill"
        case .needsHelp: "hand.raised.circle.fill"
        case .unsafe: "exclamationmark.triangle.fill"
        case .seemsToHaveLeft: "arrow.up.right.circle.fill"
        case .unknown: "questionmark.circle.fill"
        case .checking: "hourglass.circle.fill"
        case .located: "mappin.circle.fill"
        case .offSite: "moon.circle.fill"
        case .safe: "checkmark.circle.fill"
        }
    }

    /// The colour of a state.
    var color: Color {
        switch self {
        case .sos, .needsHelp: .red
        case .unsafe, .seemsToHaveLeft, .unknown: .orange
        case .checking: .yellow
        case .located, .offSite: .blue
        case .safe: .green
        }
    }

    /// The colour of a state in a widget.
    var tone: Glance.Tone {
        switch self {
        case .sos, .needsHelp, .unsafe: .alarm
        case .seemsToHaveLeft, .unknown, .checking: .doubt
        case .located, .offSite: .none
        case .safe: .calm
        }
    }
}

extension DeliveryLine.Place {
    /// The symbol of SF Symbols for the place of what was said.
    var symbol: String {
        switch self {
        case .phone: "iphone"
        case .server: "checkmark"
        case .seen: "eye"
        case .refused: "xmark.octagon"
        case .cancelled: "slash.circle"
        }
    }
}

/// A line that says where something is that was said or ordered.
struct DeliveryRow: View {
    let line: DeliveryLine

    var body: some View {
        Label(line.text, systemImage: line.place.symbol).font(.callout)
    }
}

/// Texts below one another; those that are empty take no room.
struct TextLines: View {
    let lines: [String]

    /// Shows texts in their order.
    init(_ lines: [String]) { self.lines = lines.filter { !$0.isEmpty } }

    var body: some View {
        ForEach(lines, id: \.self) { line in Text(line).frame(maxWidth: .infinity, alignment: .leading) }
    }
}

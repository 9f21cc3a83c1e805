import SwiftUI
import WidgetKit

/// A face of a glance, in the form of the widget's family.
struct FaceView: View {
    let face: Glance.Face
    @Environment(\.widgetFamily) private var family

    var body: some View {
        form.containerBackground(.clear, for: .widget)
            .accessibilityElement(children: .ignore)
            .accessibilityLabel("\(face.title). \(face.line)")
    }

    @ViewBuilder private var form: some View {
        switch family {
        case .accessoryInline: Label(face.title, systemImage: face.symbol)
        case .accessoryCircular: Image(systemName: face.symbol).font(.title)
        default:
            VStack(alignment: .leading, spacing: 4) {
                Label(face.title, systemImage: face.symbol).font(.headline).foregroundStyle(face.tone.color)
                Text(face.line).font(.caption).multilineTextAlignment(.leading)
                if let asOf = face.asOf { Text(asOf, style: .time).font(.caption).foregroundStyle(.secondary) }
            }
            .frame(maxWidth: .infinity, maxHeight: .infinity, alignment: .leading)
        }
    }
}

extension Glance.Tone {
    /// The colour; the symbol and the words say the same without it.
    var color: Color {
        switch self {
        case .none: .primary
        case .calm: .green
        case .doubt: .orange
        case .alarm: .red
        }
    }
}

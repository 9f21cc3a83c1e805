import ActivityKit
import AppIntents
import MusterApp
import SwiftUI
import WidgetKit

/// The Live Activity of an incident: on the Lock Screen, and in the Dynamic Island.
struct IncidentActivity: Widget {
    var body: some WidgetConfiguration {
        ActivityConfiguration(for: IncidentAttributes.self) { context in
            IncidentLockScreen(
                call: context.attributes.call.id, shown: context.state.words, isStale: context.isStale)
        } dynamicIsland: { context in
            let shown = context.state.words
            let faces = shown.faces(isStale: context.isStale)
            return DynamicIsland {
                DynamicIslandExpandedRegion(.leading) { FaceLine(face: faces.status) }
                DynamicIslandExpandedRegion(.trailing) { FaceLine(face: faces.way) }
                DynamicIslandExpandedRegion(.center) { Text(shown.title).font(.headline) }
                DynamicIslandExpandedRegion(.bottom) {
                    IncidentButtons(call: context.attributes.call.id, shown: shown)
                }
            } compactLeading: {
                Image(systemName: "figure.walk.departure").accessibilityLabel(shown.title)
            } compactTrailing: {
                FaceSymbol(face: faces.way)
            } minimal: {
                FaceSymbol(face: faces.status)
            }
        }
    }
}

/// The incident on the Lock Screen. A text that is empty takes no room.
struct IncidentLockScreen: View {
    let call: String
    let shown: IncidentShown
    let isStale: Bool

    var body: some View {
        let faces = shown.faces(isStale: isStale)
        VStack(alignment: .leading, spacing: 8) {
            Text(shown.title).font(.title2).fontWeight(.bold).accessibilityAddTraits(.isHeader)
            Text(shown.team).font(.caption).foregroundStyle(.secondary)
            if !shown.line.isEmpty { Text(shown.line).font(.body) }
            if !shown.note.isEmpty { Text(shown.note).font(.caption).lineLimit(2) }
            HStack {
                FaceLine(face: faces.status)
                Spacer()
                FaceLine(face: faces.way)
            }
            IncidentButtons(call: call, shown: shown)
        }
        .padding(16)
    }
}

/// The buttons of an incident. Each works offline.
struct IncidentButtons: View {
    let call: String
    let shown: IncidentShown

    var body: some View {
        HStack {
            if let title = shown.acknowledgeTitle {
                Button(intent: AcknowledgeCall(call: call)) { Text(title).frame(maxWidth: .infinity) }
                    .buttonStyle(.borderedProminent)
            }
            if let title = shown.safeTitle {
                Button(intent: SayIAmSafe()) { Text(title).frame(maxWidth: .infinity) }
                    .buttonStyle(.bordered)
                    .tint(.green)
            }
        }
    }
}

/// A face as a symbol and its title; nothing where there is nothing to say.
struct FaceLine: View {
    let face: Glance.Face

    var body: some View {
        if !face.title.isEmpty {
            Label(face.title, systemImage: face.symbol).font(.caption).foregroundStyle(face.tone.color).lineLimit(2)
                .accessibilityLabel("\(face.title). \(face.line)")
        }
    }
}

/// A face as a symbol alone.
struct FaceSymbol: View {
    let face: Glance.Face

    var body: some View {
        Image(systemName: face.symbol).foregroundStyle(face.tone.color).accessibilityLabel(face.title)
    }
}

struct IncidentActivity_Previews: PreviewProvider {
    static var previews: some View {
        IncidentLockScreen(
            call: "1",
            shown: IncidentShown(
                title: "Evacuate", team: "Team Engine 4, since 12:03", line: "Go to the assembly point now.", note: "",
                status: Glance.Face(symbol: "exclamationmark.triangle.fill", title: "Unsafe", line: "", tone: .alarm),
                way: Glance.Face(symbol: "arrow.up.right", title: "120 m", line: "School field", tone: .none),
                agedStatus: Glance.Face(
                    symbol: "clock.badge.questionmark", title: "Was “Unsafe” at 12:03", line: "", tone: .none),
                agedWay: Glance.Face(symbol: "arrow.up.right", title: "120 m", line: "School field", tone: .none),
                acknowledgeTitle: "I have seen this", safeTitle: "I am safe"),
            isStale: false)
    }
}

import ActivityKit
import AppIntents
import SwiftUI
import WidgetKit

/// The Live Activity of an incident: on the Lock Screen, and in the Dynamic Island.
struct IncidentActivity: Widget {
    var body: some WidgetConfiguration {
        ActivityConfiguration(for: IncidentAttributes.self) { context in
            IncidentLockScreen(attributes: context.attributes, state: context.state, isStale: context.isStale)
        } dynamicIsland: { context in
            let faces = context.state.faces(isStale: context.isStale)
            return DynamicIsland {
                DynamicIslandExpandedRegion(.leading) { FaceLine(face: faces.status) }
                DynamicIslandExpandedRegion(.trailing) { FaceLine(face: faces.way) }
                DynamicIslandExpandedRegion(.center) { Text(context.state.title).font(.headline) }
                DynamicIslandExpandedRegion(.bottom) {
                    IncidentButtons(call: context.attributes.call, state: context.state)
                }
            } compactLeading: {
                Image(systemName: "figure.walk.departure").accessibilityLabel(context.state.title)
            } compactTrailing: {
                FaceSymbol(face: faces.way)
            } minimal: {
                FaceSymbol(face: faces.status)
            }
        }
    }
}

/// The incident on the Lock Screen.
struct IncidentLockScreen: View {
    let attributes: IncidentAttributes
    let state: IncidentAttributes.ContentState
    let isStale: Bool

    var body: some View {
        let faces = state.faces(isStale: isStale)
        VStack(alignment: .leading, spacing: 8) {
            Text(state.title).font(.title2).fontWeight(.bold).accessibilityAddTraits(.isHeader)
            Text(attributes.team).font(.caption).foregroundStyle(.secondary)
            Text(state.line).font(.body)
            HStack {
                FaceLine(face: faces.status)
                Spacer()
                FaceLine(face: faces.way)
            }
            IncidentButtons(call: attributes.call, state: state)
        }
        .padding(16)
    }
}

/// The buttons of an incident. Each works offline.
struct IncidentButtons: View {
    let call: String
    let state: IncidentAttributes.ContentState

    var body: some View {
        HStack {
            if let title = state.acknowledgeTitle {
                Button(intent: AcknowledgeCall(call: call)) { Text(title).frame(maxWidth: .infinity) }
                    .buttonStyle(.borderedProminent)
            }
            Button(intent: SayIAmSafe()) { Text(state.safeTitle).frame(maxWidth: .infinity) }
                .buttonStyle(.bordered)
                .tint(.green)
        }
    }
}

/// A face as a symbol and its title.
struct FaceLine: View {
    let face: Glance.Face

    var body: some View {
        Label(face.title, systemImage: face.symbol).font(.caption).foregroundStyle(face.tone.color).lineLimit(2)
            .accessibilityLabel("\(face.title). \(face.line)")
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
            attributes: IncidentAttributes(call: "1", team: "Engine 4, 12:03"),
            state: IncidentAttributes.ContentState(
                title: "Evacuate", line: "Go to the assembly point now.",
                status: Glance.Face(symbol: "exclamationmark.triangle.fill", title: "Unsafe", line: "", tone: .alarm),
                way: Glance.Face(symbol: "arrow.up.right", title: "120 m", line: "School field", tone: .none),
                agedStatus: Glance.Face(
                    symbol: "clock.badge.questionmark", title: "Was “Unsafe” at 12:03", line: "", tone: .none),
                agedWay: Glance.Face(symbol: "arrow.up.right", title: "120 m", line: "School field", tone: .none),
                acknowledgeTitle: "I have seen this", safeTitle: "I am safe"),
            isStale: false)
    }
}

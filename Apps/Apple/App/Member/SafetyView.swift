import MusterApp
import SwiftUI

/// "I am safe", "I need help", SOS, and what became of each.
struct SafetyView: View {
    let safety: SafetyModel
    @State private var note = ""

    var body: some View {
        VStack(spacing: 12) {
            HStack(spacing: 12) {
                ActionButton(safety.safeTitle, "checkmark") { await safety.saySafe() }
                    .buttonStyle(.borderedProminent).tint(.green).controlSize(.extraLarge)
                ActionButton(safety.helpTitle, "hand.raised") { await safety.askForHelp() }
                    .buttonStyle(.borderedProminent).tint(.orange).controlSize(.extraLarge)
            }
            HoldButton(
                title: safety.sosTitle, hint: safety.sosHint, tooShort: safety.tooShortText,
                seconds: SafetyModel.holdSeconds
            ) { await safety.startSOS() }
            ForEach(safety.deliveries) { line in DeliveryRow(line: line) }
            if let text = safety.noPlaceText { Label(text, systemImage: "location.slash") }
            if safety.isCalling {
                TextField(safety.noteTitle, text: $note)
                ActionButton(safety.sendNoteTitle, "paperplane") {
                    await safety.sendNote(note)
                    note = ""
                }
                // Of plain buttons in one row of a form, a tap on the row presses all.
                .buttonStyle(.bordered)
                QuestionButton(safety.endCallTitle, "hand.thumbsup", safety.endCallQuestion) { _ in
                    await safety.endCall()
                }
                .buttonStyle(.bordered)
            }
        }
    }
}

/// The countdown of an SOS over the whole screen.
struct CountdownView: View {
    let countdown: SafetyModel.Countdown
    let safety: SafetyModel

    var body: some View {
        VStack(spacing: 24) {
            Text(safety.sosTitle).font(.largeTitle).fontWeight(.bold).accessibilityAddTraits(.isHeader)
            Text(timerInterval: Date()...max(Date(), countdown.dueAt), countsDown: true, showsHours: false)
                .font(.largeTitle)
            Text(countdown.text).font(.title2).multilineTextAlignment(.center)
            ActionButton(countdown.sendNowTitle, "paperplane.fill") { await safety.sendSOSNow() }
                .buttonStyle(.borderedProminent).tint(.red).controlSize(.extraLarge)
            ActionButton(countdown.cancelTitle, "xmark", role: .cancel) { await safety.cancelSOS() }
                .buttonStyle(.bordered).controlSize(.extraLarge)
        }
        .padding(24)
        .frame(maxWidth: .infinity, maxHeight: .infinity)
        .background(.thinMaterial)
        .accessibilityAction(.escape) { Task { await safety.cancelSOS() } }
    }
}

import MusterApp
import SwiftUI

/// The check-in timer of a person who works alone.
struct CheckInView: View {
    let timer: CheckInModel
    @State private var seconds = 3600.0
    @State private var note = ""

    var body: some View {
        Section(timer.title) {
            if let banner = timer.banner { Label(banner, systemImage: "bell.badge.fill").font(.headline) }
            TextLines([timer.text, timer.note])
            if timer.isRunning {
                ActionButton(timer.checkInTitle, "checkmark.circle") { await timer.checkIn() }
                    .buttonStyle(.borderedProminent)
                QuestionButton(timer.endTitle, "stop.circle", timer.endQuestion) { _ in await timer.end() }
            } else {
                Picker(timer.intervalTitle, selection: $seconds) {
                    ForEach(timer.intervals) { interval in Text(interval.title).tag(interval.seconds) }
                }
                TextField(timer.noteTitle, text: $note)
                ActionButton(timer.startTitle, "timer") { await timer.start(everySeconds: seconds, note: note) }
            }
        }
    }
}

import MusterApp
import SwiftUI

/// Who sees the person, and the pause.
struct VisibilityView: View {
    let visibility: VisibilityModel
    @State private var note = ""

    var body: some View {
        List {
            Section {
                TextLines(visibility.lines)
                if let text = visibility.note { Text(text).foregroundStyle(.secondary) }
                if visibility.isLoading { ProgressView() }
            }
            Section(visibility.pauseTitle) {
                if let text = visibility.pauseText {
                    Text(text)
                    ActionButton(visibility.endPauseTitle, "play") { await visibility.endPause() }
                }
                Text(visibility.pauseExplanation).font(.footnote)
                TextField(visibility.pauseNoteTitle, text: $note)
                ForEach(visibility.pauseChoices) { choice in
                    ActionButton(choice.title, "pause") {
                        await visibility.pause(forSeconds: choice.seconds, note: note)
                    }
                }
                .disabled(!visibility.mayPause)
            }
        }
        .navigationTitle(visibility.title)
        .task { await visibility.load() }
        .refreshable { await visibility.load() }
    }
}

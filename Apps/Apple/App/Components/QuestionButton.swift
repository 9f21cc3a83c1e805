import MusterApp
import SwiftUI

/// A button that asks before it does something that cannot be taken back. The question, its buttons and whether a note
/// is needed are the model's.
struct QuestionButton: View {
    let title: String
    let symbol: String
    let question: Question
    /// Does it; receives the note, which is empty where none is asked for.
    let action: @MainActor (String) async -> Void
    @State private var isAsking = false

    /// - Parameters:
    ///   - title: the title of the button that asks.
    ///   - symbol: a symbol of SF Symbols.
    init(
        _ title: String, _ symbol: String, _ question: Question, action: @escaping @MainActor (String) async -> Void
    ) {
        self.title = title
        self.symbol = symbol
        self.question = question
        self.action = action
    }

    var body: some View {
        Button(title, systemImage: symbol, role: question.isDestructive ? .destructive : nil) { isAsking = true }
            .sheet(isPresented: $isAsking) { QuestionSheet(question: question, action: action) }
    }
}

/// A question with its lines, its note and its two buttons.
struct QuestionSheet: View {
    let question: Question
    let action: @MainActor (String) async -> Void
    @State private var note = ""
    @Environment(\.dismiss) private var dismiss

    var body: some View {
        NavigationStack {
            Form {
                TextLines(question.lines)
                if let title = question.noteTitle { TextField(title, text: $note) }
                Section {
                    ActionButton(
                        question.button, "checkmark", role: question.isDestructive ? .destructive : nil
                    ) {
                        await action(note)
                        dismiss()
                    }
                    .disabled(question.needsNote && note.isEmpty)
                    Button(question.cancel, systemImage: "xmark", role: .cancel) { dismiss() }
                }
            }
            .navigationTitle(question.title)
            .navigationBarTitleDisplayMode(.inline)
        }
    }
}

import Foundation
import MusterApp
import SwiftUI

/// The first screen, in each language, in the dark, and with the largest text.
struct RootView_Previews: PreviewProvider {
    static var previews: some View {
        ForEach(Language.allCases) { language in RootView(app: app(language)) }
        RootView(app: app(.english)).preferredColorScheme(.dark)
        RootView(app: app(.english)).environment(\.dynamicTypeSize, .accessibility5)
    }

    private static func app(_ language: Language) -> AppModel {
        let folder = URL.temporaryDirectory.appending(path: "preview-\(language.rawValue)")
        return AppModel(AppSystem(folder: folder, preferredLanguages: [language.rawValue], version: "1.0"))
    }
}

/// Every state with its mark, fresh and old.
struct StateMark_Previews: PreviewProvider {
    static var previews: some View {
        List {
            ForEach(ShownState.allCases) { state in
                HStack {
                    StateMark(state: state)
                    StateMark(state: state, isOld: true)
                    Text(state.rawValue)
                }
            }
        }
    }
}

/// A question that needs a reason.
struct QuestionSheet_Previews: PreviewProvider {
    static var previews: some View {
        QuestionSheet(
            question: Question(
                title: "All clear for Engine 4?", lines: ["12 of 14 accounted for", "Not accounted for: Ben, Ana."],
                button: "All clear", cancel: "Cancel", isDestructive: true, noteTitle: "Reason", needsNote: true)
        ) { _ in }
    }
}

/// A leader's and a member's face during a drill, with invented people.
struct AccountView_Previews: PreviewProvider {
    static var previews: some View {
        SampleView(language: .english, isLeader: true)
        SampleView(language: .english, isLeader: false)
        SampleView(language: .japanese, isLeader: false).preferredColorScheme(.dark)
        SampleView(language: .spanish, isLeader: false).environment(\.dynamicTypeSize, .accessibility5)
    }
}

/// The app with the models' sample data.
struct SampleView: View {
    let language: Language
    let isLeader: Bool
    @State private var app: AppModel?

    var body: some View {
        Group { if let app { RootView(app: app) } }
            .task { app = try? await AppModel.sample(language, isLeader: isLeader) }
    }
}

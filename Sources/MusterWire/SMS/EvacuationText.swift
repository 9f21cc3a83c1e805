/// What a text says of an incident to the people of its team, where a rule's target has no template of its own.
package struct EvacuationText: Hashable, Sendable {
    /// The name of the team.
    package var team: String
    /// What the leader wrote of the incident; nil for nothing.
    package var note: String?
    package var isDrill: Bool
    /// Whether the incident is open: started, or reopened.
    package var isOpen: Bool
    /// Whether the server takes texts, so that the people can answer.
    package var canAnswer: Bool

    package init(team: String, note: String?, isDrill: Bool, isOpen: Bool, canAnswer: Bool) {
        self.team = team
        self.note = note
        self.isDrill = isDrill
        self.isOpen = isOpen
        self.canAnswer = canAnswer
    }

    /// The words. The leader's note is last, so that it alone is cut where the text is too long.
    package func words(in language: TextLanguage) -> String {
        var parts = [head(in: language)]
        if isOpen, canAnswer { parts.append(answers(in: language)) }
        if let note, !note.isEmpty { parts.append(note) }
        let isSpaced = language == .english || language == .spanish
        return parts.joined(separator: isSpaced ? " " : "")
    }

    private func head(in language: TextLanguage) -> String {
        switch (language, isOpen) {
        case (.english, true):
            (isDrill ? "DRILL (\(team)): " : "EVACUATE (\(team)): ") + "go to an assembly point now."
        case (.english, false): (isDrill ? "The drill" : "The incident") + " of \(team) is over."
        case (.spanish, true):
            (isDrill ? "SIMULACRO (\(team)): " : "EVACUA (\(team)): ") + "ve ahora a un punto de encuentro."
        case (.spanish, false): (isDrill ? "El simulacro" : "La emergencia") + " de \(team) ha terminado."
        case (.japanese, true): (isDrill ? "【訓練】" : "【避難】") + "\(team)：今すぐ集合場所へ。"
        case (.japanese, false): "\(team)：\(isDrill ? "訓練" : "緊急事態")は終わりました。"
        case (.chinese, true): (isDrill ? "【演练】" : "【撤离】") + "\(team)：现在就去集合点。"
        case (.chinese, false): "\(team)：\(isDrill ? "演练" : "紧急情况")已结束。"
        }
    }

    private func answers(in language: TextLanguage) -> String {
        switch language {
        case .english: "Then answer SAFE. If you need help: HELP or SOS."
        case .spanish: "Luego contesta A SALVO. Si necesitas ayuda: AYUDA o SOS."
        case .japanese: "着いたら「無事」、助けが必要なら「助けて」かSOSと返信。"
        case .chinese: "到达后回复“安全”，需要帮助请回复“求助”或SOS。"
        }
    }
}

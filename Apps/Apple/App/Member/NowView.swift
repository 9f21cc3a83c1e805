import MusterApp
import SwiftUI

/// The first tab: the call, the own state, the buttons, the timer.
struct NowView: View {
    let app: AppModel
    let account: AccountModel

    var body: some View {
        Form {
            if let text = account.signInNeededText { SignInAgainSection(app: app, account: account, text: text) }
            ForEach(account.call.cards) { card in
                Section { CallCard(card: card, call: account.call) { app.show(.way) } }
            }
            if let text = account.status.questionText { Label(text, systemImage: "questionmark.bubble") }
            if let missing = account.settings.missing { PermissionRow(line: missing, settings: account.settings) }
            Section { StatusView(status: account.status) }
            Section { SafetyView(safety: account.safety) }
            CheckInView(timer: account.checkIn)
            OutboxView(outbox: account.waiting)
            PartLinks(tab: .now, app: app)
        }
        .navigationTitle(app.title(of: .now))
        .refreshable { await account.waiting.sendNow() }
    }
}

/// That the server no longer accepts the person, and the field for the password.
struct SignInAgainSection: View {
    let app: AppModel
    let account: AccountModel
    let text: String
    @State private var password = ""
    @State private var problem: String?

    var body: some View {
        Section {
            Text(text)
            SecureField(app.signIn.passwordTitle, text: $password).textContentType(.password)
            if let problem { Text(problem).foregroundStyle(.red) }
            ActionButton(app.signIn.signInTitle, "key") {
                problem = await account.signInAgain(password: password)
                password = ""
            }
        }
    }
}

import MusterApp
import SwiftUI
import UIKit

/// This phone: positions, permissions, what waits, datasets, language, account.
struct SettingsView: View {
    let app: AppModel
    let account: AccountModel
    @State private var isSigningOut = false

    var body: some View {
        List {
            Section(account.settings.trackingTitle) {
                TextLines([account.settings.trackingText, account.settings.fixText ?? ""])
                Button(account.settings.reportingTitle, systemImage: "location") {
                    account.settings.setReporting(!account.settings.isReporting)
                }
            }
            OutboxView(outbox: account.waiting)
            Section {
                NavigationLink(value: Navigation.Route.permissions) {
                    Label(account.settings.permissionsTitle, systemImage: "hand.raised.square")
                }
                NavigationLink {
                    NearbyView(nearby: account.nearby)
                } label: {
                    Label(account.nearby.title, systemImage: "person.line.dotted.person")
                }
                NavigationLink(value: Navigation.Route.datasets) {
                    Label(account.settings.datasetsTitle, systemImage: "arrow.triangle.2.circlepath")
                }
                Menu(account.settings.languageTitle, systemImage: "globe") {
                    ForEach(Language.allCases) { language in
                        Button(language.ownName) { app.choose(language) }
                    }
                }
            }
            Section {
                TextLines([account.settings.accountText, account.settings.versionText, account.settings.problem ?? ""])
                Button(account.settings.signOutTitle, systemImage: "rectangle.portrait.and.arrow.right") {
                    isSigningOut = true
                }
                .sheet(isPresented: $isSigningOut) { SignOutSheet(settings: account.settings) }
            }
        }
        .navigationTitle(app.title(of: .phone))
    }
}

/// Asks before signing out, and whether everything on this phone is erased.
struct SignOutSheet: View {
    let settings: SettingsModel
    @State private var erases = false
    @Environment(\.dismiss) private var dismiss

    var body: some View {
        NavigationStack {
            Form {
                TextLines(settings.signOutQuestion.lines)
                Section {
                    Toggle(settings.eraseTitle, isOn: $erases)
                } footer: {
                    Text(settings.eraseText)
                }
                ActionButton(settings.signOutQuestion.button, "checkmark", role: .destructive) {
                    await settings.signOut(erases: erases)
                    dismiss()
                }
                Button(settings.signOutQuestion.cancel, systemImage: "xmark", role: .cancel) { dismiss() }
            }
            .navigationTitle(settings.signOutQuestion.title)
        }
    }
}

/// What the person allows the app, and what does not work without it.
struct PermissionsView: View {
    let settings: SettingsModel

    var body: some View {
        List {
            ForEach(settings.permissions) { line in PermissionRow(line: line, settings: settings) }
        }
        .navigationTitle(settings.permissionsTitle)
        .task { await settings.readPermissions() }
    }
}

/// One permission with its button.
struct PermissionRow: View {
    let line: SettingsModel.PermissionLine
    let settings: SettingsModel
    @Environment(\.openURL) private var openURL

    var body: some View {
        VStack(alignment: .leading, spacing: 6) {
            LabeledContent(line.title, value: line.stateText)
            TextLines([line.advice])
            if let title = line.button {
                ActionButton(title, "gearshape") {
                    if line.opensSettings {
                        if let url = URL(string: UIApplication.openSettingsURLString) { openURL(url) }
                    } else {
                        await settings.ask(for: line.id)
                    }
                }
            }
        }
    }
}

/// The datasets of the person, which follow them across devices.
struct DatasetsView: View {
    let settings: SettingsModel

    var body: some View {
        List {
            TextLines(settings.datasets)
            if let problem = settings.datasetsProblem { Text(problem) }
            ActionButton(settings.synchronizeTitle, "arrow.triangle.2.circlepath") {
                await settings.synchronizeDatasets()
            }
        }
        .navigationTitle(settings.datasetsTitle)
        .task { await settings.synchronizeDatasets() }
        .refreshable { await settings.synchronizeDatasets() }
    }
}

import AppIntents
import Foundation
import MusterApp

/// "SOS", for the Action button, Siri and Shortcuts: begins the countdown, and shows a notice by which it can be
/// cancelled. It does not open the app, because a locked phone would ask for unlocking first.
struct CallForHelp: AppIntent {
    static let title: LocalizedStringResource = "intentSos"
    static let description: IntentDescription? = "intentSosWhat"
    static let openAppWhenRun = false
    static let authenticationPolicy = IntentAuthenticationPolicy.alwaysAllowed

    func perform() async throws -> some IntentResult & ProvidesDialog {
        let said = await Phone.shared.perform(.startSOS)
        return .result(dialog: IntentDialog(stringLiteral: said))
    }
}

/// "Where is Ana?", for a leader. The answer is about somebody else, so it asks for unlocking.
struct WhereIsPerson: AppIntent {
    static let title: LocalizedStringResource = "intentWhere"
    static let description: IntentDescription? = "intentWhereWhat"
    static let openAppWhenRun = false
    static let authenticationPolicy = IntentAuthenticationPolicy.requiresAuthentication

    @Parameter(title: "intentWherePerson") var person: PersonEntity

    func perform() async throws -> some IntentResult & ProvidesDialog {
        let said = await Phone.shared.app.whereIs(person.id)
        return .result(dialog: IntentDialog(stringLiteral: said))
    }
}

/// A person of the leader's team, as Siri and Shortcuts know them.
struct PersonEntity: AppEntity {
    static let typeDisplayRepresentation: TypeDisplayRepresentation = "intentWherePerson"
    static let defaultQuery = PersonQuery()

    /// The user's name at the server.
    let id: String
    /// What the person is called.
    let name: String

    var displayRepresentation: DisplayRepresentation { DisplayRepresentation(stringLiteral: name) }
}

/// Finds people of the leader's team by name. A member finds nobody.
struct PersonQuery: EntityStringQuery {
    /// The largest number of people that are offered.
    private static let limit = 50

    func entities(for identifiers: [String]) async throws -> [PersonEntity] {
        let wanted = Set(identifiers)
        return await Self.people().filter { wanted.contains($0.id) }
    }

    func entities(matching string: String) async throws -> [PersonEntity] {
        Array(await Self.people().filter { $0.name.localizedCaseInsensitiveContains(string) }.prefix(Self.limit))
    }

    func suggestedEntities() async throws -> [PersonEntity] { Array(await Self.people().prefix(Self.limit)) }

    @MainActor private static func people() async -> [PersonEntity] {
        await Phone.shared.open()
        return (Phone.shared.app.account?.leader?.names ?? []).map { PersonEntity(id: $0.id, name: $0.name) }
    }
}

/// What Siri understands without any setup.
struct MusterShortcuts: AppShortcutsProvider {
    static var appShortcuts: [AppShortcut] {
        AppShortcut(
            intent: SayIAmSafe(), phrases: ["I am safe in \(.applicationName)", "Tell \(.applicationName) I am safe"],
            shortTitle: "intentSafe", systemImageName: "checkmark.circle")
        AppShortcut(
            intent: CallForHelp(), phrases: ["SOS with \(.applicationName)", "Call for help with \(.applicationName)"],
            shortTitle: "intentSos", systemImageName: "sos")
        AppShortcut(
            intent: WhereIsPerson(), phrases: ["Where is \(\.$person) in \(.applicationName)"],
            shortTitle: "intentWhere", systemImageName: "person.fill.questionmark")
    }
}

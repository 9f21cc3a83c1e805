import AppIntents
import Foundation

/// What an intent does to the app's models. The app registers one at its start; an intent in the process of an
/// extension never runs, because each of ours is a `LiveActivityIntent`, which the system runs in the app's process.
@MainActor final class PhoneActions: Sendable {
    private let safe: @MainActor () async -> String
    private let acknowledge: @MainActor (String) async -> Void

    /// - Parameters:
    ///   - safe: says "I am safe"; returns what became of it, in words.
    ///   - acknowledge: says that the person has seen the call of that id.
    init(safe: @escaping @MainActor () async -> String, acknowledge: @escaping @MainActor (String) async -> Void) {
        self.safe = safe
        self.acknowledge = acknowledge
    }

    /// Says "I am safe". It is on the phone's disk when this returns.
    func sayIAmSafe() async -> String { await safe() }

    /// Says that the person has seen the call of an incident. It is on the phone's disk when this returns.
    func acknowledgeCall(_ call: String) async { await acknowledge(call) }
}

/// "I am safe", for Siri, Shortcuts, the Action button, widgets and the Live Activity. It works offline: what was said
/// waits on the phone. It asks for no unlocking, because who stands at the assembly point may wear gloves.
struct SayIAmSafe: LiveActivityIntent {
    static let title: LocalizedStringResource = "intentSafe"
    static let description: IntentDescription? = "intentSafeWhat"
    static let openAppWhenRun = false
    static let authenticationPolicy = IntentAuthenticationPolicy.alwaysAllowed

    @Dependency private var actions: PhoneActions

    func perform() async throws -> some IntentResult & ProvidesDialog {
        let said = await actions.sayIAmSafe()
        return .result(dialog: IntentDialog(stringLiteral: said))
    }
}

/// "I have seen this", on the Live Activity of an incident.
struct AcknowledgeCall: LiveActivityIntent {
    static let title: LocalizedStringResource = "intentSeen"
    static let openAppWhenRun = false
    static let authenticationPolicy = IntentAuthenticationPolicy.alwaysAllowed
    static let isDiscoverable = false

    @Parameter(title: "intentSeenCall") var call: String
    @Dependency private var actions: PhoneActions

    init() {}

    /// - Parameter call: the id of the call.
    init(call: String) { self.call = call }

    func perform() async throws -> some IntentResult {
        await actions.acknowledgeCall(call)
        return .result()
    }
}

import Foundation
import MusterKit

/// Registers this phone for pushes of the person who is signed in, and again until the server has it.
@MainActor final class PushRegistrar {
    /// What the system gave to reach this phone by.
    struct Token: Hashable, Sendable {
        var data: Data
        var isDebugging: Bool
    }

    private var token: Token?
    /// Whether nothing is registered now, as while somebody signs out.
    var isPaused = false
    /// The account at whose server the token is registered.
    private var registered: ObjectIdentifier?
    private var failedAt: Date?
    private var request: Task<Void, Never>?

    /// Seconds after a failure until the next attempt, where nothing has changed.
    static let retrySeconds = 60.0

    /// Takes the token, which is another one at times. `update` registers it.
    func take(_ token: Token) {
        guard token != self.token else { return }
        self.token = token
        forget()
    }

    /// Registers what is not registered yet, in the background. Called with each second, and whenever the app runs.
    func update(_ account: AccountModel?, at now: Date) {
        guard !isPaused, let token, let account, registered != ObjectIdentifier(account), request == nil else { return }
        // A clock that was set back ends the waiting.
        if let failedAt, (0..<Self.retrySeconds).contains(now.timeIntervalSince(failedAt)) { return }
        let muster = account.muster
        let owner = ObjectIdentifier(account)
        request = Task {
            var isRegistered = false
            do {
                try await muster.registerDevice(token.data, isDebugging: token.isDebugging)
                isRegistered = true
            } catch {}
            guard !Task.isCancelled else { return }
            request = nil
            if isRegistered, token == self.token { registered = owner }
            failedAt = isRegistered ? nil : now
        }
    }

    /// Tries at once what failed: there may be a network.
    func retry() { failedAt = nil }

    /// Registers anew, as after somebody signed out or in: the server may have forgotten this phone.
    func forget() {
        request?.cancel()
        (request, registered, failedAt) = (nil, nil, nil)
    }
}

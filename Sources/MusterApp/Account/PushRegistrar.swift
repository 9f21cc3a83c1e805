import Foundation
import MusterKit

/// Registers this phone and its Live Activities for pushes of the person who is signed in, and again until the server
/// has them.
@MainActor final class PushRegistrar {
    /// A token that the system issued for this phone, or for its Live Activities.
    struct Token: Hashable, Sendable {
        var data: Data
        var isDebugging: Bool
        /// The Live Activities that it is for; nil for the phone's own token.
        var activity: Muster.LiveActivity?
    }

    /// The tokens, the oldest first, one of each kind.
    private var tokens: [Token] = []
    /// Whether nothing is registered now, as while somebody signs out.
    var isPaused = false {
        didSet { if isPaused { cancelRequest() } }
    }
    /// The account at whose server the tokens are registered.
    private var owner: ObjectIdentifier?
    /// The tokens that are registered there, or that the server will not take.
    private var done: Set<Token> = []
    /// When a token was last tried in vain.
    private var failedAt: [Token: Date] = [:]
    private var request: Task<Void, Never>?

    /// Seconds after a failure until the next attempt, where nothing has changed.
    static let retrySeconds = 60.0
    /// The largest number of tokens. Those of incidents that are over stay until newer ones take their place.
    static let tokenLimit = 12

    /// Takes a token in the place of the former one for the same use: the system issues another one at times. `update`
    /// registers it.
    func take(_ token: Token) {
        guard !tokens.contains(token) else { return }
        tokens.removeAll { $0.activity == token.activity }
        tokens.append(token)
        if tokens.count > Self.tokenLimit, let oldest = tokens.firstIndex(where: { $0.isOfIncident }) {
            done.remove(tokens.remove(at: oldest))
        }
        failedAt = failedAt.filter { tokens.contains($0.key) }
    }

    /// Registers what is not registered yet, in the background, one token at a time, the phone's own first. A token
    /// that fails holds up no other. Called with each second, and whenever the app runs.
    func update(_ account: AccountModel?, at now: Date) {
        guard !isPaused, let account, request == nil else { return }
        if owner != ObjectIdentifier(account) { (owner, done) = (ObjectIdentifier(account), []) }
        let due = tokens.filter { token in
            // A clock that was set back ends the waiting.
            let waits = failedAt[token].map { (0..<Self.retrySeconds).contains(now.timeIntervalSince($0)) } ?? false
            return !done.contains(token) && !waits
        }
        guard let token = due.first(where: { $0.activity == nil }) ?? due.first else { return }
        let muster = account.muster
        request = Task { [weak account] in
            let isDone = await Self.register(token, by: muster)
            guard !Task.isCancelled else { return }
            request = nil
            if isDone { done.insert(token) }
            failedAt[token] = isDone ? nil : now
            // The next token, without waiting for the next second: the system may suspend the app.
            update(account, at: now)
        }
    }

    /// - Returns: whether the server has the token, or will never take it: an incident is over, or the server does not
    ///   know Live Activities.
    private static func register(_ token: Token, by muster: Muster) async -> Bool {
        do throws(MusterError) {
            if let activity = token.activity {
                try await muster.registerActivity(activity, token: token.data, isDebugging: token.isDebugging)
            } else {
                try await muster.registerDevice(token.data, isDebugging: token.isDebugging)
                // What another device of the person changes comes by silent pushes. A dataset that the server refuses
                // does not make the registration fail.
                do throws(MusterError) { try await muster.subscribeAll() } catch .unexpected {}
            }
            return true
        } catch .unexpected {
            return token.activity != nil
        } catch {
            return false
        }
    }

    /// Tries at once what failed: there may be a network.
    func retry() { failedAt = [:] }

    /// Registers anew, as after somebody signed out or in: the server may have forgotten this phone.
    func forget() {
        cancelRequest()
        (owner, done, failedAt) = (nil, [], [:])
    }

    private func cancelRequest() {
        request?.cancel()
        request = nil
    }
}

extension PushRegistrar.Token {
    /// Whether the token is of one incident's activity.
    fileprivate var isOfIncident: Bool { if case .incident? = activity { true } else { false } }
}

import Foundation
import MusterKit
import MusterReplication
import MusterTerminal
import Synchronization

/// The signed-in user of a walk. It opens a stored session or signs in, and signs in again by itself once if the server
/// no longer accepts the session.
final class Walker: Sendable {
    private struct State {
        var session: Session
        /// The number of the current session, counted from 0.
        var number = 0
        /// The number of the last session that the server refused; nil if it has refused none.
        var refused: Int?
        /// Whether the walker has signed in again since the server last accepted locations.
        var hasTried = false
        /// The reason why the walker cannot sign in again; nil while it may.
        var ending: String?
    }

    /// The parameters of signing in.
    struct Terms {
        var server: String
        var user: String
        /// The folder of the store.
        var store: String
        /// The password from a file or the environment; nil if there is none.
        var password: String?
        /// Whether to create the user first.
        var registers: Bool
        /// Whether locations recorded by another account of this name may be sent to this one.
        var takesOver: Bool

        var keeper: FileCredentialKeeper { FileCredentialKeeper(path: "\(store)/account.json") }
    }

    /// The result of signing in again.
    enum Renewal {
        case signedIn
        /// The server is unreachable.
        case away
        /// Signing in is refused, for this reason.
        case refused(String)
    }

    private let terms: Terms
    private let state: Mutex<State>

    private init(_ terms: Terms, _ session: Session) {
        self.terms = terms
        state = Mutex(State(session: session))
    }

    /// The current session.
    var session: Session { state.withLock { $0.session } }

    /// Returns the peer of the current session. It records if the server refuses that session.
    func peer(over network: Network) -> SwitchedPeer {
        let (session, number) = state.withLock { ($0.session, $0.number) }
        return SwitchedPeer(session.peer, network) {
            self.state.withLock { $0.refused = max($0.refused ?? number, number) }
        }
    }

    /// Opens a stored session, for which no network is needed, or signs in at the server.
    ///
    /// - Parameter ask: asks for a password if the terms have none.
    static func signIn(_ terms: Terms, askingForPassword ask: () throws -> String) async throws -> Walker {
        if let session = try Session.open(terms.keeper) {
            guard session.user == terms.user else {
                throw CommandFailure(
                    "\(terms.store) holds the locations of \(session.user): name another folder with --store")
            }
            if session.server == DatabaseAddress(server: terms.server, database: "any")?.root {
                announce("Signed in as \(terms.user), as before")
                return Walker(terms, session)
            }
        }
        let password = try terms.password ?? ask()
        do {
            return try await retryWhileUnreachable {
                if terms.registers, let session = try await register(terms, password) { return Walker(terms, session) }
                let session = try await Session.signIn(
                    at: terms.server, user: terms.user, password: password, terms.keeper,
                    allowingAccountChange: terms.takesOver)
                announce("Signed in as \(terms.user)")
                return Walker(terms, session)
            }
        } catch SessionError.anotherAccount {
            throw CommandFailure(sentence(of: .anotherAccount(terms.user), terms))
        }
    }

    /// Retries while the server is unreachable, because it may be starting.
    private static func retryWhileUnreachable<Success>(_ body: () async throws -> Success) async throws -> Success {
        var looks = 0
        while true {
            do {
                return try await body()
            } catch SessionError.unreachable(let reason) where looks < FolderWait.limitSeconds * 2 {
                if looks == 0 {
                    announce("The server cannot be reached yet, trying for \(FolderWait.limitSeconds) s: \(reason)")
                }
                looks += 1
                try await Task.sleep(for: .seconds(0.5))
            }
        }
    }

    /// Creates the user; nil if one of that name exists, who can sign in with the right password.
    private static func register(_ terms: Terms, _ password: String) async throws -> Session? {
        do {
            let session = try await Session.register(
                at: terms.server, user: terms.user, password: password, terms.keeper)
            announce("Created the user \(terms.user), and signed in")
            return session
        } catch SessionError.userExists {
            return nil
        }
    }

    /// Records that the server accepted locations.
    func noteArrival() {
        state.withLock { state in
            state.hasTried = false
            state.ending = nil
        }
    }

    /// Signs in again with the password in the terms, or else the stored one. Does nothing if the server refused an
    /// earlier session than the current one, as for a request that was under way while the session was replaced.
    func signInAgain() async -> Renewal {
        let (session, isOfBefore, ending) = state.withLock { state in
            let isOfBefore = state.refused.map { $0 < state.number } ?? false
            if !isOfBefore, state.hasTried, state.ending == nil {
                state.ending = "the server still refuses the session"
            }
            return (state.session, isOfBefore, state.ending)
        }
        if isOfBefore { return .signedIn }
        if let ending { return .refused(ending) }
        do {
            let session = try await session.signInAgain(
                password: terms.password, terms.keeper, allowingAccountChange: terms.takesOver)
            state.withLock { state in
                state.session = session
                state.number += 1
                state.hasTried = true
            }
            announce("Signed in again as \(terms.user)")
            return .signedIn
        } catch SessionError.unreachable, SessionError.busy {
            return .away
        } catch {
            let sentence = (error as? SessionError).map { Self.sentence(of: $0, terms) } ?? "\(error)"
            state.withLock { $0.ending = sentence }
            return .refused(sentence)
        }
    }

    private static func sentence(of fault: SessionError, _ terms: Terms) -> String {
        guard case .anotherAccount = fault else { return fault.description }
        return """
            \(fault.description); only the name is the same. Name another folder with --store, or use --take-over to \
            send the locations in \(terms.store) to this account
            """
    }
}

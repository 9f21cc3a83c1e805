import Foundation
import MusterKit
import MusterReplication
import MusterTerminal
import Synchronization

/// Whoever walks: signed in as before or anew, and signed in again by itself, once, where the server takes the key no
/// more.
final class Walker: Sendable {
    private struct State {
        var session: Session
        /// How often it signed in again: which session it is.
        var number = 0
        /// The last session that the server refused; nil while it refused none.
        var refused: Int?
        /// Whether it signed in again since the server last took what it brought.
        var hasTried = false
        /// Why it cannot sign in again; nil while it may.
        var ending: String?
    }

    /// What a password is asked of.
    struct Terms {
        var server: String
        var user: String
        /// The folder of the store.
        var store: String
        /// The password that was given along; nil where none was.
        var password: String?
        /// Whether to make the user first.
        var registers: Bool
        /// Whether what another account of this name recorded may go to this one.
        var takesOver: Bool

        var keeper: FileCredentialKeeper { FileCredentialKeeper(path: "\(store)/account.json") }
    }

    /// What came of signing in again.
    enum Renewal {
        case signedIn
        /// The server cannot be asked now.
        case away
        /// It is of no use, and why.
        case refused(String)
    }

    private let terms: Terms
    private let state: Mutex<State>

    private init(_ terms: Terms, _ session: Session) {
        self.terms = terms
        state = Mutex(State(session: session))
    }

    /// The session that counts now.
    var session: Session { state.withLock { $0.session } }

    /// The way to the database as the session that counts now; it notes where the server refuses that.
    func peer(over network: Network) -> SwitchedPeer {
        let (session, number) = state.withLock { ($0.session, $0.number) }
        return SwitchedPeer(session.peer, network) {
            self.state.withLock { $0.refused = max($0.refused ?? number, number) }
        }
    }

    /// Signs in: as before where somebody was signed in, without a network; else at the server.
    ///
    /// - Parameter ask: asks for a password where none was given along.
    static func signIn(_ terms: Terms, askingForPassword ask: () throws -> String) async throws -> Walker {
        if let session = try Session.open(terms.keeper) {
            guard session.user == terms.user else {
                throw CommandFailure(
                    "\(terms.store) holds what \(session.user) recorded: name another folder with --store")
            }
            if session.server == PeerAddress(server: terms.server, database: "any")?.root {
                announce("Signed in as \(terms.user), as before")
                return Walker(terms, session)
            }
        }
        let password = try terms.password ?? ask()
        do {
            return try await patiently {
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

    /// Waits for a server that is about to start, as commands beside it do.
    private static func patiently<Success>(_ body: () async throws -> Success) async throws -> Success {
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

    /// Makes the user; nil where there is one of that name, who signs in if the password is right.
    private static func register(_ terms: Terms, _ password: String) async throws -> Session? {
        do {
            let session = try await Session.register(
                at: terms.server, user: terms.user, password: password, terms.keeper)
            announce("Made the user \(terms.user), and signed in")
            return session
        } catch SessionError.userExists {
            return nil
        }
    }

    /// Notes that the server took what was brought.
    func noteArrival() {
        state.withLock { state in
            state.hasTried = false
            state.ending = nil
        }
    }

    /// Signs in again with the password that was given along, or else the one that was kept. Nothing is to be done
    /// where the one that was refused is a session of before: an emission under way when another took its place.
    func signInAgain() async -> Renewal {
        let (session, isOfBefore, ending) = state.withLock { state in
            let isOfBefore = state.refused.map { $0 < state.number } ?? false
            if !isOfBefore, state.hasTried, state.ending == nil {
                state.ending = "the server still does not take who asks"
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
            \(fault.description), by the name alone the same. Name another folder with --store; or, if what is in \
            \(terms.store) may go to this one, say --take-over
            """
    }
}

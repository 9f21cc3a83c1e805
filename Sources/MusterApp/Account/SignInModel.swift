import Foundation
import MusterKit
import MusterReplication
import MusterWire
public import Observation

/// Signing in: by name and password, by the link of an invitation, or by its QR code.
@MainActor @Observable public final class SignInModel {
    /// The address of the server. A host without `https://` is completed.
    public var server = ""
    /// The name of the person.
    public var user = ""
    /// The password. It is forgotten once it was used.
    public var password = ""
    /// The password that an invited person chooses.
    public var newPassword = ""
    /// Why the last attempt failed, and what to do; nil if it did not.
    public internal(set) var problem: String?
    /// Whether an attempt is under way; it can be cancelled.
    public private(set) var isBusy = false
    /// Why the attempt waits: the server does not answer; nil while it does not wait.
    public internal(set) var waitingText: String?
    /// The invitation whose link was opened; nil without one.
    public private(set) var invitation: Invitation?
    /// What is asked about the server of a link or a QR code before anything is sent there: `confirmServer` does it,
    /// `leaveServer` does not; nil without one.
    public private(set) var serverQuestion: Question?

    @ObservationIgnored private let wording: Wording
    @ObservationIgnored private let connections: HTTPConnections
    @ObservationIgnored private var attempt: Task<Void, Never>?
    /// Signs in, and returns when it is done or has failed with a text.
    @ObservationIgnored var enter: (_ server: String, _ user: String, _ password: String) async -> Void = { _, _, _ in }
    @ObservationIgnored private var token: (root: String, secret: String)?
    @ObservationIgnored private var asked: Link?
    @ObservationIgnored private let allowsPlainHTTP: Bool

    /// The shortest and the longest password that the server takes: characters, and bytes.
    static let shortestPassword = 8
    static let longestPasswordBytes = 1_024

    init(_ wording: Wording, _ connections: HTTPConnections, allowsPlainHTTP: Bool) {
        self.wording = wording
        self.connections = connections
        self.allowsPlainHTTP = allowsPlainHTTP
    }

    /// Somebody is invited to set a password.
    public struct Invitation: Hashable, Sendable {
        /// That they are invited, and where.
        public var welcome: String
        /// Their name at the server.
        public var user: String
        /// Their team and until when it is valid, a line each.
        public var lines: [String]
        /// What a password must be, and that nobody asks for it.
        public var rule: String
        /// The title of the field for a new password.
        public var passwordTitle: String
        /// The title of the button that accepts.
        public var acceptTitle: String
    }

    /// What the app is.
    public var what: String { words.text(.signInWhat) }
    /// The title of the field for the server's address.
    public var serverTitle: String { words.text(.signInServer) }
    /// The title of the field for the name.
    public var nameTitle: String { words.text(.signInName) }
    /// The title of the field for the password.
    public var passwordTitle: String { words.text(.signInPassword) }
    /// The title of the button that signs in.
    public var signInTitle: String { words.text(.signInSignIn) }
    /// The title of the button that gives up.
    public var cancelTitle: String { words.text(.cancel) }
    /// The title of the button that scans a QR code.
    public var scanTitle: String { words.text(.signInScan) }

    /// Whether the form can be sent.
    public var canSubmit: Bool { !isBusy && !server.isEmpty && !user.isEmpty && !password.isEmpty }

    /// Whether the chosen password can be sent.
    public var canAccept: Bool { !isBusy && invitation != nil && passwordFault == nil && !newPassword.isEmpty }

    /// What the chosen password lacks; nil while it is empty or lacks nothing.
    public var passwordFault: String? {
        if newPassword.isEmpty { return nil }
        if newPassword.count < Self.shortestPassword { return words.text(.inviteShort) }
        return newPassword.utf8.count > Self.longestPasswordBytes ? words.text(.inviteLong) : nil
    }

    /// Signs in by name and password. Returns when that has succeeded, failed or was cancelled; a server that does not
    /// answer is waited for.
    public func signIn() async {
        guard canSubmit, let root = Self.root(of: server) else {
            if !server.isEmpty, Self.root(of: server) == nil {
                problem = words.text(.errorIllegalServer, ["text": wording.legible(server)])
            }
            return
        }
        guard mayReach(root) else { return }
        await run { [self] in
            await enter(root, user.trimmingCharacters(in: .whitespacesAndNewlines), password)
            if problem == nil { password = "" }
        }
    }

    /// Gives the attempt up that is under way.
    public func cancel() {
        attempt?.cancel()
        waitingText = nil
    }

    /// Opens a link or the text of a QR code: an invitation, or the address of a server. Anybody can make one, so that
    /// nothing is sent to its server before the person has confirmed `serverQuestion`.
    ///
    /// - Returns: whether it was one of the two; otherwise `problem` says so.
    @discardableResult
    public func open(_ text: String) -> Bool {
        problem = nil
        leaveServer()
        leaveInvitation()
        guard let link = Link(text) else {
            problem = words.text(.signInNoLink)
            return false
        }
        switch link {
        case .server(let root), .invitation(let root, _):
            guard mayReach(root) else { return false }
            // What was typed was for another server.
            password = ""
            asked = link
            serverQuestion = Question(
                title: words.text(.signInAskHost, ["host": Self.host(of: root)]),
                lines: [words.text(.signInAskWhat)], button: words.text(.signInAskDo), cancel: words.text(.cancel),
                isDestructive: false)
            return true
        case .broken:
            problem = words.text(.inviteNotWhole)
            return false
        }
    }

    /// Takes the server of the link that was opened, and reads the invitation, if it is one.
    public func confirmServer() async {
        guard let link = asked else { return }
        leaveServer()
        switch link {
        case .server(let root): server = root
        case .invitation(let root, let secret):
            server = root
            await run { [self] in await readInvitation(root, secret) }
        case .broken: break
        }
    }

    /// Does nothing of what the link that was opened leads to.
    public func leaveServer() { (asked, serverQuestion) = (nil, nil) }

    /// Sets the chosen password, and signs in with it.
    public func accept() async {
        guard canAccept, let token, let invitation else { return }
        await run { [self] in
            do throws(ServerFault) {
                let body = JSONValue.object([.init("password", .string(newPassword))])
                _ = try await ServerClient.send(
                    "POST", token.root + "api/v1/shared/password", body, .bearer(token.secret), connections)
            } catch .signedOut, .refused(404, _) {
                // Where the first answer was lost, it may be this password that was set: signing in shows it.
            } catch {
                problem = text(of: error)
                return
            }
            await enter(token.root, invitation.user, newPassword)
            if problem == nil {
                newPassword = ""
                self.invitation = nil
                self.token = nil
            } else {
                problem = words.text(.inviteOver)
            }
        }
    }

    /// Leaves the invitation, and shows the form.
    public func leaveInvitation() {
        invitation = nil
        token = nil
        newPassword = ""
    }

    // MARK: Pieces

    private var words: Words { wording.words }

    private static func host(of root: String) -> String {
        guard let parts = URLComponents(string: root), let host = parts.host else { return root }
        return parts.port.map { "\(host):\($0)" } ?? host
    }

    /// Whether a server may be reached by its address; `problem` says why not. By http others on the way could read the
    /// password, but for a server on this phone.
    private func mayReach(_ root: String) -> Bool {
        let parts = URLComponents(string: root)
        let isLocal = ["localhost", "127.0.0.1", "[::1]", "::1"].contains(parts?.host?.lowercased())
        if parts?.scheme?.lowercased() == "https" || isLocal || allowsPlainHTTP { return true }
        problem = words.text(.signInInsecure)
        return false
    }

    private func run(_ body: @escaping @MainActor () async -> Void) async {
        attempt?.cancel()
        problem = nil
        isBusy = true
        let task = Task { await body() }
        attempt = task
        await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        if attempt == task {
            isBusy = false
            waitingText = nil
        }
    }

    private func readInvitation(_ root: String, _ secret: String) async {
        do throws(ServerFault) {
            let answer = try await ServerClient.send(
                "GET", root + "api/v1/shared", nil, .bearer(secret), connections
            ).body
            guard answer["kind"]?.string == "invitation", let user = answer["user"]?.string else {
                problem = words.text(.signInNoLink)
                return
            }
            token = (root, secret)
            self.user = user
            let team = answer["team"]?.string.map { "\(words.text(.inviteTeam)): \(wording.legible($0))" }
            let until = answer["expiresTime"]?.date.map { "\(words.text(.inviteUntil)): \(wording.minute($0))" }
            invitation = Invitation(
                welcome: words.text(.inviteWelcome, ["host": Self.host(of: root)]), user: user,
                lines: [team, until].compactMap(\.self), rule: words.text(.inviteRule),
                passwordTitle: words.text(.invitePassword), acceptTitle: words.text(.inviteDo))
        } catch .signedOut, .refused(404, _) {
            problem = words.text(.inviteOver)
        } catch {
            problem = text(of: error)
        }
    }

    private func text(of fault: ServerFault) -> String? {
        switch fault {
        case .away: words.text(.signInNoAnswer)
        case .refused(_, let reason): wording.legible(reason)
        case .signedOut: words.text(.signInWrong)
        case .cancelled: nil
        }
    }

    /// What a link or a QR code leads to.
    enum Link: Hashable {
        case invitation(root: String, secret: String)
        case server(root: String)
        /// The link of an invitation without its secret.
        case broken

        init?(_ text: String) {
            let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
            guard text.utf8.count < 4_096, let parts = URLComponents(string: text),
                ["https", "http"].contains(parts.scheme?.lowercased()), parts.host?.isEmpty == false
            else { return nil }
            let path = parts.percentEncodedPath
            var root = URLComponents()
            (root.scheme, root.percentEncodedHost, root.port) = (parts.scheme, parts.percentEncodedHost, parts.port)
            if let end = path.range(of: "/console/invite") {
                root.percentEncodedPath = String(path[..<end.lowerBound]) + "/"
                guard let secret = parts.fragment, secret.hasPrefix("ms_"), secret.count > 20 else {
                    self = .broken
                    return
                }
                guard let root = root.string else { return nil }
                self = .invitation(root: root, secret: secret)
            } else {
                for page in ["/me", "/console"] where path.hasPrefix(page) { root.percentEncodedPath = "/" }
                if root.percentEncodedPath.isEmpty { root.percentEncodedPath = path.hasSuffix("/") ? path : path + "/" }
                guard let root = root.string else { return nil }
                self = .server(root: root)
            }
        }
    }

    /// The root address of what a person typed; nil if it is none.
    static func root(of typed: String) -> String? {
        let typed = typed.trimmingCharacters(in: .whitespacesAndNewlines)
        guard case .server(let root)? = Link(typed.contains("://") ? typed : "https://" + typed) else { return nil }
        return root
    }
}

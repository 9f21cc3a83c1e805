import Foundation
import MusterCoding
public import MusterReplication
import MusterWire

/// A person who is signed in: at a server, with a location database that is theirs alone.
///
/// What signing in brought is kept, so the app opens signed in, with or without a network.
public struct Session: Sendable {
    /// The server's root.
    public let server: String
    /// Who is signed in.
    public let user: String
    /// The database of this person's locations.
    public let database: PeerAddress
    /// Who asks for what is not in that database: regions, and places.
    let credentials: PeerCredentials
    /// Which account it is, by the server's word; nil where it says nothing of that.
    let account: String?
    /// What all of its requests go through.
    public let connections: HTTPConnections

    /// What is kept of a session.
    private struct Account: Codable {
        var server: String
        var user: String
        var password: String
        /// Which account of which server it is; nil where that was not told.
        var account: String?
        /// What opens the database, and nothing else.
        var key: String
        var secret: String
        /// Scheme, host and port of the database, with a slash at the end.
        var databaseRoot: String
        var databaseName: String
    }

    /// The last session, as it was kept; nil where nobody signed in. No network is needed.
    public static func open(
        _ keeper: any CredentialKeeper, connections: HTTPConnections = .shared
    ) throws -> Session? {
        try kept(by: keeper).map { try Session($0, connections) }
    }

    private static func kept(by keeper: any CredentialKeeper) throws -> Account? {
        try keeper.load().flatMap { try? JSONDecoder().decode(Account.self, from: $0) }
    }

    /// Makes a user, and signs in.
    ///
    /// - Throws: `SessionError.userExists`, `.refused` for a name or a password that will not do too; as `signIn`.
    public static func register(
        at server: String, user: String, password: String, _ keeper: any CredentialKeeper,
        connections: HTTPConnections = .shared
    ) async throws -> Session {
        let root = try checked(server)
        let body = JSONValue.object([
            .init("username", .string(user)), .init("password", .string(password)), .init("type", .string("user")),
            .init("_id", .string(user)),
        ])
        let address = root + "api/users/" + PercentEncoding.encode(user)
        let (status, answer) = try await faults { try await connections.ask("PUT", address, json: body.bytes) }
        switch status {
        case 200..<300: break
        case 409: throw SessionError.userExists(user)
        case 400, 401, 403: throw SessionError.refused(reason(answer) ?? "nobody may register")
        default: throw fault(status, answer)
        }
        return try await signIn(at: server, user: user, password: password, keeper, connections: connections)
    }

    /// Signs in, and keeps what that brought.
    ///
    /// What a store holds belongs to one account. Where the keeper holds another account of this name, because that
    /// one was removed and another was made, or because it is another server, nobody is signed in: what the one
    /// recorded would go to the other. `signOut` first and begin another store, or say that it may go there.
    ///
    /// - Parameter allowingAccountChange: whether what another account of this name recorded may go to this one.
    /// - Throws: `SessionError.refused`, `.unreachable`, `.busy`, `.anotherAccount`; whatever keeps credentials from
    ///   being kept.
    public static func signIn(
        at server: String, user: String, password: String, _ keeper: any CredentialKeeper,
        allowingAccountChange: Bool = false, connections: HTTPConnections = .shared
    ) async throws -> Session {
        // One that cannot be read is replaced.
        let before = (try? kept(by: keeper)).flatMap { $0.user == user ? $0.account : nil }
        return try await signIn(
            at: try checked(server), user: user, password: password, keeper,
            after: allowingAccountChange ? nil : before,
            connections)
    }

    /// Signs the same person in anew, after the server refused who asks: the password was set anew, or the key was one
    /// of too many. The store stays, and `LocationTracker.reauthenticate` brings what is in it.
    ///
    /// - Parameters:
    ///   - password: nil: the one that was kept.
    ///   - allowingAccountChange: whether what another account of this name recorded may go to this one.
    /// - Throws: as `signIn`; `.anotherAccount` where the server's user of this name is not the one who was signed in.
    public func signInAgain(
        password: String? = nil, _ keeper: any CredentialKeeper, allowingAccountChange: Bool = false
    ) async throws -> Session {
        guard case .basic(_, let kept) = credentials else { throw SessionError.refused("nobody was signed in") }
        return try await Self.signIn(
            at: server, user: user, password: password ?? kept, keeper, after: allowingAccountChange ? nil : account,
            isAgain: true, connections)
    }

    /// - Parameters:
    ///   - before: the account that it must be; nil: any.
    ///   - isAgain: whether somebody was signed in there before: then a server that is not found is away.
    /// - Throws: as the public `signIn`.
    static func signIn(
        at root: String, user: String, password: String, _ keeper: any CredentialKeeper, after before: String?,
        isAgain: Bool = false, _ connections: HTTPConnections
    ) async throws -> Session {
        let body = JSONValue.object([.init("username", .string(user)), .init("password", .string(password))])
        let address = root + "api/login"
        let (status, answer) = try await faults { try await connections.ask("POST", address, json: body.bytes) }
        var account: Account
        switch status {
        case 200..<300: account = try Self.account(answer, root: root, user: user, password: password)
        case 404, 405:
            // One that had that API has it still: something before it answers while it is away.
            guard before == nil else { throw SessionError.busy(status: status) }
            // A server without it: the name and the password themselves are the key.
            try await check(user, password, atCouchDB: root, isAgain: isAgain, connections)
            account = Account(
                server: root, user: user, password: password, key: user, secret: password, databaseRoot: root,
                databaseName: DatabaseName.locations(of: user))
        case 400, 401, 403: throw SessionError.refused(reason(answer) ?? "the name or the password is wrong")
        default: throw fault(status, answer)
        }
        if let before, let now = account.account, now != before { throw SessionError.anotherAccount(user) }
        // Who is not told it has not become another, and knows it when it is told the next time.
        account.account = account.account ?? before
        let session = try Session(account, connections)
        try keeper.keep(try JSONEncoder().encode(account))
        return session
    }

    /// Makes sure that a CouchDB is there, and takes who asks.
    private static func check(
        _ user: String, _ password: String, atCouchDB root: String, isAgain: Bool, _ connections: HTTPConnections
    ) async throws {
        let (status, answer) = try await faults {
            try await connections.ask(
                "GET", root + "_session", credentials: .basic(name: user, password: password))
        }
        switch status {
        case 200..<300 where (try? JSONValue(parsing: answer))?["userCtx"] != nil: break
        case 401, 403: throw SessionError.refused(reason(answer) ?? "the name or the password is wrong")
        default:
            if case .busy = fault(status, answer) { throw fault(status, answer) }
            throw isAgain
                ? SessionError.busy(status: status) : .refused("there is neither a Muster nor a CouchDB at \(root)")
        }
    }

    /// Forgets the session; what is in the local store stays.
    public static func signOut(_ keeper: any CredentialKeeper) throws { try keeper.forget() }

    /// The person's location database, as one side of a replication.
    public var peer: HTTPPeer { HTTPPeer(database, connections: connections) }

    // MARK: Pieces

    private init(_ account: Account, _ connections: HTTPConnections) throws {
        let credentials = PeerCredentials.basic(name: account.key, password: account.secret)
        guard
            let database = PeerAddress(
                server: account.databaseRoot, database: account.databaseName, credentials: credentials)
        else { throw SessionError.illegalServer(account.databaseRoot) }
        server = account.server
        user = account.user
        self.account = account.account
        self.credentials = .basic(name: account.user, password: account.password)
        self.database = database
        self.connections = connections
    }

    private static func account(
        _ answer: [UInt8], root: String, user: String, password: String
    ) throws -> Account {
        let value = try? JSONValue(parsing: answer)
        guard let value, let key = value["api_key"]?.string, let secret = value["api_password"]?.string,
            let name = value["location_db_name"]?.string
        else { throw SessionError.unexpected(status: 200) }
        let scheme = value["location_db_host_protocol"]?.string ?? (root.hasPrefix("https") ? "https" : "http")
        let host = value["location_db_host"]?.string ?? ""
        return Account(
            server: root, user: user, password: password, account: value["account"]?.string, key: key, secret: secret,
            databaseRoot: host.isEmpty ? root : "\(scheme)://\(host)/", databaseName: name)
    }

    static func checked(_ server: String) throws -> String {
        guard let address = PeerAddress(server: server, database: "x") else { throw SessionError.illegalServer(server) }
        return address.root
    }

    private static func reason(_ answer: [UInt8]) -> String? {
        let value = try? JSONValue(parsing: answer)
        // Where there is a reason, as CouchDB gives one, the error is a word for programs.
        return value?["reason"]?.string ?? value?["error"]?.string ?? value?["detail"]?.string
    }

    private static func fault(_ status: Int, _ answer: [UInt8]) -> SessionError {
        switch status {
        case 408, 425, 429, 500, 502...599: .busy(status: status, reason: reason(answer))
        default: .unexpected(status: status)
        }
    }

    private static func faults<Success>(_ body: () async throws -> Success) async throws -> Success {
        do {
            return try await body()
        } catch let fault as ReplicationError {
            throw SessionError.unreachable(fault.description)
        }
    }
}

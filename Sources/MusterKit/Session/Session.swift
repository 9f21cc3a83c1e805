import Foundation
import MusterCoding
public import MusterReplication
import MusterWire

/// A person who is signed in at a server, and their own location database.
///
/// The credentials are stored, so that the app opens signed in, with or without a network.
public struct Session: Sendable {
    /// The server's root address.
    public let server: String
    /// The name of the person who is signed in.
    public let user: String
    /// The address of this person's location database.
    public let database: DatabaseAddress
    /// The credentials of requests that do not go to that database: for regions and places.
    package let credentials: PeerCredentials
    /// The server's id of the account; nil if the server sends none.
    let account: String?
    /// The connections of all of its requests.
    public let connections: HTTPConnections

    /// The stored form of a session.
    private struct Account: Codable {
        var server: String
        var user: String
        var password: String
        /// The server's id of the account; nil if the server sent none.
        var account: String?
        /// The key that opens this database only.
        var key: String
        var secret: String
        /// Scheme, host and port of the database, with a slash at the end.
        var databaseRoot: String
        var databaseName: String
    }

    /// Opens the stored session; nil if nobody is signed in. It needs no network.
    public static func open(
        _ keeper: any CredentialKeeper, connections: HTTPConnections = .shared
    ) throws -> Session? {
        try kept(by: keeper).map { try Session($0, connections) }
    }

    private static func kept(by keeper: any CredentialKeeper) throws -> Account? {
        try keeper.loadCredentials().flatMap { try? JSONDecoder().decode(Account.self, from: $0) }
    }

    /// Makes a user at a server whose registration is open, and signs in.
    ///
    /// - Throws: `SessionError.userExists`; `.refused` also for a name or a password that the server does not accept;
    ///   as `signIn`.
    public static func register(
        at server: String, user: String, password: String, _ keeper: any CredentialKeeper,
        connections: HTTPConnections = .shared
    ) async throws -> Session {
        try await makeUser(at: server, user: user, password: password, connections)
        return try await signIn(at: server, user: user, password: password, keeper, connections: connections)
    }

    /// Makes a user at a server whose registration is open.
    ///
    /// - Throws: as `register`, but nothing of the keeper.
    static func makeUser(
        at server: String, user: String, password: String, _ connections: HTTPConnections
    ) async throws {
        let root = try checked(server)
        let body = JSONValue.object([
            .init("username", .string(user)), .init("password", .string(password)), .init("type", .string("user")),
            .init("_id", .string(user)),
        ])
        let address = root + "api/users/" + PercentEncoding.encode(user)
        let (status, answer) = try await faults { try await connections.sendRequest("PUT", address, json: body.bytes) }
        switch status {
        case 200..<300: break
        case 409: throw SessionError.userExists(user)
        case 400, 401, 403: throw SessionError.refused(reason(answer) ?? "nobody may register")
        default: throw fault(status, answer)
        }
    }

    /// The account of a user whose credentials are stored; nil if there are none, or they cannot be read.
    static func storedAccount(of user: String, _ keeper: any CredentialKeeper) -> String? {
        (try? kept(by: keeper)).flatMap { $0.user == user ? $0.account : nil }
    }

    /// Signs in, and stores the credentials.
    ///
    /// A store belongs to one account. If the keeper holds another account of this name, because the user was removed
    /// and made again or because it is another server, the sign-in fails: documents of one account would go to the
    /// other. Call `signOut` and open another store, or pass `allowingAccountChange`.
    ///
    /// - Parameters:
    ///   - server: the server's address.
    ///   - user: the name of the person.
    ///   - password: their password.
    ///   - keeper: stores the credentials.
    ///   - allowingAccountChange: whether documents of another account of this name may go to this one.
    ///   - connections: carry all requests of the session.
    /// - Throws: `SessionError.refused`, `.unreachable`, `.busy`, `.anotherAccount`; the keeper's error if the
    ///   credentials cannot be stored.
    public static func signIn(
        at server: String, user: String, password: String, _ keeper: any CredentialKeeper,
        allowingAccountChange: Bool = false, connections: HTTPConnections = .shared
    ) async throws -> Session {
        // Stored credentials that cannot be read are replaced.
        let before = allowingAccountChange ? nil : storedAccount(of: user, keeper)
        return try await grant(
            at: try checked(server), user: user, password: password, after: before, connections
        ).stored(by: keeper)
    }

    /// Signs the same person in again after the server refused the key, because the password changed or newer keys
    /// replaced it. The store stays; `LocationTracker.reauthenticate` then sends its documents with the new key.
    ///
    /// - Parameters:
    ///   - password: the new password; nil for the stored one.
    ///   - keeper: stores the new credentials.
    ///   - allowingAccountChange: whether documents of another account of this name may go to this one.
    /// - Throws: as `signIn`; `.anotherAccount` if the server's user of this name is not the account that was signed
    ///   in.
    public func signInAgain(
        password: String? = nil, _ keeper: any CredentialKeeper, allowingAccountChange: Bool = false
    ) async throws -> Session {
        try await grantAgain(password: password, allowingAccountChange: allowingAccountChange).stored(by: keeper)
    }

    /// Signs the same person in again, and stores nothing.
    ///
    /// - Throws: as `signInAgain`, but nothing of the keeper.
    func grantAgain(password: String? = nil, allowingAccountChange: Bool = false) async throws -> Grant {
        guard case .basic(_, let kept) = credentials else { throw SessionError.refused("nobody was signed in") }
        return try await Self.grant(
            at: server, user: user, password: password ?? kept, after: allowingAccountChange ? nil : account,
            isAgain: true, connections)
    }

    /// A session that the server granted, and the stored form of its credentials, which is not stored yet.
    struct Grant: Sendable {
        let session: Session
        let credentials: Data

        /// Stores the credentials.
        ///
        /// - Throws: the keeper's error.
        func stored(by keeper: any CredentialKeeper) throws -> Session {
            try keeper.storeCredentials(credentials)
            return session
        }
    }

    /// Signs in, and stores nothing.
    ///
    /// - Parameters:
    ///   - before: the account that it must be; nil for any.
    ///   - isAgain: whether a person was signed in at this server before: then an address at which no server answers as
    ///     such counts as a server that is temporarily unavailable.
    /// - Throws: as `signIn`, but nothing of the keeper.
    static func grant(
        at root: String, user: String, password: String, after before: String?, isAgain: Bool = false,
        _ connections: HTTPConnections
    ) async throws -> Grant {
        let body = JSONValue.object([.init("username", .string(user)), .init("password", .string(password))])
        let address = root + "api/login"
        let (status, answer) = try await faults { try await connections.sendRequest("POST", address, json: body.bytes) }
        var account: Account
        switch status {
        case 200..<300: account = try Self.account(answer, root: root, user: user, password: password)
        case 404, 405:
            // A server that had the native API before still has it: a proxy answers in its place while the server is
            // down.
            guard before == nil else { throw SessionError.busy(status: status) }
            // A CouchDB has no native API: name and password themselves are the credentials of the database.
            try await check(user, password, atCouchDB: root, isAgain: isAgain, connections)
            account = Account(
                server: root, user: user, password: password, key: user, secret: password, databaseRoot: root,
                databaseName: DatabaseName.locations(of: user))
        case 400, 401, 403: throw SessionError.refused(reason(answer) ?? "the name or the password is wrong")
        default: throw fault(status, answer)
        }
        if let before, let now = account.account, now != before { throw SessionError.anotherAccount(user) }
        // A server that sends no id now has not become another one: the known id stays.
        account.account = account.account ?? before
        return Grant(session: try Session(account, connections), credentials: try JSONEncoder().encode(account))
    }

    /// Checks that a CouchDB answers at an address and accepts the credentials.
    private static func check(
        _ user: String, _ password: String, atCouchDB root: String, isAgain: Bool, _ connections: HTTPConnections
    ) async throws {
        let (status, answer) = try await faults {
            try await connections.sendRequest(
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

    /// Deletes the stored credentials. The local store is unchanged.
    public static func signOut(_ keeper: any CredentialKeeper) throws { try keeper.deleteCredentials() }

    /// The person's location database as a peer of a replication.
    public var peer: HTTPPeer { HTTPPeer(database, connections: connections) }

    // MARK: Pieces

    private init(_ account: Account, _ connections: HTTPConnections) throws {
        let credentials = PeerCredentials.basic(name: account.key, password: account.secret)
        guard
            let database = DatabaseAddress(
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
        guard let address = DatabaseAddress(server: server, database: "x") else {
            throw SessionError.illegalServer(server)
        }
        return address.root
    }

    private static func reason(_ answer: [UInt8]) -> String? {
        let value = try? JSONValue(parsing: answer)
        // CouchDB's `reason` is a sentence for people, and its `error` a code for programs.
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

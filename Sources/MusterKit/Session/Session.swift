import Foundation
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
    /// What all of its requests go through.
    public let connections: HTTPConnections

    /// Why nobody is signed in.
    public enum Fault: Error, Hashable, Sendable, CustomStringConvertible {
        /// The address is none.
        case illegalServer(String)
        /// There is a user of that name.
        case userExists(String)
        /// The name or the password is wrong, or nobody may register.
        case refused(String)
        /// The server does not answer.
        case unreachable(String)
        /// It answers something else than it should.
        case unexpected(status: Int)

        /// One sentence without a full stop.
        public var description: String {
            switch self {
            case .illegalServer(let text): "'\(text)' is no http or https address"
            case .userExists(let name): "there is a user \(name) already"
            case .refused(let reason): "the server refuses: \(reason)"
            case .unreachable(let reason): "the server cannot be reached: \(reason)"
            case .unexpected(let status): "the server answers with status \(status)"
            }
        }
    }

    /// What is kept of a session.
    private struct Account: Codable {
        var server: String
        var user: String
        var password: String
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
        guard let data = try keeper.load() else { return nil }
        guard let account = try? JSONDecoder().decode(Account.self, from: data) else { return nil }
        return try Session(account, connections)
    }

    /// Makes a user, and signs in.
    ///
    /// - Throws: `Fault.userExists`, `.refused`, `.unreachable`.
    public static func register(
        at server: String, user: String, password: String, _ keeper: any CredentialKeeper,
        connections: HTTPConnections = .shared
    ) async throws -> Session {
        let root = try checked(server)
        let body = JSONValue.object([
            .init("username", .string(user)), .init("password", .string(password)), .init("type", .string("user")),
            .init("_id", .string(user)),
        ])
        let address = root + "api/users/" + PeerAddress.encoded(user)
        let (status, answer) = try await faults { try await connections.ask("PUT", address, json: body.bytes) }
        switch status {
        case 200..<300: break
        case 409: throw Fault.userExists(user)
        case 401, 403: throw Fault.refused(reason(answer) ?? "nobody may register")
        default: throw Fault.unexpected(status: status)
        }
        return try await signIn(at: server, user: user, password: password, keeper, connections: connections)
    }

    /// Signs in, and keeps what that brought.
    ///
    /// - Throws: `Fault.refused`, `.unreachable`; whatever keeps credentials from being kept.
    public static func signIn(
        at server: String, user: String, password: String, _ keeper: any CredentialKeeper,
        connections: HTTPConnections = .shared
    ) async throws -> Session {
        let root = try checked(server)
        let body = JSONValue.object([.init("username", .string(user)), .init("password", .string(password))])
        let address = root + "api/login"
        let (status, answer) = try await faults { try await connections.ask("POST", address, json: body.bytes) }
        let account: Account
        switch status {
        case 200..<300: account = try Self.account(answer, root: root, user: user, password: password)
        case 404, 405:
            // A server without that API: the name and the password themselves are the key.
            account = Account(
                server: root, user: user, password: password, key: user, secret: password, databaseRoot: root,
                databaseName: DatabaseName.locations(of: user))
        case 400, 401, 403, 500: throw Fault.refused(reason(answer) ?? "the name or the password is wrong")
        default: throw Fault.unexpected(status: status)
        }
        let session = try Session(account, connections)
        try keeper.keep(try JSONEncoder().encode(account))
        return session
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
        else { throw Fault.illegalServer(account.databaseRoot) }
        server = account.server
        user = account.user
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
        else { throw Fault.unexpected(status: 200) }
        let scheme = value["location_db_host_protocol"]?.string ?? (root.hasPrefix("https") ? "https" : "http")
        let host = value["location_db_host"]?.string ?? ""
        return Account(
            server: root, user: user, password: password, key: key, secret: secret,
            databaseRoot: host.isEmpty ? root : "\(scheme)://\(host)/", databaseName: name)
    }

    private static func checked(_ server: String) throws -> String {
        guard let address = PeerAddress(server: server, database: "x") else { throw Fault.illegalServer(server) }
        return address.root
    }

    private static func reason(_ answer: [UInt8]) -> String? {
        (try? JSONValue(parsing: answer))?["error"]?.string
    }

    private static func faults<Success>(_ body: () async throws -> Success) async throws -> Success {
        do {
            return try await body()
        } catch let fault as ReplicationFault {
            throw Fault.unreachable(fault.description)
        }
    }
}

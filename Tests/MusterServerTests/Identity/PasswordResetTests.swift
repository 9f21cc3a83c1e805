import HTTPTypes
import Logging
import MusterCore
import MusterStore
import MusterWire
import Synchronization
import Testing

@testable import MusterServer

/// What ends when an admin resets somebody's password, and what the log says of sign-ins that failed.
@Suite struct PasswordResetTests {
    /// Whether lena's key, AWS key, own phone's token and the token that she made for mia's phone prove something.
    private struct Proofs: Equatable {
        var key = true
        var amazonKey = true
        var ownToken = true
        var tokenForMia = true
    }

    private static let cases: [(body: String, left: Proofs)] = [
        (
            #"{"password":"another one"}"#,
            Proofs(key: false, amazonKey: false, ownToken: false, tokenForMia: false)
        ),
        (
            #"{"password":"another one","keep":["device-tokens","tokens-for-others"]}"#,
            Proofs(key: false, amazonKey: false)
        ),
        (#"{"password":"another one","keep":["api-keys","aws-keys"]}"#, Proofs(ownToken: false, tokenForMia: false)),
    ]

    @Test(arguments: cases.indices)
    func `a reset ends keys and tokens, but for those that are kept`(_ index: Int) async throws {
        let (body, left) = Self.cases[index]
        let office = try await Office()
        let key = try await office.identity.makeAmazonKey(label: "", for: office.user("lena").number).key
        try await office.open { desk in
            func token(_ user: String) async throws -> String {
                let reply = try await desk.send(.post, "/users/\(user)/devices/phone/token", as: "lena")
                return try #require(reply.json["token"]?.string)
            }
            func proves(_ token: String) async throws -> Bool {
                try await desk.send(.get, "/session", authorization: "Bearer \(token)").status == 200
            }
            let (own, forMia) = (try await token("lena"), try await token("mia"))
            #expect(try await proves(own))
            #expect(try await proves(forMia))
            #expect(try await desk.send(.put, "/users/lena/password", as: "admin", body).status == 204)
            let keys = try await office.identity.keys(of: office.user("lena").number)
            let proofs = Proofs(
                key: try await desk.send(.get, "/session", as: "lena").status == 200,
                amazonKey: keys.contains { $0.id == key.id }, ownToken: try await proves(own),
                tokenForMia: try await proves(forMia))
            #expect(proofs == left)
            let entries = try await desk.send(.get, "/audit", as: "admin").json["items"]?.elements ?? []
            let reset = entries.first { $0["change"]?["kind"]?.string == "passwordSet" }
            #expect(reset?["author"]?.string == "admin" && reset?["change"]?["user"]?.string == "lena")
        }
    }

    @Test func `a user who changes their password keeps their keys, and a reset by _users ends them`() async throws {
        let office = try await Office()
        try await office.open { desk in
            let own = #"{"password":"another one","currentPassword":"\#(Office.password(of: "mia"))"}"#
            #expect(try await desk.send(.put, "/users/mia/password", as: "mia", own).status == 204)
            #expect(try await desk.send(.get, "/session", as: "mia").status == 200)
            let wrong = #"{"password":"another one","keep":["everything"]}"#
            #expect(try await desk.send(.put, "/users/mia/password", as: "admin", wrong).status == 422)
            let document = "//_users/org.couchdb.user:mia"
            let revision = try await desk.send(.get, document, as: "admin").json["_rev"]?.string ?? ""
            let reset = #"{"_rev":"\#(revision)","name":"mia","password":"a third one"}"#
            #expect(try await desk.send(.put, document, as: "admin", reset).status == 201)
            #expect(try await desk.send(.get, "/session", as: "mia").status == 401)
        }
    }

    @Test func `a key that is made for somebody is audited, with its id and without its secret`() async throws {
        let office = try await Office()
        try await office.open { desk in
            let made = try await desk.send(.post, "/keys", as: "admin", #"{"label":"x","user":"mia"}"#)
            let entry = try #require(
                try await desk.send(.get, "/audit?limit=1", as: "admin").json["items"]?.elements?.first)
            #expect(entry["author"]?.string == "admin" && entry["change"]?["kind"]?.string == "keyMade")
            #expect(entry["change"]?["label"] == made.json["id"] && entry["change"]?["user"]?.string == "mia")
        }
    }

    @Test func `a sign-in that fails is logged with its address, and with no password`() async throws {
        let lines = Mutex<[String]>([])
        var logger = Logger(label: "test") { _ in LineHandler { line in lines.withLock { $0.append(line) } } }
        logger.logLevel = .info
        let office = try await Office()
        let identity = Identity(
            coordinator: office.coordinator, issuer: "test", hasher: PasswordHasher.quick(),
            attempts: AttemptLimiter(),
            logger: logger, now: { office.clock.now })
        for (name, password) in [("mia", "wrong secret"), ("my secret by mistake", "another secret")] {
            await #expect(throws: IdentityError.refused) {
                _ = try await identity.verifyPassword(password, ofUserNamed: name, from: "203.0.113.7")
            }
        }
        _ = try await identity.verifyPassword(Office.password(of: "mia"), ofUserNamed: "mia", from: "203.0.113.8")
        let said = lines.withLock { $0 }
        #expect(said.count == 2 && said.allSatisfy { $0.hasPrefix("info") && $0.contains("203.0.113.7") })
        #expect(said[0].contains("mia"))
        #expect(!said.contains { $0.contains("secret") })
        try await office.coordinator.close()
    }
}

/// Tells every line that is logged.
private struct LineHandler: LogHandler {
    let tell: @Sendable (String) -> Void
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    init(_ tell: @escaping @Sendable (String) -> Void) { self.tell = tell }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { tell("\(event.level) \(event.message) \(event.metadata ?? [:])") }
}

import HTTPTypes
import MusterCore
import MusterStore
import MusterWire
import Testing

@testable import MusterAmazon
@testable import MusterHTTP
@testable import MusterServer

/// What a guest of an identity pool may do: every route, against a list that was written by hand.
@Suite struct GuestWalkTests {
    private static let dataset = "/identitypools/{pool}/identities/{identity}/datasets/{dataset}"

    /// The routes that admit a guest, all on the guest's own identity.
    private static let admitted: Set<String> = {
        let lines = [
            "GET /identitypools/{pool}/identities/{identity}",
            "GET /identitypools/{pool}/identities/{identity}/datasets", "GET \(dataset)", "DELETE \(dataset)",
            "POST \(dataset)", "GET \(dataset)/records",
        ]
        return Set(lines + lines.map { $0.replacing(" /", with: " /aws/") })
    }()

    @Test func `no route names guests but those of their own datasets`() async throws {
        let office = try await Office()
        for route in office.endpoints.routes.routes {
            let line = "\(route.method.rawValue) \(route.path)"
            switch route.admission {
            case .roles(let roles, _), .rolesOrWebSocket(let roles):
                #expect(roles.contains(.guest) == Self.admitted.contains(line), "\(line)")
            case .anyone, .anyoneIdentified, .adminOrLoopback, .link, .linkInPath:
                #expect(!Self.admitted.contains(line))
            }
        }
        try await office.coordinator.close()
    }

    @Test func `a guest is refused on every signed route but those of its own datasets`() async throws {
        let office = try await Office()
        let guest = try await office.guest(of: "north")
        let other = try await office.guest(of: "north")
        let origin = office.coordinator.origin
        try await office.open { desk in
            let lines = Set(CognitoSyncRouteWalkTests.everyLine).union(AmazonRouteWalkTests.admitted.keys)
            for line in lines.sorted() {
                let words = line.split(separator: " ").map(String.init)
                let method = try #require(HTTPRequest.Method(words[0]))
                func path(_ identity: String) -> String {
                    RouteWalkTests.path(words[1], user: "mia", team: "north")
                        .replacing("{pool}", with: origin.text(of: .pool(guest.id.pool)))
                        .replacing("{identity}", with: identity).replacing("{arn}", with: "none")
                        .replacing(":", with: "%3A").dropFirst().description
                }
                let service = words[1].contains("identitypools") ? "cognito-sync" : "geo"
                let own = try await desk.sendSigned(
                    method, path(origin.text(of: guest.id)), by: guest.key, "{}", service: service)
                #expect((own.status != 403) == Self.admitted.contains(line), "\(line): \(own.text)")
                guard words[1].contains("{identity}") else { continue }
                for identity in [origin.text(of: other.id), origin.text(of: .identity(try office.user("mia").number))] {
                    let foreign = try await desk.sendSigned(
                        method, path(identity), by: guest.key, "{}", service: service)
                    #expect(foreign.status == 403, "\(line): \(foreign.text)")
                }
            }
            for target in [
                "AWSEvents.ListRules", "AWSCognitoIdentityService.ListIdentityPools",
                "AWSCognitoIdentityProviderService.ListUsers",
            ] {
                let reply = try await desk.sendSigned(
                    .post, "/", by: guest.key, "{}", service: Self.service(target), target: target)
                #expect([400, 403].contains(reply.status) && reply.text.contains("guest"), "\(target): \(reply.text)")
            }
        }
    }

    private static func service(_ target: String) -> String {
        target.hasPrefix("AWSEvents")
            ? "events" : target.contains("Provider") ? "cognito-idp" : "cognito-identity"
    }

    @Test func `a guest's credentials end with their hour, the pool's permission, and a merge`() async throws {
        let office = try await Office()
        let guest = try await office.guest(of: "north")
        let text = office.coordinator.origin.text(of: guest.id)
        try await office.open { desk in
            func status(_ key: (id: String, secret: String, token: String?)) async throws -> (Int, String?) {
                let pool = office.coordinator.origin.text(of: .pool(guest.id.pool))
                let path = "/identitypools/\(pool)/identities/\(text)"
                let reply = try await desk.sendSigned(
                    .get, path.replacing(":", with: "%3A"), by: key, "", service: "cognito-sync")
                return (reply.status, reply.json["__type"]?.string)
            }
            #expect(try await status(guest.key).0 == 200)
            let forged = "ASIA1" + String(repeating: "A", count: 15)
            for key in [
                (guest.key.id, guest.key.secret, nil), (guest.key.id, guest.key.secret, "other"),
                (guest.key.id, "other", guest.key.token), (forged, guest.key.secret, guest.key.token),
                (try await office.guest(of: "north").key.id, guest.key.secret, guest.key.token),
            ] as [(String, String, String?)] {
                #expect(try await status(key).0 == 403)
            }
            try await office.allowGuests(false, in: "north")
            #expect(try await status(guest.key) == (403, "UnrecognizedClientException"))
            try await office.allowGuests(true, in: "north")
            #expect(try await status(guest.key).0 == 200)
            office.clock.advance(bySeconds: 3_601)
            #expect(try await status(guest.key) == (403, "ExpiredTokenException"))
            let fresh = try await office.identity.makeGuestKey(for: guest.id)
            let key = (id: fresh.id, secret: fresh.secretAccessKey, token: Optional(fresh.sessionToken))
            #expect(try await status(key).0 == 200)
            try await office.coordinator.merge(guest.id, into: office.user("mia"))
            #expect(try await status(key) == (403, "UnrecognizedClientException"))
        }
    }
}

/// A guest with credentials.
struct OfficeGuest {
    let id: GuestID
    let key: (id: String, secret: String, token: String?)
}

extension Office {
    /// Switches guests of a team's pool on or off.
    func allowGuests(_ areAllowed: Bool = true, in team: String) async throws {
        let number = try #require(coordinator.directory.teams[team]).number
        try await coordinator.storeState { transaction, _ in
            var settings = try transaction.settings(ofPool: number)
            settings.allowsGuests = areAllowed
            try transaction.put(settings, ofPool: number)
        }
    }

    /// A new guest of a team's pool.
    func guest(of team: String) async throws -> OfficeGuest {
        try await allowGuests(in: team)
        let id = identity.makeGuest(in: try #require(coordinator.directory.teams[team]).number)
        let key = try await identity.makeGuestKey(for: id)
        return OfficeGuest(id: id, key: (key.id, key.secretAccessKey, key.sessionToken))
    }
}

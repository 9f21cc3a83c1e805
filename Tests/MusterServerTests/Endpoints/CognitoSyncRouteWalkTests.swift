import HTTPTypes
import MusterCore
import MusterWire
import Testing

@testable import MusterServer

/// Every route of Cognito Sync as every role, against a list that was written by hand.
@Suite struct CognitoSyncRouteWalkTests {
    private static let dataset = "/identitypools/{pool}/identities/{identity}/datasets/{dataset}"

    /// Who is admitted: a admin, l leader, m member, n analyst, g gateway. All but the admins' are about the caller's
    /// own identity.
    static let admitted: [String: String] = [
        "GET /identitypools": "a", "GET /identitypools/{pool}": "a",
        "GET /identitypools/{pool}/configuration": "a", "POST /identitypools/{pool}/configuration": "a",
        "GET /identitypools/{pool}/events": "a", "POST /identitypools/{pool}/events": "a",
        "POST /identitypools/{pool}/bulkpublish": "a", "POST /identitypools/{pool}/getBulkPublishDetails": "a",
        "GET /identitypools/{pool}/identities/{identity}": "almng",
        "GET /identitypools/{pool}/identities/{identity}/datasets": "almng", "GET \(dataset)": "almng",
        "DELETE \(dataset)": "almng", "POST \(dataset)": "almng", "GET \(dataset)/records": "almng",
        "POST \(dataset)/subscriptions/{device}": "almng", "DELETE \(dataset)/subscriptions/{device}": "almng",
        "POST /identitypools/{pool}/identity/{identity}/device": "almng",
    ]

    /// The lines, at Amazon's paths and below `/aws`.
    static let everyLine = admitted.keys.flatMap { [$0, $0.replacing(" /", with: " /aws/")] }

    @Test(arguments: everyLine.sorted())
    func `a route admits the roles that it names, and nobody to another's identity`(_ line: String) async throws {
        let office = try await Office()
        let roles = try #require(Self.admitted[line.replacing(" /aws/", with: " /")])
        let words = line.split(separator: " ").map(String.init)
        let method = try #require(HTTPRequest.Method(words[0]))
        @Sendable func path(of name: String) throws -> String {
            let user = try office.user(name)
            let origin = office.coordinator.origin
            return words[1].replacing("{pool}", with: origin.text(of: .pool(user.team)))
                .replacing("{identity}", with: origin.text(of: .identity(user.number)))
                .replacing("{dataset}", with: "settings").replacing("{device}", with: "none")
                .replacing(":", with: "%3A")
        }
        try await office.open { desk in
            for authorization in [nil, "Bearer \(office.keys["admin"] ?? "")"] {
                let reply = try await desk.send(method, "/" + path(of: "admin"), "{}", authorization: authorization)
                #expect(reply.status == 403, "\(reply.text)")
                #expect(reply.json["__type"]?.string == "MissingAuthenticationToken")
            }
            for (letter, name) in RouteWalkTests.people {
                let own = try await desk.sendSigned(
                    method, path(of: name), as: name, "{}", service: "cognito-sync")
                #expect((own.status != 403) == roles.contains(letter), "\(name): \(own.text)")
                let other = try path(of: name == "mia" ? "lena" : "mia")
                // An admin sees how much somebody else stores, and no more.
                guard words[1].contains("{identity}"), letter != "a" || !words[1].hasSuffix("{identity}") else {
                    continue
                }
                let foreign = try await desk.sendSigned(
                    method, other, as: name, "{}", service: "cognito-sync")
                #expect(foreign.status == 403, "\(name): \(foreign.text)")
            }
        }
    }
}

import HTTPTypes
import MusterCore
import MusterWire
import Testing

@testable import MusterServer

/// Every route of Meshblu as every role, against a list that was written by hand.
@Suite struct MeshbluRouteWalkTests {
    /// Who is admitted: a admin, l leader, m member, n analyst, g gateway; d a device's own token; `*` anyone. All is
    /// about the caller's own devices.
    static let admitted: [String: String] = [
        "GET /status": "*", "GET /authenticate/{uuid}": "*", "POST /devices": "alm", "GET /devices": "almngd",
        "GET /mydevices": "almngd", "GET /devices/{uuid}": "almngd", "PUT /devices/{uuid}": "almngd",
        "DELETE /devices/{uuid}": "alm", "POST /devices/{uuid}/token": "alm", "POST /devices/{uuid}/tokens": "alm",
        "DELETE /devices/{uuid}/tokens/{token}": "alm", "POST /data/{uuid}": "almngd", "GET /data/{uuid}": "almngd",
        "POST /messages": "almngd", "GET /subscribe": "almngd", "GET /subscribe/{uuid}": "almngd",
    ]

    /// The lines, at Meshblu's paths and below `/meshblu`.
    static let everyLine = admitted.keys.flatMap { [$0, $0.replacing(" /", with: " /meshblu/")] }

    @Test(arguments: everyLine.sorted())
    func `a route admits the roles that it names and nobody else`(_ line: String) async throws {
        let office = try await Office()
        let roles = try #require(Self.admitted[line.replacing(" /meshblu/", with: " /")])
        let words = line.split(separator: " ").map(String.init)
        let method = try #require(HTTPRequest.Method(words[0]))
        let token = try await office.identity.makeDeviceToken(for: try office.phone(of: "mia").number)
        // Nobody's device: who is admitted hears that there is none.
        let path = ("/" + words[1]).replacing("{uuid}", with: "0d3a53a0-2a0b-11e3-b09c-ff4de847b2cc")
            .replacing("{token}", with: "none")
        try await office.open { desk in
            func status(_ authorization: String?) async throws -> Int {
                try await desk.send(method, path, method == .get ? nil : "{}", authorization: authorization).status
            }
            let nobody = try await status(nil)
            #expect((nobody != 401) == (roles == "*"), "\(nobody)")
            if roles == "*" { return }
            let guesser = try await status("Bearer mk_guess")
            #expect(guesser == 401)
            // A feed that is admitted never ends, and a message needs a device.
            if line.hasSuffix("/subscribe") || line.hasSuffix("/messages") { return }
            let device = try await status("Bearer \(token)")
            #expect((device != 401) == roles.contains("d"), "device: \(device)")
            for (letter, name) in RouteWalkTests.people {
                let answer = try await status("Bearer \(office.keys[name] ?? "")")
                #expect((answer != 401) == roles.contains(letter), "\(name): \(answer)")
            }
        }
    }
}

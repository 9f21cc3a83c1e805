import HTTPTypes
import MusterCore
import MusterStore
import MusterWire
import NIOCore
import Testing

@testable import MusterServer

/// Every route as every role, against a list that was written by hand and not taken from the table.
@Suite struct RouteWalkTests {
    /// Who is admitted: a admin, l leader, m member, n analyst, g gateway; d a device's own token; `*` anyone.
    static let admitted: [String: String] = [
        "POST /api/v1/session": "*", "POST /api/v1/session/refresh": "*", "DELETE /api/v1/session": "almng",
        "GET /api/v1/session": "almngd",
        "GET /api/v1/users": "al", "POST /api/v1/users": "a", "GET /api/v1/users/{user}": "almng",
        "PATCH /api/v1/users/{user}": "al", "DELETE /api/v1/users/{user}": "a",
        "PUT /api/v1/users/{user}/password": "almng", "POST /api/v1/user-imports": "a",
        "GET /api/v1/teams": "almnd", "POST /api/v1/teams": "a", "GET /api/v1/teams/{team}": "almnd",
        "PATCH /api/v1/teams/{team}": "al", "DELETE /api/v1/teams/{team}": "a",
        "GET /api/v1/teams/{team}/safety": "almn", "GET /api/v1/teams/{team}/history": "aln",
        "GET /api/v1/teams/{team}/crews": "aln", "POST /api/v1/teams/{team}/crews": "al",
        "GET /api/v1/teams/{team}/crews/{crew}": "aln", "PATCH /api/v1/teams/{team}/crews/{crew}": "al",
        "DELETE /api/v1/teams/{team}/crews/{crew}": "al",
        "POST /api/v1/users/{user}/declarations": "almd", "GET /api/v1/users/{user}/declarations": "almnd",
        "PUT /api/v1/users/{user}/check-in-timer": "alm", "GET /api/v1/users/{user}/check-in-timer": "almd",
        "DELETE /api/v1/users/{user}/check-in-timer": "alm", "POST /api/v1/users/{user}/check-ins": "almd",
        "PUT /api/v1/users/{user}/pause": "almn", "DELETE /api/v1/users/{user}/pause": "almn",
        "GET /api/v1/users/{user}/viewers": "almn",
        "POST /api/v1/incidents/{incident}/acknowledgement": "almnd",
        "GET /api/v1/teams/{team}/attendance-rules": "aln", "GET /api/v1/teams/{team}/attendance-rules/{rule}": "aln",
        "PUT /api/v1/teams/{team}/attendance-rules/{rule}": "al",
        "DELETE /api/v1/teams/{team}/attendance-rules/{rule}": "al",
        "GET /api/v1/teams/{team}/proximity-rules": "aln", "GET /api/v1/teams/{team}/proximity-rules/{rule}": "aln",
        "PUT /api/v1/teams/{team}/proximity-rules/{rule}": "al",
        "DELETE /api/v1/teams/{team}/proximity-rules/{rule}": "al",
        "POST /api/v1/teams/{team}/incidents": "al", "GET /api/v1/teams/{team}/incidents": "almnd",
        "GET /api/v1/incidents": "almnd", "GET /api/v1/incidents/{incident}": "almn",
        "POST /api/v1/incidents/{incident}/close": "al", "GET /api/v1/incidents/{incident}/report": "aln",
        "GET /api/v1/incidents/{incident}/contacts": "aln",
        "POST /api/v1/incidents/{incident}/reopen": "al", "POST /api/v1/incidents/{incident}/roll": "al",
        "POST /api/v1/incidents/{incident}/par": "al", "PUT /api/v1/incidents/{incident}/par": "al",
        "POST /api/v1/incidents/{incident}/par/reports": "al", "POST /api/v1/incidents/{incident}/handover": "al",
        "POST /api/v1/incidents/{incident}/roll/{person}/mark": "al",
        "POST /api/v1/incidents/{incident}/roll/{person}/removal": "al", "GET /api/v1/audit": "aln",
        "GET /api/v1/devices": "almnd", "POST /api/v1/users/{user}/devices": "alm",
        "GET /api/v1/users/{user}/devices/{device}": "almnd", "DELETE /api/v1/users/{user}/devices/{device}": "alm",
        "POST /api/v1/users/{user}/join": "al", "POST /api/v1/users/{user}/devices/{device}/owner": "al",
        "POST /api/v1/users/{user}/devices/{device}/token": "alm",
        "GET /api/v1/users/{user}/devices/{device}/token": "alm",
        "DELETE /api/v1/users/{user}/devices/{device}/token": "alm",
        "POST /api/v1/users/{user}/devices/{device}/certificate": "alm",
        "POST /api/v1/users/{user}/devices/{device}/enrollment": "alm",
        "PUT /api/v1/users/{user}/devices/{device}/encryption-key": "alm",
        "DELETE /api/v1/users/{user}/devices/{device}/encryption-key": "alm",
        "POST /api/v1/positions": "almngd", "GET /api/v1/positions": "almnd",
        "GET /api/v1/warnings": "al", "GET /api/v1/presences": "almnd", "PATCH /api/v1/collections/{collection}": "al",
        "GET /api/v1/users/{user}/devices/{device}/positions": "almnd",
        "GET /api/v1/users/{user}/devices/{device}/sightings": "almnd",
        "GET /api/v1/users/{user}/devices/{device}/notes": "almnd",
        "POST /api/v1/signals": "almngd", "GET /api/v1/users/{user}/devices/{device}/signals": "almnd",
        "POST /api/v1/ranges": "almngd", "GET /api/v1/users/{user}/devices/{device}/ranges": "almnd",
        "PUT /api/v1/users/{user}/devices/{device}/range-tag": "almngd",
        "DELETE /api/v1/users/{user}/devices/{device}/range-tag": "almngd",
        "GET /api/v1/collections": "almnd", "POST /api/v1/collections": "al",
        "GET /api/v1/collections/{collection}": "almnd", "DELETE /api/v1/collections/{collection}": "al",
        "GET /api/v1/collections/{collection}/regions": "almnd",
        "POST /api/v1/collections/{collection}/regions": "al",
        "GET /api/v1/collections/{collection}/regions/{region}": "almnd",
        "PUT /api/v1/collections/{collection}/regions/{region}": "al",
        "DELETE /api/v1/collections/{collection}/regions/{region}": "al",
        "GET /api/v1/trackers": "almd", "POST /api/v1/trackers": "a", "GET /api/v1/trackers/{tracker}": "almd",
        "PATCH /api/v1/trackers/{tracker}": "a", "DELETE /api/v1/trackers/{tracker}": "a",
        "GET /api/v1/rules": "al", "POST /api/v1/rules": "a", "GET /api/v1/rules/{rule}": "al",
        "PATCH /api/v1/rules/{rule}": "a", "DELETE /api/v1/rules/{rule}": "a",
        "POST /api/v1/event-patterns/test": "al",
        "GET /api/v1/changes": "almnd", "GET /api/v1/live": "almnd",
        "GET /api/v1/nearby/relay": "almn",
        "GET /api/v1/keys": "almng", "POST /api/v1/keys": "almng", "DELETE /api/v1/keys/{key}": "almng",
        "POST /api/v1/signing-keys/{use}": "a",
        "GET /api/v1/links": "al", "POST /api/v1/links": "al", "DELETE /api/v1/links/{link}": "al",
        // The token of a link alone opens these.
        "GET /api/v1/shared/{token}/link.kml": "*", "GET /api/v1/shared/{token}/map.kml": "*",
        "GET /api/v1/shared": "", "POST /api/v1/shared/visitors": "", "POST /api/v1/shared/password": "",
        "GET /api/v1/targets": "a", "POST /api/v1/targets": "a", "GET /api/v1/targets/{target}": "a",
        "PATCH /api/v1/targets/{target}": "a", "DELETE /api/v1/targets/{target}": "a",
        "POST /api/v1/targets/{target}/run": "a", "GET /api/v1/targets/{target}/deliveries": "a",
        "GET /api/v1/targets/{target}/deliveries/waiting": "a",
        "POST /api/v1/targets/{target}/secret": "a", "POST /api/v1/targets/{target}/test": "a",
        "GET /api/v1/refused-reports": "a", "GET /api/v1/refused-reports/{report}": "a",
        "GET /api/v1/deliveries": "a", "GET /api/v1/deadletters": "a", "DELETE /api/v1/deadletters": "a",
        "POST /api/v1/deadletters/redrive": "a", "GET /api/v1/deadletters/{letter}": "a",
        "POST /api/v1/deadletters/{letter}/redrive": "a", "DELETE /api/v1/deadletters/{letter}": "a",
        "GET /aws/stream-records/{token}": "*", "GET /api/v1/cognito": "almng", "GET /api/v1/codes": "a",
        "GET /.well-known/apple-app-site-association": "*", "GET /.well-known/jwks.json": "*",
        "GET /.well-known/jwks_uri": "*", "GET /aws/.well-known/jwks_uri": "*",
        "GET /{userPool}/.well-known/jwks.json": "*", "GET /{userPool}/.well-known/openid-configuration": "*",
        "GET /aws/{userPool}/.well-known/jwks.json": "*",
        "GET /aws/{userPool}/.well-known/openid-configuration": "*", "GET /tiles/index.json": "*",
        "GET /tiles/{file}/{zoom}/{column}/{row}": "*", "GET /health": "*", "GET /api/v1/health": "*",
        "GET /metrics": "a",
        "PUT /api/users/{account}": "*", "POST /api/login": "*", "GET /api/places": "almnd",
        "GET /api/v1/openapi.json": "*", "POST /owntracks": "almngd", "POST /pub": "almngd",
        "POST /api/v1/sightings": "almngd", "POST /ruuvi": "g", "POST /sms": "g", "GET /ifttt/v1/status": "almnd",
        "GET /ifttt/v1/user/info": "almnd", "POST /ifttt/v1/triggers/{slug}": "almnd",
        "POST /owntracks/{path...}": "almngd", "POST /pub/{path...}": "almngd",
        "GET /osmand": "d", "POST /osmand": "d", "GET /osmand/{token}": "d", "POST /osmand/{token}": "d",
        "POST /overland": "d", "POST /overland/{token}": "d", "POST /ulogger/client/index.php": "d",
        "POST /ulogger/{token}/client/index.php": "d",
        "GET /Marti/api/tls/config": "", "POST /Marti/api/tls/signClient/v2": "",
        "GET /api/v1/datasets": "almng", "GET /api/v1/datasets/{dataset}": "almng",
        "PATCH /api/v1/datasets/{dataset}": "almng", "DELETE /api/v1/datasets/{dataset}": "almng",
        "PUT /api/v1/datasets/{dataset}/subscriptions/{device}": "almng",
        "DELETE /api/v1/datasets/{dataset}/subscriptions/{device}": "almng", "GET /api/v1/push/key": "almng",
        "GET /api/v1/push/devices": "almng", "POST /api/v1/push/devices": "almng",
        "DELETE /api/v1/push/devices/{device}": "almng", "POST /api/v1/push/test": "almng",
        "GET /graphql": "almng", "POST /graphql": "almng", "GET /graphql/realtime": "almng",
        "POST /api/v1/users/{user}/location-request": "al", "GET /api/v1/users/{user}/location-request": "al",
    ]

    /// The lines of this list, of AWS's and of CouchDB's.
    static let everyLine = Array(
        Set(admitted.keys).union(AmazonRouteWalkTests.admitted.keys).union(CouchRouteWalkTests.admitted.keys)
            .union(CognitoSyncRouteWalkTests.everyLine).union(MeshbluRouteWalkTests.everyLine))

    /// Someone of every role, by the letter above.
    static let people: [(letter: Character, name: String)] = [
        ("g", "gus"), ("n", "ann"), ("m", "mia"), ("l", "lena"), ("a", "admin"),
    ]

    @Test func `the list has every route and nothing else`() async throws {
        let office = try await Office()
        let served = office.endpoints.routes.routes.map { route in
            "\(route.method.rawValue) \(route.path)"
                .replacing(office.coordinator.origin.userPoolID, with: "{userPool}")
        }
        #expect(served.count == Set(served).count)
        #expect(Set(served) == Set(Self.everyLine))
        try await office.coordinator.close()
    }

    /// The path with everything in braces filled in.
    static func path(_ template: String, user: String, team: String) -> String {
        let parts = [
            "{user}": user, "{device}": "phone", "{team}": team, "{collection}": team, "{tracker}": team,
            "{region}": "square", "{crew}": "Engine%203", "{rule}": "enter", "{key}": "AAAAAAAAAAAAAAAA",
            "{incident}": "1", "{person}": "-1", "{dataset}": "settings", "{target}": "none", "{letter}": "1",
            "{link}": "AAAAAAAAAAAAAAAA", "{path...}": "\(user)/phone", "{slug}": "phone",
        ]
        return "/"
            + template.split(separator: "/", omittingEmptySubsequences: false)
            .map { parts[String($0)] ?? String($0) }.joined(separator: "/")
    }

    @Test func `a route that only reads admits the roles that it names and nobody else`() async throws {
        try await Office().open { desk in
            let token = try await desk.office.identity.makeDeviceToken(for: try desk.office.phone(of: "mia").number)
            for line in Self.admitted.keys.sorted() where line.hasPrefix("GET ") {
                try await walk(line, at: desk, device: token)
            }
        }
    }

    @Test(arguments: admitted.keys.filter { !$0.hasPrefix("GET ") }.sorted())
    func `a route that writes admits the roles that it names and nobody else`(_ line: String) async throws {
        try await Office().open { desk in
            let token = try await desk.office.identity.makeDeviceToken(for: try desk.office.phone(of: "mia").number)
            try await walk(line, at: desk, device: token)
        }
    }

    /// Asks one route as everyone, also with the token of mia's device.
    private func walk(_ line: String, at desk: Desk, device token: String) async throws {
        let office = desk.office
        let roles = try #require(Self.admitted[line])
        let words = line.split(separator: " ")
        let method = try #require(HTTPRequest.Method(String(words[0])))
        func status(_ name: String, _ authorization: String?) async throws -> Int {
            let team = ["mia", "lena"].contains(name) ? "north" : "south"
            let path = Self.path(String(words[1]), user: name, team: team)
                .replacing("{userPool}", with: office.coordinator.origin.userPoolID)
            return try await desk.send(method, path, method == .get ? nil : "{}", authorization: authorization)
                .status
        }
        if roles == "*" {
            let answer = try await status("mia", nil)
            let needsBody = line.hasPrefix("POST /api/v1/session") || line == "POST /api/login"
            let isUnknown =
                [
                    "GET /aws/stream-records/{token}", "GET /tiles/{file}/{zoom}/{column}/{row}",
                    "GET /.well-known/apple-app-site-association",
                ].contains(line) && answer == 404
            #expect(
                answer < 300 || needsBody || isUnknown || line == "PUT /api/users/{account}", "\(line): \(answer)")
            return
        }
        #expect(try await status("mia", nil) == 401, "\(line)")
        // Apps keep what is answered with 503, and a person can give them the right token.
        let isOfApps = ["/owntracks", "/pub", "/osmand", "/overland"].contains { words[1].hasPrefix($0) }
        #expect(try await status("mia", "Bearer mk_guess") == (isOfApps ? 503 : 401), "\(line)")
        // A feed that is admitted never ends.
        let isEndless = line.hasSuffix("/live")
        if !(isEndless && roles.contains("d")) {
            let answer = try await status("mia", "Bearer \(token)")
            #expect(([401, 403].contains(answer) == false) == roles.contains("d"), "\(line), device: \(answer)")
        }
        for (letter, name) in Self.people where !(isEndless && roles.contains(letter)) {
            let answer = try await status(name, "Bearer \(office.keys[name] ?? "")")
            if roles.contains(letter) {
                #expect(answer != 401 && answer != 403, "\(line), \(name): \(answer)")
            } else {
                #expect(answer == (roles.isEmpty ? 401 : 403), "\(line), \(name): \(answer)")
            }
        }
    }

    @Test func `HEAD is answered as GET is, without a body, wherever GET is`() async throws {
        let office = try await Office()
        let lines = Self.everyLine.filter { $0.hasPrefix("GET ") }.sorted()
        try await office.open { desk in
            for line in lines {
                let path = Self.path(String(line.dropFirst(4)), user: "mia", team: "north")
                    .replacing("{userPool}", with: office.coordinator.origin.userPoolID)
                let head = try await desk.send(.head, path, as: "admin")
                #expect(head.body.readableBytes == 0, "\(line)")
                #expect(head.status != 405, "\(line)")
                // The feed that GET opens never ends.
                guard !line.hasSuffix("/live"), !line.hasSuffix("/subscribe") else {
                    #expect(head.status == 200 && head.headers[.contentType] != nil)
                    continue
                }
                let full = try await desk.send(.get, path, as: "admin")
                #expect(head.status == full.status, "\(line)")
                #expect(head.headers[.contentType] == full.headers[.contentType], "\(line)")
                // What a server says of itself changes between the two, and so may its length.
                if !line.contains("metrics"), let length = head.headers[.contentLength] {
                    #expect(length == full.headers[.contentLength], "\(line)")
                }
            }
        }
    }

    /// Routes about somebody or some team, each with a body that would do.
    static let aboutOthers: [(line: String, body: String?)] = [
        ("GET /api/v1/users/{user}", nil),
        ("PUT /api/v1/users/{user}/password", #"{"password":"taken over","currentPassword":"sue's secret"}"#),
        ("GET /api/v1/teams/{team}", nil), ("PATCH /api/v1/teams/{team}", #"{"silenceSeconds":60}"#),
        ("GET /api/v1/teams/{team}/safety", nil), ("GET /api/v1/teams/{team}/incidents", nil),
        ("PATCH /api/v1/users/{user}", #"{"crew":null}"#),
        ("GET /api/v1/teams/{team}/crews", nil), ("POST /api/v1/teams/{team}/crews", #"{"name":"Engine 4"}"#),
        ("GET /api/v1/teams/{team}/crews/{crew}", nil),
        ("PATCH /api/v1/teams/{team}/crews/{crew}", #"{"name":"Engine 4"}"#),
        ("DELETE /api/v1/teams/{team}/crews/{crew}", nil),
        ("POST /api/v1/teams/{team}/incidents", #"{"kind":"drill"}"#),
        ("GET /api/v1/users/{user}/declarations", nil),
        ("POST /api/v1/users/{user}/declarations", #"{"kind":"clear"}"#),
        ("PUT /api/v1/users/{user}/check-in-timer", #"{"intervalSeconds":600}"#),
        ("GET /api/v1/users/{user}/check-in-timer", nil), ("DELETE /api/v1/users/{user}/check-in-timer", nil),
        ("POST /api/v1/users/{user}/check-ins", "{}"), ("GET /api/v1/users/{user}/viewers", nil),
        ("PUT /api/v1/users/{user}/pause", #"{"untilSeconds":60}"#), ("DELETE /api/v1/users/{user}/pause", nil),
        ("GET /api/v1/teams/{team}/attendance-rules", nil), ("GET /api/v1/teams/{team}/attendance-rules/{rule}", nil),
        (
            "PUT /api/v1/teams/{team}/attendance-rules/{rule}",
            #"{"collection":"north","region":"square","minimum":1}"#
        ), ("DELETE /api/v1/teams/{team}/attendance-rules/{rule}", nil),
        ("GET /api/v1/teams/{team}/proximity-rules", nil), ("GET /api/v1/teams/{team}/proximity-rules/{rule}", nil),
        (
            "PUT /api/v1/teams/{team}/proximity-rules/{rule}",
            #"{"centrePerson":"mia","radiusMetres":50,"demand":"fence"}"#
        ), ("DELETE /api/v1/teams/{team}/proximity-rules/{rule}", nil),
        ("POST /api/v1/users/{user}/devices", #"{"name":"tablet"}"#),
        ("GET /api/v1/users/{user}/devices/{device}", nil), ("DELETE /api/v1/users/{user}/devices/{device}", nil),
        ("POST /api/v1/users/{user}/join", #"{"to":"ann"}"#),
        ("POST /api/v1/users/{user}/devices/{device}/owner", #"{"to":"ann"}"#),
        ("POST /api/v1/users/{user}/devices/{device}/token", nil),
        ("DELETE /api/v1/users/{user}/devices/{device}/token", nil),
        ("POST /api/v1/users/{user}/devices/{device}/certificate", #"{"request":"x"}"#),
        ("POST /api/v1/users/{user}/devices/{device}/enrollment", "{}"),
        ("PUT /api/v1/users/{user}/devices/{device}/encryption-key", #"{"key":"0123"}"#),
        ("DELETE /api/v1/users/{user}/devices/{device}/encryption-key", nil),
        ("GET /api/v1/users/{user}/devices/{device}/positions", nil),
        ("GET /api/v1/users/{user}/devices/{device}/ranges", nil),
        (
            "PUT /api/v1/users/{user}/devices/{device}/range-tag",
            #"{"secret":"\#(String(repeating: "0123456789abcdef", count: 4))"}"#
        ), ("DELETE /api/v1/users/{user}/devices/{device}/range-tag", nil),
        ("GET /api/v1/trackers/{tracker}", nil),
    ]

    @Test(arguments: aboutOthers.indices)
    func `another's resource answers 404, and stays unchanged`(_ index: Int) async throws {
        let (line, body) = Self.aboutOthers[index]
        let office = try await Office()
        let words = line.split(separator: " ")
        let method = try #require(HTTPRequest.Method(String(words[0])))
        let path = Self.path(String(words[1]), user: "sue", team: "south")
        let roles = try #require(Self.admitted[line])
        let before = office.coordinator.lastSequence
        try await office.open { desk in
            _ = try await desk.send(.post, "/positions", as: "sue", office.report("phone"))
            let unknown = try await desk.send(
                method, Self.path(String(words[1]), user: "nobody", team: "nowhere"), as: "lena", body)
            for (letter, name) in [("m" as Character, "mia"), ("l", "lena")] where roles.contains(letter) {
                let reply = try await desk.send(method, path, as: name, body)
                #expect(reply.status == 404, "\(name): \(reply.text)")
                #expect(reply.text == unknown.text)
            }
            let token = try await office.identity.makeDeviceToken(for: try office.phone(of: "lena").number)
            if roles.contains("d") {
                let reply = try await desk.send(method, path, body, authorization: "Bearer \(token)")
                #expect(reply.status == 404)
            }
            let changes = try office.store.changes(since: before, limit: 100).map(\.change)
            #expect(changes.allSatisfy { if case .directory = $0 { false } else { true } })
            let password = Office.password(of: "sue")
            #expect(try await desk.send(.post, "/session", #"{"name":"sue","password":"\#(password)"}"#).status == 200)
        }
    }

    @Test func `lists, positions and changes hold what one may see and nothing else`() async throws {
        let office = try await Office()
        let everyone = Office.people.map { "\($0.name)/phone" }
        try await office.open { desk in
            for name in everyone {
                #expect(try await desk.send(.post, "/positions", as: "admin", office.report(name)).status == 200)
            }
            let visible: [String: [String]] = [
                "admin": everyone, "ann": everyone, "lena": ["lena/phone", "mia/phone", "max/phone"],
                "mia": ["mia/phone"], "lars": ["lars/phone", "sue/phone"], "sue": ["sue/phone"],
            ]
            for (name, expected) in visible {
                let devices = try await desk.send(.get, "/devices", as: name).json["items"]?.elements ?? []
                #expect(devices.compactMap { $0["id"]?.string } == expected, "\(name)")
                let latest = try await desk.send(.get, "/positions", as: name).json["items"]?.elements ?? []
                #expect(latest.compactMap { $0["device"]?.string } == expected, "\(name)")
                let changes = try await desk.send(.get, "/changes?limit=1000", as: name)
                let seen = (changes.json["items"]?.elements ?? []).filter { $0["type"]?.string == "position" }
                #expect(seen.compactMap { $0["device"]?.string } == expected, "\(name)")
                for other in everyone where !expected.contains(other) {
                    #expect(!changes.text.contains("\"\(other)\""))
                }
                #expect(changes.json["lastSequence"]?.integer == office.coordinator.lastSequence.rawValue)
                #expect(changes.json["more"]?.boolean == false)
            }
        }
    }

    @Test func `a device's own token reports for that device and reads no more than a member does`() async throws {
        let office = try await Office()
        let token = try await office.identity.makeDeviceToken(for: try office.phone(of: "lena").number)
        let bearer = "Bearer \(token)"
        try await office.open { desk in
            let own = try await desk.send(.post, "/positions", office.report(), authorization: bearer)
            #expect(own.json["accepted"]?.integer == 1)
            let other = try await desk.send(.post, "/positions", office.report("mia/phone"), authorization: bearer)
            #expect(other.status == 422)
            #expect(other.pointers == ["/device"])
            let devices = try await desk.send(.get, "/devices", authorization: bearer).json["items"]?.elements
            #expect(devices?.compactMap { $0["id"]?.string } == ["lena/phone"])
            #expect(try await desk.send(.delete, "/users/lena/devices/phone/token", as: "lena").status == 204)
            #expect(try await desk.send(.get, "/devices", authorization: bearer).status == 401)
        }
    }

    @Test func `a gateway reports for anyone and reads nothing`() async throws {
        let office = try await Office()
        try await office.open { desk in
            let reply = try await desk.send(
                .post, "/positions", as: "gus", "[\(office.report("mia/phone")),\(office.report("sue/phone"))]")
            #expect(reply.json["accepted"]?.integer == 2)
            #expect(try await desk.send(.get, "/users/mia/devices/phone", as: "gus").status == 403)
        }
    }

    @Test func `an unknown path is 404, and a known one with another method 405 with what it takes`() async throws {
        try await Office().open { desk in
            #expect(try await desk.send(.get, "/nothing", as: "admin").status == 404)
            #expect(try await desk.send(.get, "//health/nothing").headers[.contentType] == "application/problem+json")
            let reply = try await desk.send(.put, "/users", as: "admin", "{}")
            #expect(reply.status == 405)
            #expect(reply.headers[.allow] == "GET, POST, HEAD")
            #expect(reply.json["type"]?.string == "urn:muster:problem:method-not-allowed")
        }
    }
}

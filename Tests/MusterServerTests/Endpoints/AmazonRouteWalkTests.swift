import HTTPTypes
import MusterCoding
import MusterCore
import MusterWire
import Testing

@testable import MusterAmazon
@testable import MusterHTTP
@testable import MusterServer

/// Every route of Amazon Location as every role, against a list that was written by hand.
@Suite struct AmazonRouteWalkTests {
    /// Who is admitted: a admin, l leader, m member, n analyst, g gateway.
    static let admitted: [String: String] = {
        var lines = ["POST /": "almng", "POST /aws": "almng"]
        for (line, roles) in location {
            lines[line] = roles
            lines[line.replacing(" /", with: " /aws/")] = roles
        }
        return lines
    }()

    private static let location: [String: String] = [
        "POST /tracking/v0/trackers": "a", "POST /tracking/v0/list-trackers": "al",
        "GET /tracking/v0/trackers/{tracker}": "al", "PATCH /tracking/v0/trackers/{tracker}": "a",
        "DELETE /tracking/v0/trackers/{tracker}": "a", "POST /tracking/v0/trackers/{tracker}/consumers": "a",
        "DELETE /tracking/v0/trackers/{tracker}/consumers/{arn}": "a",
        "POST /tracking/v0/trackers/{tracker}/list-consumers": "al",
        "POST /tracking/v0/trackers/{tracker}/positions": "almng",
        "POST /tracking/v0/trackers/{tracker}/positions/verify": "almn",
        "POST /tracking/v0/trackers/{tracker}/get-positions": "almn",
        "POST /tracking/v0/trackers/{tracker}/list-positions": "almn",
        "GET /tracking/v0/trackers/{tracker}/devices/{device}/positions/latest": "almn",
        "POST /tracking/v0/trackers/{tracker}/devices/{device}/list-positions": "almn",
        "POST /tracking/v0/trackers/{tracker}/delete-positions": "al",
        "POST /geofencing/v0/collections": "al", "POST /geofencing/v0/list-collections": "almn",
        "GET /geofencing/v0/collections/{collection}": "almn", "PATCH /geofencing/v0/collections/{collection}": "al",
        "DELETE /geofencing/v0/collections/{collection}": "a",
        "PUT /geofencing/v0/collections/{collection}/geofences/{region}": "al",
        "GET /geofencing/v0/collections/{collection}/geofences/{region}": "almn",
        "POST /geofencing/v0/collections/{collection}/put-geofences": "al",
        "POST /geofencing/v0/collections/{collection}/delete-geofences": "al",
        "POST /geofencing/v0/collections/{collection}/list-geofences": "almn",
        "POST /geofencing/v0/collections/{collection}/positions": "al",
        "POST /geofencing/v0/collections/{collection}/forecast-geofence-events": "almn",
        "GET /tags/{arn}": "almn", "POST /tags/{arn}": "al", "DELETE /tags/{arn}": "al",
    ]

    @Test(arguments: admitted.keys.sorted())
    func `a route admits the roles that it names, and no unsigned request`(_ line: String) async throws {
        let office = try await Office()
        let roles = try #require(Self.admitted[line])
        let words = line.split(separator: " ")
        let method = try #require(HTTPRequest.Method(String(words[0])))
        let arn = "arn%3Aaws%3Ageo%3Aus-east-1%3A000000000000%3Ageofence-collection%2Fnorth"
        let path =
            "/" + RouteWalkTests.path(String(words[1]), user: "mia", team: "north").replacing("{arn}", with: arn)
        try await office.open { desk in
            for authorization in [nil, "Bearer \(office.keys["admin"] ?? "")"] {
                let reply = try await desk.send(method, path, "{}", authorization: authorization)
                #expect(reply.status == 403)
                #expect(reply.json["__type"]?.string == "MissingAuthenticationToken")
            }
            for (letter, name) in RouteWalkTests.people {
                let reply = try await desk.sendSigned(method, String(path.dropFirst()), as: name, "{}")
                let code = reply.json["__type"]?.string
                #expect(["SignatureDoesNotMatch", "InvalidSignatureException"].contains(code) == false, "\(name)")
                let isDenied = ["AccessDeniedException", "NotAuthorizedException"].contains(code)
                #expect(isDenied != roles.contains(letter), "\(name): \(reply.text)")
            }
        }
    }
}

extension Desk {
    /// Sends a request that is signed with a fresh AWS key of a user.
    func sendSigned(
        _ method: HTTPRequest.Method, _ path: String, as user: String, _ json: String, service: String = "geo",
        target: String? = nil
    ) async throws -> Reply {
        let key = try await office.identity.makeAmazonKey(label: "test", for: try office.user(user).number)
        return try await sendSigned(
            method, path, by: (key.key.id, key.secretAccessKey, nil), json, service: service, target: target)
    }

    /// Sends a request that is signed with an AWS key: an id, a secret and a session token.
    func sendSigned(
        _ method: HTTPRequest.Method, _ path: String, by key: (id: String, secret: String, token: String?),
        _ json: String, service: String = "geo", target: String? = nil
    ) async throws -> Reply {
        let time = office.clock.now.amazonDate
        let scope = SignatureV4.Scope(date: String(time.prefix(8)), region: "eu-west-2", service: service)
        var values = ["host": "localhost", "x-amz-date": time]
        if let target { values["x-amz-target"] = target }
        if let token = key.token { values["x-amz-security-token"] = token }
        let names = values.keys.sorted()
        let parts = path.split(separator: "?", maxSplits: 1)
        let canonical = try #require(
            SignatureV4.canonicalRequest(
                method: method.rawValue, path: String(parts[0]), query: parts.count > 1 ? String(parts[1]) : nil,
                signedHeaders: names, bodyDigest: TokenDigest(bytes: Array(json.utf8)).bytes.hexadecimal
            ) { name in values[name].map { [$0] } })
        let text = SignatureV4.stringToSign(
            at: time, scope: scope, digest: TokenDigest(bytes: canonical).bytes.hexadecimal)
        let shown = SignatureV4(
            accessKeyID: key.id, scope: scope, signedHeaders: names,
            signature: SigningKey(secret: key.secret, scope: scope).signature(of: text))
        var headers: HTTPFields = [.amazonDate: time]
        if let target { headers[.amazonTarget] = target }
        if let token = key.token { headers[.amazonSecurityToken] = token }
        return try await send(method, "/" + path, json, authorization: shown.authorization, headers: headers)
    }
}

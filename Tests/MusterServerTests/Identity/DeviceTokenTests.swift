import HTTPTypes
import MusterCore
import MusterStore
import MusterWire
import Testing

@testable import MusterServer

/// What a device's token is good for, who is told of it, and when it ends.
@Suite struct DeviceTokenTests {
    /// A token of mia's phone that someone makes by the API.
    private func token(madeBy maker: String, _ desk: Desk) async throws -> String {
        let reply = try await desk.send(.post, "/users/mia/devices/phone/token", as: maker)
        #expect(reply.status == 201, "\(maker): \(reply.text)")
        return try #require(reply.json["token"]?.string)
    }

    private func status(of token: String, _ desk: Desk) async throws -> Int {
        try await desk.send(.post, "/positions", desk.office.report(), authorization: "Bearer \(token)").status
    }

    @Test(arguments: ["mia", "lena", "admin"])
    func `a device's token opens no document, whoever made it`(_ maker: String) async throws {
        let office = try await Office()
        try await office.open { desk in
            let database = "//lt_locations_user_mia"
            #expect(try await desk.send(.put, database + "/note", as: "mia", #"{"a":1}"#).status == 201)
            let token = "Bearer \(try await token(madeBy: maker, desk))"
            let requests: [(HTTPRequest.Method, String, String?)] = [
                (.get, "", nil), (.get, "/note", nil), (.get, "/_all_docs", nil), (.get, "/_changes", nil),
                (.put, "/note", #"{"a":2}"#), (.post, "/_bulk_docs", #"{"docs":[{"_id":"x"}]}"#),
                (.post, "/_purge", #"{"note":["1-a"]}"#), (.put, "/_design/x", "{}"),
                (.post, "/_find", #"{"selector":{}}"#), (.put, "/_local/x", "{}"),
            ]
            for (method, path, body) in requests {
                let reply = try await desk.send(method, database + path, body, authorization: token)
                #expect(reply.status == 403, "\(method) \(path): \(reply.status)")
            }
            #expect(try await desk.send(.get, database + "/note", as: "mia").json["a"]?.integer == 1)
            // What a device needs: what it crosses, whom it belongs to, how that person is.
            for path in [
                "/session", "/trackers", "/collections/north/regions", "/presences", "/users/mia/declarations",
            ] {
                #expect(try await desk.send(.get, path, authorization: token).status == 200, "\(path)")
            }
            #expect(try await desk.send(.get, "/users/max/devices/phone", authorization: token).status == 404)
        }
    }

    /// By what a leader's right to a member's device ends.
    private static let endings: [(method: HTTPRequest.Method, path: String, body: String?)] = [
        (.delete, "/users/lena", nil), (.patch, "/users/lena", #"{"role":"member"}"#),
        (.patch, "/users/lena", #"{"team":"south"}"#), (.patch, "/users/mia", #"{"team":"south"}"#),
        (.patch, "/users/mia", #"{"role":"leader"}"#), (.put, "/users/lena/password", #"{"password":"another one"}"#),
    ]

    @Test(arguments: endings.indices)
    func `a device's token ends with its maker's right, and does not come back with it`(_ index: Int) async throws {
        let (method, path, body) = Self.endings[index]
        let office = try await Office()
        try await office.open { desk in
            let hers = try await token(madeBy: "lena", desk)
            let own = try await token(madeBy: "mia", desk)
            #expect(try await status(of: hers, desk) == 200)
            #expect(try await desk.send(method, path, as: "admin", body).status < 300)
            #expect(try await status(of: hers, desk) == 401)
            #expect(try await status(of: own, desk) == 200, "mia's own goes on")
            // A phone keeps what it could not report.
            let phone = try await desk.send(
                .post, "//owntracks", #"{"_type":"lwt","tst":1}"#, authorization: "Bearer \(hers)")
            #expect(phone.status == 503)
            for restored in ["lena", "mia"] {
                let role = restored == "lena" ? "leader" : "member"
                let north = #"{"role":"\#(role)","team":"north"}"#
                _ = try await desk.send(.patch, "/users/\(restored)", as: "admin", north)
            }
            #expect(try await status(of: hers, desk) == 401)
        }
    }

    @Test func `a token from before makers were stored stays valid`() async throws {
        let office = try await Office()
        let phone = try office.phone(of: "mia")
        let secret = SecretToken(.device)
        try await office.coordinator.edit { _, draft in
            draft.credentials.append(
                Credential(
                    kind: .deviceToken, key: secret.digest.bytes, user: phone.user, device: phone.number,
                    createdAt: office.clock.now))
        }
        try await office.open { desk in
            #expect(try await desk.send(.delete, "/users/lena", as: "admin").status == 204)
            #expect(try await desk.send(.patch, "/users/mia", as: "admin", #"{"team":"south"}"#).status == 200)
            #expect(try await status(of: secret.text, desk) == 200)
            let list = try await desk.send(.get, "/users/mia/devices/phone/token", as: "mia").json["items"]?.elements
            #expect(list?.count == 1 && list?[0]["madeBy"] == nil)
        }
    }

    @Test func `the maker of a token is reported to the device's owner, listed and audited`() async throws {
        let office = try await Office()
        try await office.open { desk in
            let before = office.coordinator.lastSequence.rawValue
            let token = try await token(madeBy: "lena", desk)
            let told = try await desk.send(.get, "/changes?since=\(before)", as: "mia")
            let change = try #require(told.json["items"]?.elements?.first { $0["type"]?.string == "action" })
            #expect(change["kind"]?.string == "deviceTokenMade" && change["author"]?.string == "lena")
            #expect(change["device"]?.string == "mia/phone")
            #expect(!told.text.contains(token))
            for other in ["max", "sue", "lars", "ann"] {
                #expect(try await !desk.send(.get, "/changes?since=\(before)", as: other).text.contains("mia/phone"))
            }
            let list = try await desk.send(.get, "/users/mia/devices/phone/token", as: "mia")
            let item = try #require(list.json["items"]?.elements?.first)
            #expect(item["madeBy"]?.string == "lena" && item["id"] == change["label"])
            #expect(!list.text.contains("md_"))
            for reader in ["admin", "lena"] {
                let entry = try await desk.send(.get, "/audit?limit=1", as: reader).json["items"]?.elements?.first
                #expect(entry?["author"]?.string == "lena")
                #expect(entry?["change"]?["kind"]?.string == "deviceTokenMade")
            }
            #expect(try await desk.send(.delete, "/users/mia/devices/phone/token", as: "mia").status == 204)
            let entry = try await desk.send(.get, "/audit?limit=1", as: "admin").json["items"]?.elements?.first
            #expect(entry?["author"]?.string == "mia" && entry?["change"]?["kind"]?.string == "deviceTokenEnded")
        }
    }
}

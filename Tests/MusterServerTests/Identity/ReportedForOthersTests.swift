import HTTPTypes
import MusterCore
import MusterStore
import MusterWire
import Testing

@testable import MusterOwnTracks
@testable import MusterServer

/// One rule book for every endpoint: who reports and erases what of whom.
@Suite struct ReportedForOthersTests {
    private func update(_ id: String, _ office: Office, longitude: Double = 14) -> String {
        let time = office.clock.now.rfc3339
        return #"{"Updates":[{"DeviceId":"\#(id)","Position":[\#(longitude),45],"SampleTime":"\#(time)"}]}"#
    }

    private func history(of name: String, _ office: Office) throws -> [Position] {
        try office.store.positions(
            of: try office.phone(of: name).number, from: Instant(milliseconds: 0), to: Instant(seconds: 4e9),
            after: nil, limit: 100)
    }

    @Test func `by AWS's API a leader neither forges nor erases a member's track`() async throws {
        let office = try await Office()
        let positions = "tracking/v0/trackers/north/positions"
        try await office.open { desk in
            #expect(try await desk.send(.post, "/positions", as: "mia", office.report("phone")).status == 200)
            let forged = try await desk.sendSigned(.post, "/" + positions, as: "lena", update("mia", office))
            let code = forged.json["Errors"]?.elements?.first?["Error"]?["Code"]?.string
            #expect(code == "AccessDeniedError", "\(forged.text)")
            let erased = try await desk.sendSigned(
                .post, "/tracking/v0/trackers/north/delete-positions", as: "lena", #"{"DeviceIds":["mia"]}"#)
            #expect(erased.json["Errors"]?.elements?.count == 1, "\(erased.text)")
            #expect(try history(of: "mia", office).count == 1)
            // By the native API neither.
            let native = try await desk.send(.post, "/positions", as: "lena", office.report("mia/phone"))
            #expect(native.status == 422)
            #expect(try await desk.send(.delete, "/users/mia/devices/phone", as: "lena").status == 403)
            #expect(try history(of: "mia", office).count == 1)
            // What nobody made has nobody else to report for it.
            for (id, errors) in [("box", 0), ("lena", 0), ("max", 1)] {
                let reply = try await desk.sendSigned(.post, "/" + positions, as: "lena", update(id, office))
                #expect(reply.json["Errors"]?.elements?.count == errors, "\(id): \(reply.text)")
            }
            let gone = try await desk.sendSigned(
                .post, "/tracking/v0/trackers/north/delete-positions", as: "lena", #"{"DeviceIds":["box"]}"#)
            #expect(gone.json["Errors"]?.elements?.isEmpty == true)
        }
    }

    @Test func `a position reported for another user names the reporter, by every endpoint`() async throws {
        let office = try await Office()
        try await office.open { desk in
            #expect(try await desk.send(.post, "/positions", as: "mia", office.report("phone")).status == 200)
            office.clock.advance(bySeconds: 1)
            #expect(try await desk.send(.post, "/positions", as: "gus", office.report("mia/phone")).status == 200)
            office.clock.advance(bySeconds: 1)
            let amazon = try await desk.sendSigned(
                .post, "/tracking/v0/trackers/north/positions", as: "admin", update("mia", office))
            #expect(amazon.status == 200)
            office.clock.advance(bySeconds: 1)
            let time = office.clock.now.milliseconds / 1000
            let message = #"{"_type":"location","lat":45,"lon":14,"tst":\#(time),"acc":5}"#
            let headers: HTTPFields = [.limitUser: "mia", .limitDevice: "phone"]
            #expect(try await desk.send(.post, "//owntracks", as: "gus", message, headers: headers).status == 200)
            office.clock.advance(bySeconds: 1)
            let document =
                #"{"type":"Feature","geometry":{"type":"Point","coordinates":[14,45]},"#
                + #""properties":{"username":"mia","timestamp":\#(office.clock.now.milliseconds)},"#
                + #""created_at":\#(office.clock.now.milliseconds)}"#
            let put = try await desk.send(.put, "//lt_locations_user_mia/there", as: "admin", document)
            #expect(put.status == 201)
            let path = "/users/mia/devices/phone/positions"
            let items = try await desk.send(.get, path, as: "mia").json["items"]?.elements ?? []
            let reporters = items.map { $0["reportedBy"]?.string ?? "" }
            #expect(reporters == ["", "gus", "admin", "gus", "admin"])
            let latest = try await desk.send(.get, "/positions", as: "mia").json["items"]?.elements?.first
            #expect(latest?["reportedBy"]?.string == "admin")
            let changes = try await desk.send(.get, "/changes?limit=1000", as: "mia").json["items"]?.elements ?? []
            let told = changes.filter { $0["type"]?.string == "position" }.map { $0["position"]?["reportedBy"]?.string }
            #expect(told == [nil, "gus", "admin", "gus", "admin"])
            // Another's hand in one's own database is in the audit log.
            let entries = try await desk.send(.get, "/audit", as: "admin").json["items"]?.elements ?? []
            let written = entries.first { $0["change"]?["type"]?.string == "document" }
            #expect(written?["author"]?.string == "admin" && written?["change"]?["id"]?.string == "there")
        }
    }

    @Test func `no document replaces another user's position in the union`() async throws {
        let office = try await Office()
        try await office.open { desk in
            #expect(try await desk.send(.post, "/positions", as: "mia", office.report("phone")).status == 200)
            let rows = try await desk.send(.get, "//lt_locations_user_mia/_all_docs", as: "mia").json["rows"]?.elements
            let id = try #require(rows?.first?["id"]?.string)
            let path = id
            let forged = #"{"mine":true}"#
            #expect(try await desk.send(.put, "//lt_locations_user_sue/\(path)", as: "sue", forged).status == 201)
            let union = "//lt_locations_all"
            let shown = try await desk.send(.get, "\(union)/\(path)", as: "ann")
            #expect(shown.json["mine"] == nil && shown.text.contains("\"mia\""), "\(shown.text)")
            for list in ["_all_docs?include_docs=true", "_changes?include_docs=true"] {
                let listed = try await desk.send(.get, "\(union)/\(list)", as: "ann")
                #expect(listed.text.contains("\"mia\""), "\(list): \(listed.text)")
            }
        }
    }

    @Test func `a user can take the name of a device without an owner`() async throws {
        let office = try await Office()
        try await office.open { desk in
            for id in ["pat", "kim", "lou"] {
                let reply = try await desk.sendSigned(
                    .post, "/tracking/v0/trackers/north/positions", as: "lena", update(id, office))
                #expect(reply.json["Errors"]?.elements?.isEmpty == true, "\(reply.text)")
            }
            let made = try await desk.send(.post, "/users", as: "admin", #"{"name":"pat","role":"member"}"#)
            #expect(made.status == 201, "\(made.text)")
            #expect(
                try await desk.send(
                    .put, "//api/users/kim", as: "admin", #"{"username":"kim","password":"a password"}"#
                )
                .status == 201)
            let user = #"{"name":"lou","password":"a password","roles":[],"type":"user"}"#
            #expect(try await desk.send(.put, "//_users/org.couchdb.user:lou", as: "admin", user).status == 201)
            for id in ["pat", "kim", "lou"] {
                let person = try #require(office.coordinator.directory.users[id])
                #expect(!person.isImplicit && office.coordinator.directory.devices(of: person.number).isEmpty)
                #expect(office.coordinator.directory.users["\(id)@north"]?.isImplicit == true)
                // The device goes on under its id.
                let reply = try await desk.sendSigned(
                    .post, "/tracking/v0/trackers/north/positions", as: "lena", update(id, office, longitude: 15))
                #expect(reply.json["Errors"]?.elements?.isEmpty == true, "\(reply.text)")
            }
            #expect(try await desk.send(.post, "/users", as: "admin", #"{"name":"pat","role":"member"}"#).status == 409)
        }
    }
}

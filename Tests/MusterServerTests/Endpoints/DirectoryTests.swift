import HTTPTypes
import MusterCore
import MusterWire
import Testing

@testable import MusterServer

@Suite struct DirectoryTests {
    @Test func `a team is made with its tracker, linked to every collection that teams share`() async throws {
        try await Office().open { desk async throws in
            _ = try await desk.send(.post, "/collections", as: "admin", #"{"name":"site"}"#)
            let team = try await desk.send(.post, "/teams", as: "admin", #"{"name":"west","silenceSeconds":60}"#)
            #expect(
                team.text == #"{"name":"west","tracker":"west","silenceSeconds":60,"closesDrills":false,"#
                    + #""closesRealIncidents":false,"closesAfterSeconds":300,"declaredHoldsSeconds":43200,"#
                    + #""showsSafetyAlways":false,"parEverySeconds":null,"allowsPause":false}"#)
            let tracker = try await desk.send(.get, "/trackers/west", as: "admin")
            #expect(tracker.text == #"{"name":"west","filter":"none","collections":["site"],"worksAtZero":false}"#)
            #expect(try await desk.send(.delete, "/trackers/west", as: "admin").status == 409)
            _ = try await desk.send(.post, "/users", as: "admin", #"{"name":"will","role":"member","team":"west"}"#)
            #expect(try await desk.send(.delete, "/teams/west", as: "admin").status == 204)
            #expect(try await desk.send(.get, "/trackers/west", as: "admin").status == 404)
            let will = try await desk.send(.get, "/users/will", as: "admin")
            #expect(will.text == #"{"name":"will","role":"member"}"#)
        }
    }

    @Test func `a patch changes what it names, and null takes a team away`() async throws {
        try await Office().open { desk async throws in
            let same = try await desk.send(.patch, "/users/mia", as: "admin", "{}")
            #expect(same.text == #"{"name":"mia","role":"member","team":"north"}"#)
            let moved = try await desk.send(.patch, "/users/mia", as: "admin", #"{"team":"south"}"#)
            #expect(moved.json["team"]?.string == "south")
            let alone = try await desk.send(.patch, "/users/mia", as: "admin", #"{"team":null,"role":"analyst"}"#)
            #expect(alone.text == #"{"name":"mia","role":"analyst"}"#)
            let team = try await desk.send(.patch, "/teams/north", as: "lena", #"{"silenceSeconds":90}"#)
            #expect(team.json["silenceSeconds"]?.number == 90)
            let chosen = try await desk.send(
                .patch, "/teams/north", as: "lena", #"{"closesDrills":true,"declaredHoldsSeconds":60}"#)
            #expect(chosen.json["closesDrills"]?.boolean == true && chosen.json["silenceSeconds"]?.number == 90)
            // That a real incident closes by itself, only an admin may choose.
            let real = #"{"closesRealIncidents":true}"#
            #expect(try await desk.send(.patch, "/teams/north", as: "lena", real).status == 403)
            #expect(try await desk.send(.patch, "/teams/north", as: "admin", real).status == 200)
            let tracker = try await desk.send(
                .patch, "/trackers/north", as: "admin", #"{"filter":"distanceBased","collections":["south"]}"#)
            #expect(
                tracker.text
                    == #"{"name":"north","filter":"distanceBased","collections":["south"],"worksAtZero":false}"#)
        }
    }

    @Test func `an admin cannot remove or demote the last admin`() async throws {
        try await Office().open { desk async throws in
            #expect(try await desk.send(.delete, "/users/admin", as: "admin").status == 409)
            #expect(try await desk.send(.patch, "/users/admin", as: "admin", #"{"role":"member"}"#).status == 409)
            _ = try await desk.send(.post, "/users", as: "admin", #"{"name":"second","role":"admin"}"#)
            #expect(try await desk.send(.patch, "/users/admin", as: "admin", #"{"role":"member"}"#).status == 200)
        }
    }

    @Test func `a taken name is a conflict, and an invalid one is named`() async throws {
        try await Office().open { desk async throws in
            for (path, body) in [
                ("/users", #"{"name":"mia","role":"member"}"#), ("/teams", #"{"name":"north"}"#),
                ("/collections", #"{"name":"north"}"#), ("/trackers", #"{"name":"north"}"#),
                ("/users/mia/devices", #"{"name":"phone"}"#),
            ] {
                #expect(try await desk.send(.post, path, as: "admin", body).status == 409, "\(path)")
            }
            for (path, body, pointers) in [
                ("/users", "{}", ["/name", "/role"]),
                ("/users", #"{"name":"a b","role":"boss"}"#, ["/name", "/role"]),
                ("/users", #"{"name":1,"role":"member","rôle":2}"#, ["/name", "/rôle"]),
                ("/users", #"{"name":"new","role":"member","team":"none"}"#, ["/team"]),
                ("/users", #"{"name":"new","role":"member","password":"short"}"#, ["/password"]),
                ("/teams", #"{"name":"new","silenceSeconds":9}"#, ["/silenceSeconds"]),
                (
                    "/trackers", #"{"name":"new","collections":["north","none","north"]}"#,
                    [
                        "/collections/1", "/collections/2",
                    ]
                ),
                ("/keys", #"{"label":"x","user":"nobody"}"#, ["/user"]),
                ("/users", "[]", [""]),
            ] {
                let reply = try await desk.send(.post, path, as: "admin", body)
                #expect(reply.status == 422, "\(body): \(reply.text)")
                #expect(reply.pointers == pointers, "\(body)")
            }
            #expect(try await desk.send(.post, "/users", as: "admin", #"{"name":"a","name":"b"}"#).status == 422)
            #expect(try await desk.send(.post, "/users", as: "admin", "{").status == 400)
            #expect(try await desk.send(.post, "/users", as: "admin", "{}", type: "text/plain").status == 415)
            let large = #"{"name":"\#(String(repeating: "x", count: 20_000))"}"#
            #expect(try await desk.send(.post, "/users", as: "admin", large).status == 413)
        }
    }

    @Test func `lists come in pages that hold each item once`() async throws {
        try await Office().open { desk async throws in
            var names: [String] = []
            var cursor: String?
            repeat {
                let query = "?limit=3" + (cursor.map { "&cursor=\($0)" } ?? "")
                let page = try await desk.send(.get, "/users\(query)", as: "admin").json
                names += page["items"]?.elements?.compactMap { $0["name"]?.string } ?? []
                cursor = page["nextCursor"]?.string
            } while cursor != nil
            #expect(names == Office.people.map(\.name))
            #expect(try await desk.send(.get, "/users?cursor=x", as: "admin").pointers == ["?cursor"])
        }
    }

    @Test func `keys are shown once, listed without their secret, and revoked at once`() async throws {
        try await Office().open { desk async throws in
            let made = try await desk.send(.post, "/keys", as: "mia", #"{"label":"script"}"#)
            #expect(made.status == 201)
            let key = try #require(made.json["key"]?.string)
            let id = try #require(made.json["id"]?.string)
            #expect(try await desk.send(.get, "/session", authorization: "Bearer \(key)").status == 200)
            let list = try await desk.send(.get, "/keys", as: "mia")
            #expect(list.json["items"]?.elements?.count == 2)
            #expect(!list.text.contains("mk_"))
            #expect(try await desk.send(.delete, "/keys/\(id)", as: "sue").status == 404)
            #expect(try await desk.send(.get, "/keys?user=mia", as: "sue").status == 422)
            #expect(try await desk.send(.get, "/keys?user=mia", as: "admin").json["items"]?.elements?.count == 2)
            #expect(try await desk.send(.delete, "/keys/\(id)", as: "mia").status == 204)
            #expect(try await desk.send(.get, "/session", authorization: "Bearer \(key)").status == 401)
        }
    }

    @Test func `a user has at most a hundred devices`() async throws {
        try await Office().open { desk async throws in
            for number in 1...99 {
                #expect(
                    try await desk.send(.post, "/users/mia/devices", as: "mia", #"{"name":"d\#(number)"}"#).status
                        == 201)
            }
            #expect(try await desk.send(.post, "/users/mia/devices", as: "mia", #"{"name":"more"}"#).status == 409)
        }
    }

    @Test func `a leader sees who is safe, a member only itself`() async throws {
        let office = try await Office()
        try await office.open { desk async throws in
            let ring = "[[13.9,45],[14.1,45],[14.1,45.1],[13.9,45.1],[13.9,45]]"
            let region = RegionsTests.feature("yard", ring: ring, properties: #"{"muster":true,"name":"Yard"}"#)
            _ = try await desk.send(.put, "/collections/north/regions/yard", as: "lena", region)
            for secondsAgo in [50.0, 25, 0] {
                let fix = office.report("phone", latitude: 45.05, secondsAgo: secondsAgo)
                _ = try await desk.send(.post, "/positions", as: "mia", fix)
            }
            _ = try await desk.send(.post, "/positions", as: "max", office.report("phone", latitude: 46))
            let safety = try await desk.send(.get, "/teams/north/safety", as: "lena").json
            #expect(
                safety["counts"]?.bytes
                    == Array(
                        #"{"safe":1,"unsafe":1,"unknown":1,"needsHelp":0,"sos":0,"offSite":0,"checking":0}"#.utf8))
            let members = safety["members"]?.elements ?? []
            #expect(members.compactMap { $0["user"]?.string } == ["lena", "mia", "max"])
            let mia = members[1]
            #expect(mia["state"]?.string == "safe")
            #expect(mia["region"]?["name"]?.string == "Yard")
            #expect(mia["device"]?.string == "mia/phone")
            #expect(mia["position"]?["latitude"]?.number == 45.05)
            #expect(members[0]["since"] == nil)
            let own = try await desk.send(.get, "/teams/north/safety", as: "mia").json
            #expect(own["members"]?.elements?.compactMap { $0["user"]?.string } == ["mia"])
        }
    }
}

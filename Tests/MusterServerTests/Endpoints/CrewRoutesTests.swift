import HTTPTypes
import MusterCore
import MusterStore
import MusterWire
import Testing

@testable import MusterServer

/// Crews of a team, the people in them, and what a roll tells of both.
@Suite struct CrewRoutesTests {
    /// Makes Engine 3 of north, with mia and max, who have telephones.
    private func crewNorth(_ desk: Desk) async throws {
        let made = try await desk.send(.post, "/teams/north/crews", as: "lena", #"{"name":"Engine 3"}"#)
        #expect(made.status == 201)
        #expect(made.text == #"{"name":"Engine 3","team":"north","people":0}"#)
        for (name, phone) in [("mia", "+44 7700 900001"), ("max", "+44 7700 900002")] {
            let body = #"{"crew":"Engine 3","phone":"\#(phone)"}"#
            #expect(try await desk.send(.patch, "/users/\(name)", as: "admin", body).status == 200)
        }
    }

    /// What a list of people says of each one: name, crew and telephone number.
    private func people(_ list: JSONValue?) -> [[String]] {
        (list?.elements ?? []).map { person in
            ["user", "crew", "phone"].map { person[$0]?.string ?? "" }
        }
    }

    @Test func `a leader makes, renames and removes crews of the own team, and its people stay`() async throws {
        let office = try await Office()
        try await office.open { desk async throws in
            try await crewNorth(desk)
            #expect(try await desk.send(.post, "/teams/north/crews", as: "lena", #"{"name":"Boat"}"#).status == 201)
            let again = try await desk.send(.post, "/teams/north/crews", as: "lena", #"{"name":"Boat"}"#)
            #expect(again.status == 409)
            let faulty = try await desk.send(.post, "/teams/north/crews", as: "lena", #"{"name":" Boat"}"#)
            #expect(faulty.pointers == ["/name"])
            let listed = try await desk.send(.get, "/teams/north/crews", as: "lena")
            #expect(
                listed.text
                    == #"{"items":[{"name":"Engine 3","team":"north","people":2},"#
                    + #"{"name":"Boat","team":"north","people":0}]}"#)
            let path = "/teams/north/crews/Engine%203"
            let taken = try await desk.send(.patch, path, as: "lena", #"{"name":"Boat"}"#)
            #expect(taken.status == 409)
            let renamed = try await desk.send(.patch, path, as: "lena", #"{"name":"Löschzug/3"}"#)
            #expect(renamed.text == #"{"name":"Löschzug/3","team":"north","people":2}"#)
            #expect(try await desk.send(.get, path, as: "lena").status == 404)
            #expect(try await desk.send(.get, "/users/mia", as: "mia").json["crew"]?.string == "Löschzug/3")
            let gone = try await desk.send(.delete, "/teams/north/crews/L%C3%B6schzug%2F3", as: "lena")
            #expect(gone.status == 204)
            let mia = try await desk.send(.get, "/users/mia", as: "lena").json
            #expect(mia["crew"] == nil && mia["team"]?.string == "north")
            #expect(try office.store.directory().crews.map(\.name) == ["Boat"])
            #expect(try office.store.directory().users.allSatisfy { $0.crew == nil })
        }
    }

    @Test func `a leader puts people of the own team into crews, and changes nothing else about them`() async throws {
        let office = try await Office()
        try await office.open { desk async throws in
            try await crewNorth(desk)
            #expect(try await desk.send(.post, "/teams/south/crews", as: "lars", #"{"name":"Boat"}"#).status == 201)
            let out = try await desk.send(.patch, "/users/mia", as: "lena", #"{"crew":null}"#)
            #expect(out.status == 200 && out.json["crew"] == nil)
            #expect(try await desk.send(.patch, "/users/mia", as: "lena", #"{"crew":"Engine 3"}"#).status == 200)
            for body in [
                #"{"crew":"Engine 3","role":"leader"}"#, #"{"phone":"112"}"#, #"{"team":"south"}"#, #"{"email":null}"#,
            ] {
                #expect(try await desk.send(.patch, "/users/mia", as: "lena", body).status == 403, "\(body)")
            }
            let strange = try await desk.send(.patch, "/users/mia", as: "lena", #"{"crew":"Boat"}"#)
            #expect(strange.pointers == ["/crew"])
            #expect(try await desk.send(.patch, "/users/mia", as: "lars", #"{"crew":null}"#).status == 404)
            let homeless = try await desk.send(.patch, "/users/ann", as: "admin", #"{"crew":"Boat"}"#)
            #expect(homeless.pointers == ["/crew"])
            #expect(try office.user("mia").role == .member)
            // A device's user stays one when a leader puts it into a crew.
            let north = try #require(office.coordinator.directory.teams["north"]).number
            try await office.coordinator.edit(by: nil) { _, draft in
                let number = try draft.transaction.nextUserNumber()
                draft.edits = [
                    .putUser(User(number: number, name: "tag", role: .member, team: north, isImplicit: true))
                ]
            }
            #expect(try await desk.send(.patch, "/users/tag", as: "lena", #"{"crew":"Engine 3"}"#).status == 200)
            #expect(try office.user("tag").isImplicit)
        }
    }

    @Test func `a user made with a team and a crew is in both, and moving to another team ends the crew`()
        async throws
    {
        let office = try await Office()
        try await office.open { desk async throws in
            try await crewNorth(desk)
            let body = #"{"name":"ned","role":"member","team":"north","crew":"Engine 3"}"#
            let made = try await desk.send(.post, "/users", as: "admin", body)
            #expect(made.text == body)
            #expect(try await desk.send(.patch, "/users/ned", as: "admin", #"{"role":"leader"}"#).status == 200)
            #expect(try office.user("ned").crew != nil)
            let moved = try await desk.send(.patch, "/users/ned", as: "admin", #"{"team":"south"}"#)
            #expect(moved.text == #"{"name":"ned","role":"leader","team":"south"}"#)
            let both = try await desk.send(
                .patch, "/users/ned", as: "admin", #"{"crew":"Engine 3","team":"north"}"#)
            #expect(both.json["crew"]?.string == "Engine 3")
            let removed = try await desk.send(.delete, "/teams/north", as: "admin")
            #expect(removed.status == 204)
            #expect(office.coordinator.directory.crews.count == 0)
            #expect(try office.store.directory().users.allSatisfy { $0.crew == nil })
        }
    }

    @Test func `a team has at most a thousand crews`() async throws {
        let office = try await Office()
        try await office.open { desk async throws in
            let north = try #require(office.coordinator.directory.teams["north"]).number
            try await office.coordinator.edit(by: nil) { _, draft in
                for number in 2...Crew.limitPerTeam { _ = try draft.addCrew(named: "c\(number)", to: north) }
            }
            #expect(try await desk.send(.post, "/teams/north/crews", as: "lena", #"{"name":"last"}"#).status == 201)
            let more = try await desk.send(.post, "/teams/north/crews", as: "lena", #"{"name":"more"}"#)
            #expect(more.status == 409)
            let table = "name,team,crew\nana,north,more\nben,north,last\n"
            let imported = try await desk.send(.post, "/user-imports", as: "admin", table, type: "text/csv")
            #expect(imported.json["errors"]?.elements?.map { $0["line"]?.integer } == [2])
            let page = try await desk.send(.get, "/teams/north/crews?limit=999", as: "lena").json
            #expect(page["items"]?.elements?.count == 999)
            let rest = "/teams/north/crews?cursor=\(page["nextCursor"]?.string ?? "")"
            let last = try await desk.send(.get, rest, as: "lena").json["items"]?.elements ?? []
            #expect(last.map { $0["name"]?.string } == ["last"])
        }
    }

    @Test func `each person's crew and number are told to who may see them`() async throws {
        try await Office().open { desk async throws in
            try await crewNorth(desk)
            let all = [
                ["lena", "", ""], ["mia", "Engine 3", "+44 7700 900001"], ["max", "Engine 3", "+44 7700 900002"],
            ]
            for name in ["lena", "admin"] {
                let safety = try await desk.send(.get, "/teams/north/safety", as: name)
                #expect(people(safety.json["members"]) == all, "\(name)")
            }
            let analyst = try await desk.send(.get, "/teams/north/safety", as: "ann")
            #expect(people(analyst.json["members"]) == all.map { [$0[0], $0[1], ""] })
            let mia = try await desk.send(.get, "/teams/north/safety", as: "mia")
            #expect(people(mia.json["members"]) == [all[1]])
        }
    }

    @Test func `a roll counts by crew, and its report stays as it was when the incident closed`() async throws {
        try await Office().open { desk async throws in
            try await crewNorth(desk)
            let started = try await desk.send(.post, "/teams/north/incidents", as: "lena", #"{"kind":"drill"}"#)
            #expect(started.status == 201)
            let declared = try await desk.send(.post, "/users/mia/declarations", as: "mia", #"{"kind":"safe"}"#)
            #expect(declared.status == 200)
            // The crew is that of now while the incident is open.
            let rename = #"{"name":"Engine 7"}"#
            #expect(
                try await desk.send(.patch, "/teams/north/crews/Engine%203", as: "lena", rename).status == 200)
            let open = try await desk.send(.get, "/incidents/1", as: "lena")
            let counts =
                #""crews":[{"crew":"Engine 7","people":2,"accounted":1,"checking":0,"unaccounted":1},"#
                + #"{"people":1,"accounted":0,"checking":0,"unaccounted":1}]"#
            #expect(open.text.contains(counts), "\(open.text)")
            let roll = [
                ["lena", "", ""], ["mia", "Engine 7", "+44 7700 900001"], ["max", "Engine 7", "+44 7700 900002"],
            ]
            #expect(people(open.json["roll"]) == roll)
            let analyst = try await desk.send(.get, "/incidents/1", as: "ann")
            #expect(people(analyst.json["roll"]) == roll.map { [$0[0], $0[1], ""] })
            let mine = try await desk.send(.get, "/incidents/1", as: "mia")
            #expect(people(mine.json["roll"]) == [roll[1]])
            #expect(mine.json["crews"]?.elements?.map { $0["people"]?.integer } == [1])
            let close = #"{"reason":"over"}"#
            #expect(try await desk.send(.post, "/incidents/1/close", as: "lena", close).status == 200)
            #expect(try await desk.send(.delete, "/teams/north/crews/Engine%207", as: "lena").status == 204)
            #expect(try await desk.send(.delete, "/users/max", as: "admin").status == 204)
            let closed = try await desk.send(.get, "/incidents/1/report?format=json", as: "lena")
            #expect(
                people(closed.json["roll"]) == [
                    ["lena", "", ""], ["mia", "Engine 7", ""], ["removed person #4", "Engine 7", ""],
                ])
            #expect(closed.json["crews"]?.elements?.map { $0["people"]?.integer } == [2, 1])
            let table = try await desk.send(.get, "/incidents/1/report?format=csv", as: "lena").text
            #expect(table.contains("Engine 7") && !table.contains("7700"))
            #expect(try await desk.send(.post, "/incidents/1/reopen", as: "lena", close).status == 200)
            let again = try await desk.send(.get, "/incidents/1", as: "lena")
            #expect(people(again.json["roll"]).map { $0[1] } == ["", "", ""])
        }
    }

    @Test func `a person moved to another team is in no crew of the first team's roll`() async throws {
        try await Office().open { desk async throws in
            try await crewNorth(desk)
            #expect(try await desk.send(.post, "/teams/south/crews", as: "lars", #"{"name":"Boat"}"#).status == 201)
            let started = try await desk.send(.post, "/teams/north/incidents", as: "lena", #"{"kind":"drill"}"#)
            #expect(started.status == 201)
            let move = #"{"team":"south","crew":"Boat"}"#
            #expect(try await desk.send(.patch, "/users/max", as: "admin", move).status == 200)
            let roll = try await desk.send(.get, "/incidents/1", as: "lena")
            #expect(people(roll.json["roll"]).last == ["max", "", ""])
            #expect(!roll.text.contains("Boat"))
        }
    }

    @Test func `a change of a crew is in the feed and the audit log of who may list it, and of nobody else`()
        async throws
    {
        let office = try await Office()
        try await office.open { desk async throws in
            let since = office.coordinator.lastSequence.rawValue
            try await crewNorth(desk)
            func crews(_ name: String) async throws -> [String] {
                let changes = try await desk.send(.get, "/changes?since=\(since)", as: name).json["items"]?.elements
                return (changes ?? []).filter { $0["kind"]?.string == "crew" }.compactMap { $0["name"]?.string }
            }
            for name in ["admin", "lena", "ann"] { #expect(try await crews(name) == ["north/Engine 3"], "\(name)") }
            for name in ["mia", "lars", "sue"] { #expect(try await crews(name) == [], "\(name)") }
            let audit = try await desk.send(.get, "/audit", as: "lena").text
            #expect(audit.contains("north/Engine 3"))
            #expect(!(try await desk.send(.get, "/audit", as: "lars").text.contains("Engine 3")))
        }
    }
}

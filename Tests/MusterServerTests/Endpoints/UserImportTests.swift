import HTTPTypes
import MusterCore
import MusterStore
import MusterWire
import NIOCore
import Testing

@testable import MusterServer

/// `POST /user-imports`: many users from one table.
@Suite struct UserImportTests {
    private static let path = "/user-imports"

    /// Sends a table as admin.
    private func importing(_ table: String, _ query: String = "", at desk: Desk) async throws -> Desk.Reply {
        try await desk.send(.post, Self.path + query, as: "admin", table, type: "text/csv")
    }

    /// The faults of an answer, each as `LINE COLUMN: DETAIL`.
    private func faults(_ reply: Desk.Reply) -> [String] {
        (reply.json["errors"]?.elements ?? []).map { fault in
            let column = fault["column"]?.string.map { " " + $0 } ?? ""
            return "\(fault["line"]?.integer ?? 0)\(column): \(fault["detail"]?.string ?? "")"
        }
    }

    @Test func `a table's users are made with their roles, teams, contacts and devices`() async throws {
        let office = try await Office()
        try await office.open { desk async throws in
            let table = """
                \u{FEFF}E-Mail;Name;Role;Team;Phone;Crew\r
                ana@example.org;ana;;west;+49 151 1234567;Engine 3\r
                \r
                ;ben;Leader;west;;Engine 3\r
                ;;;;\r
                " cleo@example.org ";cleo;analyst\r
                ;eve;;north;;Engine 4\r
                ;zed;;north;;Engine 3\r

                """
            let before = office.coordinator.lastSequence
            let made = try await importing(table, "?makeTeams=true&device=phone", at: desk)
            #expect(made.status == 201, "\(made.text)")
            #expect(made.text == #"{"users":5,"teams":1,"crews":3,"devices":5}"#)
            let ana = try await desk.send(.get, "/users/ana", as: "admin")
            #expect(
                ana.text
                    == #"{"name":"ana","role":"member","team":"west","crew":"Engine 3","email":"ana@example.org","#
                    + #""phone":"+49 151 1234567"}"#)
            let ben = try await desk.send(.get, "/users/ben", as: "admin")
            #expect(ben.text == #"{"name":"ben","role":"leader","team":"west","crew":"Engine 3"}"#)
            let cleo = try await desk.send(.get, "/users/cleo", as: "admin")
            #expect(cleo.text == #"{"name":"cleo","role":"analyst","email":"cleo@example.org"}"#)
            #expect(try await desk.send(.get, "/users/ben/devices/phone", as: "admin").status == 200)
            #expect(try await desk.send(.get, "/trackers/west", as: "admin").json["name"]?.string == "west")
            let audit = try office.store.audit(before: nil, limit: 100).filter { $0.sequence > before }
            #expect(audit.count == 15)
            let admin = try office.user("admin").number
            #expect(audit.allSatisfy { $0.author == admin })
            #expect(try office.store.directory().users.first { $0.name == "ana" }?.email == "ana@example.org")
        }
    }

    @Test func `every fault of a table is reported at its line, and nothing is made`() async throws {
        let office = try await Office()
        try await office.open { desk async throws in
            let before = office.coordinator.lastSequence
            let table = """
                name,role,team,email,phone,salary,crew
                ok,member,north,a@b,112,,Engine 3
                a b,boss,none,a.b,12,,
                mia,,,,
                ok,,,,
                ,member,,,
                x,,,,,,,more
                y,"leader"x,,,
                00000000-0000-0000-0000-000000000000,,,,
                z,,two words,,,,Engine 3
                w,,,,,,Engine 3
                v,,north,,,,  Engine  3
                """
            let reply = try await importing(table, at: desk)
            #expect(reply.status == 422)
            let faults = faults(reply)
            let expected = [
                "1 salary: is not a column: they are name, role, team, crew, email, phone",
                "3 name: must be 1 to 64 letters", "3 role: must be one of admin, leader, member, analyst, gateway",
                "3 email: must be one e-mail address", "3 phone: must be 3 to 32", "3 team: there is no team none",
                "4 name: there is a user mia already", "5 name: repeats the name of line 2", "6 name: is required",
                "7: the row has 8 cells, and the header 7", "8 role: has text after the closing quotation mark",
                "9 name: must not have the form of a UUID", "10 team: must be 1 to 64 letters",
                "11 crew: needs a team", "12 crew: must be 1 to 100 visible characters",
            ]
            #expect(faults.count == expected.count, "\(faults)")
            for (fault, beginning) in zip(faults, expected) { #expect(fault.hasPrefix(beginning), "\(fault)") }
            #expect(reply.json["errorCount"]?.integer == Int64(expected.count))
            #expect(reply.pointers.contains("/3/email") && reply.pointers.contains("/7"))
            #expect(reply.json["detail"]?.string == "Nothing was imported: the table has 15 faults.")
            #expect(office.coordinator.lastSequence == before)
            #expect(try await desk.send(.get, "/users/ok", as: "admin").status == 404)
        }
    }

    @Test func `a dry run says what would be made, and makes nothing`() async throws {
        let office = try await Office()
        try await office.open { desk async throws in
            let before = office.coordinator.lastSequence
            let table = "name,team,crew\nana,west,Engine 3\nben,west,Engine 3\n"
            let reply = try await importing(table, "?dryRun=true&makeTeams=true", at: desk)
            #expect(reply.status == 200)
            #expect(reply.text == #"{"users":2,"teams":1,"crews":1,"devices":0}"#)
            #expect(try await importing("name\nmia\n", "?dryRun=true", at: desk).status == 422)
            #expect(office.coordinator.lastSequence == before)
        }
    }

    @Test func `a table without names, another type and too large a body are refused`() async throws {
        try await Office().open { desk async throws in
            #expect(faults(try await importing("", at: desk)) == ["1: there is no header row that names the columns"])
            #expect(
                faults(try await importing("\nemail\n", at: desk))
                    == [
                        "2: there is no column name; the columns are name, role, team, crew, email, phone, "
                            + "displayName"
                    ])
            #expect(faults(try await importing("name,NAME\nana\n", at: desk)) == ["1 NAME: is there twice"])
            #expect(try await importing("name\n", at: desk).text == #"{"users":0,"teams":0,"crews":0,"devices":0}"#)
            for type in ["application/json", "text/plain", ""] {
                #expect(
                    try await desk.send(.post, Self.path, as: "admin", "name\nana\n", type: type).status == 415)
            }
            let device = try await importing("name\nana\n", "?device=a%20b", at: desk)
            #expect(device.pointers == ["?device"])
            let large = ByteBuffer(repeating: UInt8(ascii: "\n"), count: (32 << 20) + 1)
            let reply = try await desk.send(
                .post, Self.path, authorization: "Bearer \(desk.office.keys["admin"] ?? "")", body: large,
                type: "text/csv")
            #expect(reply.status == 413)
        }
    }

    @Test func `the first thousand faults are listed, and all are counted`() async throws {
        try await Office().open { desk async throws in
            let table = "name\n" + String(repeating: "a b\n", count: 1_500) + "mia\n"
            let reply = try await importing(table, at: desk)
            #expect(reply.json["errors"]?.elements?.count == 1_000)
            #expect(reply.json["errorCount"]?.integer == 1_501)
        }
    }

    @Test func `a table of more than 200,000 rows is refused`() async throws {
        try await Office().open { desk async throws in
            let reply = try await importing("name\n" + String(repeating: ",\n", count: 200_001), at: desk)
            #expect(faults(reply).last?.hasPrefix("200002: these are more than 200000 rows") == true)
        }
    }

    @Test func `a name that a device's user has is freed for the person, as when one user is made`() async throws {
        let office = try await Office()
        try await office.open { desk async throws in
            let north = try #require(office.coordinator.directory.teams["north"])
            try await office.coordinator.edit(by: nil) { _, draft in
                let number = try draft.transaction.nextUserNumber()
                draft.edits = [
                    .putUser(User(number: number, name: "tag", role: .member, team: north.number, isImplicit: true))
                ]
            }
            let both = try await importing("name\ntag\ntag@north\n", at: desk)
            #expect(faults(both).map { String($0.prefix(7)) } == ["2 name:"])
            #expect(try await importing("name\ntag\n", at: desk).status == 201)
            #expect(try office.user("tag@north").isImplicit)
            #expect(try !office.user("tag").isImplicit)
        }
    }

    @Test func `a user who is called import is served like any other`() async throws {
        try await Office().open { desk async throws in
            #expect(try await importing("name\nimport\n", at: desk).status == 201)
            #expect(try await desk.send(.get, "/users/import", as: "admin").status == 200)
            #expect(try await desk.send(.get, "/users/import/declarations", as: "admin").status == 200)
        }
    }
}

extension UserImportTests {
    @Test func `a table has display names, under either title, and their faults by line`() async throws {
        let office = try await Office()
        try await office.open { desk async throws in
            let faulty = try await importing(
                "Display name,name\nFine,fine\n\"a\nb\",two\n\(String(repeating: "x", count: 101)),three\n", at: desk)
            #expect(faulty.status == 422)
            #expect(faulty.text.contains("displayName") && faulty.text.contains("must be 1 to 100 characters"))
            let made = try await importing("name,displayName\nned,  Ned Olé \nnel,\n", at: desk)
            #expect(made.status == 201)
            #expect(try office.user("ned").displayName == "Ned Olé")
            #expect(try office.user("nel").displayName == nil)
        }
    }
}

/// E-mail addresses and telephone numbers of users.
@Suite struct UserContactTests {
    private static let contacts = #""email":"sue@example.org","phone":"+49 30 555 01""#

    @Test func `contacts are set with a user, changed and removed by a patch, and checked`() async throws {
        try await Office().open { desk async throws in
            let made = try await desk.send(
                .post, "/users", as: "admin", #"{"name":"ned","role":"member","email":"ned@b","phone":null}"#)
            #expect(made.text == #"{"name":"ned","role":"member","email":"ned@b"}"#)
            let changed = try await desk.send(.patch, "/users/ned", as: "admin", #"{"phone":"+49 30 5550101"}"#)
            #expect(changed.text == #"{"name":"ned","role":"member","email":"ned@b","phone":"+49 30 5550101"}"#)
            let removed = try await desk.send(.patch, "/users/ned", as: "admin", #"{"email":null}"#)
            #expect(removed.text == #"{"name":"ned","role":"member","phone":"+49 30 5550101"}"#)
            let other = try await desk.send(.patch, "/users/ned", as: "admin", #"{"role":"analyst"}"#)
            #expect(other.json["phone"]?.string == "+49 30 5550101")
            let faulty = try await desk.send(.patch, "/users/ned", as: "admin", #"{"email":"a@b, c@d","phone":"1"}"#)
            #expect(faulty.pointers == ["/email", "/phone"])
            #expect(try await desk.send(.patch, "/users/mia", as: "mia", #"{"phone":"112"}"#).status == 403)
        }
    }

    @Test func `contacts are shown to the person, the team's leader and admins, and on no other route to anyone else`()
        async throws
    {
        let office = try await Office()
        try await office.open { desk async throws in
            let set = try await desk.send(.patch, "/users/sue", as: "admin", "{\(Self.contacts)}")
            #expect(set.status == 200)
            for (name, path) in [
                ("admin", "/users/sue"), ("lars", "/users/sue"), ("sue", "/users/sue"), ("sue", "/session"),
                ("lars", "/users"),
            ] {
                #expect(try await desk.send(.get, path, as: name).text.contains(Self.contacts), "\(name) \(path)")
            }
            let token = try await office.identity.makeDeviceToken(for: try office.phone(of: "sue").number)
            let strangers = ["mia", "lena", "ann", "gus"].compactMap { office.keys[$0] } + [token]
            for line in RouteWalkTests.admitted.keys.sorted() where line.hasPrefix("GET ") && !line.hasSuffix("/live") {
                let path = RouteWalkTests.path(String(line.dropFirst(4)), user: "sue", team: "south")
                for key in strangers {
                    let reply = try await desk.send(.get, path, authorization: "Bearer \(key)")
                    #expect(!reply.text.contains("sue@") && !reply.text.contains("555 01"), "\(line)")
                }
            }
        }
    }
}

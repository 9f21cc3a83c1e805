import HTTPTypes
import MusterCore
import MusterStore
import MusterWire
import Testing

@testable import MusterServer

/// The names by which people are called, beside those by which they sign in.
@Suite struct DisplayNameTests {
    @Test func `a display name is set with a user, trimmed, changed and removed, and checked`() async throws {
        try await Office().open { desk async throws in
            let made = try await desk.send(
                .post, "/users", as: "admin", #"{"name":"ned","role":"member","displayName":"  Ned Olé "}"#)
            #expect(made.text == #"{"name":"ned","displayName":"Ned Olé","role":"member"}"#)
            let other = try await desk.send(.patch, "/users/ned", as: "admin", #"{"phone":"112"}"#)
            #expect(other.json["displayName"]?.string == "Ned Olé")
            let removed = try await desk.send(.patch, "/users/ned", as: "admin", #"{"displayName":null}"#)
            #expect(removed.text == #"{"name":"ned","role":"member","phone":"112"}"#)
            for name in ["", "  ", #"a\nb"#, #"a\u202Eb"#, #"a\u0000"#, String(repeating: "x", count: 101)] {
                let faulty = try await desk.send(.patch, "/users/ned", as: "admin", #"{"displayName":"\#(name)"}"#)
                #expect(faulty.status == 422 && faulty.pointers == ["/displayName"], "\(name)")
            }
            let wrong = try await desk.send(.patch, "/users/ned", as: "admin", #"{"displayName":7}"#)
            #expect(wrong.pointers == ["/displayName"])
        }
    }

    @Test func `nobody but an admin changes a display name, not even the own one`() async throws {
        try await Office().open { desk async throws in
            for name in ["mia", "lena", "ann", "gus"] {
                let reply = try await desk.send(.patch, "/users/\(name)", as: name, #"{"displayName":"Boss"}"#)
                #expect(reply.status == 403, "\(name)")
            }
            #expect(try await desk.send(.patch, "/users/mia", as: "lena", #"{"displayName":"Boss"}"#).status == 403)
            let mia = try await desk.send(.get, "/users/mia", as: "admin").json
            #expect(mia["displayName"] == nil)
        }
    }

    @Test func `the roll of a closed incident keeps the names that its people and leaders had when it closed`()
        async throws
    {
        try await Office().open { desk async throws in
            func name(_ user: String, _ displayName: String) async throws {
                let body = #"{"displayName":"\#(displayName)"}"#
                #expect(try await desk.send(.patch, "/users/\(user)", as: "admin", body).status == 200)
            }
            func roll(_ number: Int64) async throws -> (people: [String?], leader: String?) {
                let roll = try await desk.send(.get, "/incidents/\(number)", as: "lena").json
                let people = (roll["roll"]?.elements ?? []).filter { $0["user"]?.string == "mia" }
                return (people.map { $0["displayName"]?.string }, roll["displayNames"]?["lena"]?.string)
            }
            try await name("mia", "Mia Berg")
            try await name("lena", "Lena Ø")
            let started = try await desk.send(.post, "/teams/north/incidents", as: "lena", #"{"kind":"drill"}"#)
            #expect(started.json["displayNames"]?["lena"]?.string == "Lena Ø")
            let number = try #require(started.json["number"]?.integer)
            try await name("mia", "Mia Lund")
            #expect(try await roll(number) == (["Mia Lund"], "Lena Ø"))
            let closed = try await desk.send(
                .post, "/incidents/\(number)/close", as: "lena", #"{"reason":"over"}"#)
            #expect(closed.status == 200)
            try await name("mia", "Somebody Else")
            try await name("lena", "Another Leader")
            #expect(try await roll(number) == (["Mia Lund"], "Lena Ø"))
            let page = try await desk.send(.get, "/incidents/\(number)/report?format=html", as: "lena").text
            #expect(page.contains("<bdi>Mia Lund</bdi> (mia)") && page.contains("by <bdi>Lena Ø</bdi> (lena)"))
            #expect(!page.contains("Somebody") && !page.contains("Another"))
            let table = try await desk.send(.get, "/incidents/\(number)/report?format=csv", as: "lena").text
            #expect(table.contains(",mia,") && table.contains(",Mia Lund\r\n"))
        }
    }

    @Test func `somebody who is removed during an incident keeps the display name on its roll`() async throws {
        try await Office().open { desk async throws in
            let named = try await desk.send(.patch, "/users/mia", as: "admin", #"{"displayName":"Mia Berg"}"#)
            #expect(named.status == 200)
            let started = try await desk.send(.post, "/teams/north/incidents", as: "lena", #"{"kind":"drill"}"#)
            let number = try #require(started.json["number"]?.integer)
            #expect(try await desk.send(.delete, "/users/mia", as: "admin").status == 204)
            func name() async throws -> [String?] {
                let roll = try await desk.send(.get, "/incidents/\(number)", as: "lena").json["roll"]?.elements ?? []
                return roll.filter { $0["user"]?.string == "mia" }.map { $0["displayName"]?.string }
            }
            #expect(try await name() == ["Mia Berg"])
            let body = #"{"name":"mia","role":"leader","team":"north","displayName":"Mia Two"}"#
            #expect(try await desk.send(.post, "/users", as: "admin", body).status == 201)
            #expect(try await name().contains("Mia Berg"))
            let path = "/incidents/\(number)"
            #expect(try await desk.send(.post, "\(path)/handover", as: "lena", #"{"to":"mia"}"#).status == 200)
            for isOpen in [true, false] {
                if !isOpen { _ = try await desk.send(.post, "\(path)/close", as: "lena", #"{"reason":"over"}"#) }
                #expect(try await name().first == "Mia Berg")
                let roll = try await desk.send(.get, path, as: "lena").json
                #expect(roll["displayNames"]?["mia"]?.string == "Mia Two")
                // Whoever acts is the second one of this name, and the first one stands on the roll.
                let page = try await desk.send(.get, "\(path)/report?format=html", as: "lena").text
                #expect(page.contains("to <bdi>Mia Two</bdi> (mia)") && !page.contains("to <bdi>Mia Berg</bdi>"))
                #expect(page.contains("<td><bdi>Mia Berg</bdi> (mia)</td>"))
            }
        }
    }

    @Test func `the display names of who is removed after an incident closed go from its roll and its report`()
        async throws
    {
        try await Office().open { desk async throws in
            for (user, name) in [("mia", "Mia Berg"), ("lena", "Lena Ø"), ("max", "Max Ek")] {
                let named = try await desk.send(
                    .patch, "/users/\(user)", as: "admin", #"{"displayName":"\#(name)"}"#)
                #expect(named.status == 200)
            }
            let started = try await desk.send(.post, "/teams/north/incidents", as: "lena", #"{"kind":"drill"}"#)
            let path = "/incidents/\(try #require(started.json["number"]?.integer))"
            _ = try await desk.send(.post, "/users/mia/declarations", as: "lena", #"{"kind":"safe"}"#)
            #expect(try await desk.send(.post, "\(path)/close", as: "lena", #"{"reason":"over"}"#).status == 200)
            for user in ["mia", "lena"] {
                #expect(try await desk.send(.delete, "/users/\(user)", as: "admin").status == 204)
            }
            let roll = try await desk.send(.get, path, as: "admin").json
            let people = (roll["roll"]?.elements ?? []).map { ($0["user"]?.string ?? "", $0["displayName"]?.string) }
            #expect(people.count == 3 && people.filter { $0.0.hasPrefix("removed person #") }.count == 2)
            #expect(people.compactMap(\.1) == ["Max Ek"])
            #expect(roll["displayNames"] == nil)
            for form in ["json", "csv", "html"] {
                let report = try await desk.send(.get, "\(path)/report?format=\(form)", as: "admin").text
                #expect(report.contains("Max Ek") && report.contains("removed person #"), "\(form)")
                #expect(!report.contains("Mia") && !report.contains("Lena"), "\(form)")
            }
            // What is stored goes, too.
            let stored = try desk.office.store.displayNames(of: IncidentNumber(1))
            #expect(stored.values.sorted() == ["Max Ek"])
        }
    }

    @Test func `a closed incident keeps the names of all who led it, also of who is not on its roll`() async throws {
        try await Office().open { desk async throws in
            func name(_ displayName: String) async throws {
                let body = #"{"displayName":"\#(displayName)"}"#
                #expect(try await desk.send(.patch, "/users/admin", as: "admin", body).status == 200)
            }
            try await name("Ada Min")
            let started = try await desk.send(.post, "/teams/north/incidents", as: "lena", #"{"kind":"drill"}"#)
            let path = "/incidents/\(try #require(started.json["number"]?.integer))"
            for (author, leader) in [("lena", "admin"), ("admin", "lena")] {
                let body = #"{"to":"\#(leader)"}"#
                #expect(try await desk.send(.post, "\(path)/handover", as: author, body).status == 200)
            }
            #expect(try await desk.send(.post, "\(path)/close", as: "lena", #"{"reason":"over"}"#).status == 200)
            try await name("Another")
            let roll = try await desk.send(.get, path, as: "lena").json
            #expect(roll["displayNames"]?["admin"]?.string == "Ada Min")
            let page = try await desk.send(.get, "\(path)/report?format=html", as: "lena").text
            #expect(page.contains("to <bdi>Ada Min</bdi> (admin)") && !page.contains("Another"))
        }
    }

    @Test func `messages name a person by both names, and keep a name that is written from right to left to itself`() {
        var directory = Directory()
        for (number, name) in [(1, "Ana Ruiz"), (2, "דנה כהן"), (3, nil)] as [(Int32, String?)] {
            directory.apply(
                .putUser(
                    User(number: UserNumber(number), name: "u\(number)", role: .member, team: nil, displayName: name)))
        }
        #expect(directory.spokenName(of: UserNumber(1)) == "Ana Ruiz (u1)")
        #expect(directory.spokenName(of: UserNumber(2)) == "\u{2068}דנה כהן\u{2069} (u2)")
        #expect(directory.spokenName(of: UserNumber(3)) == "u3")
        #expect(directory.spokenName(of: UserNumber(9)) == "#9")
    }
}

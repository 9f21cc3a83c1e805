import HTTPTypes
import MusterCore
import MusterStore
import MusterTestSupport
import MusterWire
import NIOCore
import Testing

@testable import MusterServer

/// Links: rights without an account, which end at their time, with their giver's right, and when they are withdrawn.
@Suite struct LinkTests {
    /// A person's link of lena's about mia, for an hour.
    private static let aboutMia = #"{"kind":"person","user":"mia","expiresSeconds":3600,"note":"for the hospital"}"#

    /// Gives a link, and returns the answer with the token in its URL.
    private func give(_ body: String, as name: String = "lena", at desk: Desk) async throws -> (
        reply: Desk.Reply, token: String
    ) {
        let reply = try await desk.send(.post, "/links", as: name, body)
        try #require(reply.status == 201, "\(reply.text)")
        let url = try #require(reply.json["url"]?.string)
        return (reply, String(try #require(url.split(separator: "#").last)))
    }

    private func see(_ token: String, at desk: Desk, _ headers: HTTPFields = [:]) async throws -> Desk.Reply {
        try await desk.send(.get, "/shared", authorization: "Bearer \(token)", headers: headers)
    }

    @Test func `a link's token is stored as a digest, and listed nowhere`() async throws {
        try await Office().open { desk in
            let (reply, token) = try await give(Self.aboutMia, at: desk)
            #expect(reply.json["url"]?.string?.hasSuffix("/console/share/#\(token)") == true)
            let stored = try desk.office.store.credentials(.link)
            #expect(stored.map(\.key) == [TokenDigest(of: token).bytes])
            #expect(stored.allSatisfy { !String(decoding: $0.secret, as: UTF8.self).contains(token) })
            for path in ["/links", "/audit", "/changes"] {
                let listed = try await desk.send(.get, path, as: "lena")
                #expect(listed.status == 200 && !listed.text.contains(token), "\(path)")
                #expect(listed.text.contains(try #require(reply.json["link"]?.string)), "\(path)")
            }
        }
    }

    @Test func `a person's link shows the person's state and place, and nothing else`() async throws {
        let office = try await Office()
        try await office.open { desk in
            let (_, token) = try await give(Self.aboutMia, at: desk)
            _ = try await desk.send(.post, "/positions", as: "mia", office.report("mia/phone"))
            let shown = try await see(token, at: desk)
            #expect(shown.json.members?.map(\.key) == ["kind", "expiresTime", "person", "asOf", "serverTime"])
            let person = try #require(shown.json["person"])
            #expect(
                person.members?.map(\.key)
                    == ["name", "state", "since", "source", "showsSafety", "lastHeard", "position"])
            #expect(person["name"]?.string == "mia" && person["position"]?["latitude"]?.number == 45)
            #expect(person["position"]?["sampleTime"]?.string == office.clock.now.rfc3339)
            #expect(shown.headers[.cacheControl] == "no-store")
            #expect(shown.headers[HTTPField.Name("Referrer-Policy")!] == "no-referrer")
            for path in ["/users", "/positions", "/changes", "/session", "/links", "/teams/north/safety"] {
                let other = try await desk.send(.get, path, authorization: "Bearer \(token)")
                let unknown = try await desk.send(.get, path, authorization: "Bearer ms_unknown")
                #expect(other.status == 401 && other.text == unknown.text, "\(path)")
            }
            for path in ["/shared/visitors", "/shared/password"] {
                let reply = try await desk.send(.post, path, "{}", authorization: "Bearer \(token)")
                #expect(reply.status == 404, "\(path)")
            }
        }
    }

    @Test func `a link is over at its second, and its end looks as if it had never been`() async throws {
        let office = try await Office()
        try await office.open { desk in
            let (_, token) = try await give(#"{"kind":"person","user":"mia","expiresSeconds":60}"#, at: desk)
            office.clock.advance(bySeconds: 59.999)
            #expect(try await see(token, at: desk).status == 200)
            office.clock.advance(bySeconds: 0.001)
            let over = try await see(token, at: desk)
            #expect(over.status == 401)
            #expect(over.text == (try await see(SecretToken(.link).text, at: desk)).text)
            #expect(try await desk.send(.get, "/links", as: "lena").json["items"]?.elements?.isEmpty == true)
            #expect(try await office.identity.removeExpiredCredentials() == 1)
            #expect(try office.store.credentials(.link).isEmpty)
            #expect(try await see(token, at: desk).text == over.text)
        }
    }

    @Test func `a withdrawn link is dead at once, and its withdrawal is in the audit log`() async throws {
        try await Office().open { desk in
            let (reply, token) = try await give(Self.aboutMia, at: desk)
            let id = try #require(reply.json["link"]?.string)
            #expect(try await see(token, at: desk).status == 200)
            #expect(try await desk.send(.delete, "/links/\(id)", as: "lars").status == 404)
            #expect(try await desk.send(.delete, "/links/\(id)", as: "lena").status == 204)
            #expect(try await see(token, at: desk).status == 401)
            #expect(try await desk.send(.delete, "/links/\(id)", as: "lena").status == 404)
            let audit = try await desk.send(.get, "/audit", as: "lena").json["items"]?.elements ?? []
            #expect(audit.compactMap { $0["change"]?["kind"]?.string } == ["linkEnded", "linkMade"])
            #expect(audit.allSatisfy { $0["author"]?.string == "lena" && $0["change"]?["user"]?.string == "mia" })
        }
    }

    /// What an admin does to lena, to mia or to team north, and so ends what lena gave.
    static let ends: [(method: HTTPRequest.Method, path: String, body: String?)] = [
        (.patch, "/users/lena", #"{"role":"member"}"#), (.patch, "/users/lena", #"{"team":"south"}"#),
        (.delete, "/users/lena", nil), (.patch, "/users/mia", #"{"team":"south"}"#), (.delete, "/users/mia", nil),
    ]

    @Test(arguments: ends.indices)
    func `a link ends with its giver's right, for good`(_ index: Int) async throws {
        let (method, path, body) = Self.ends[index]
        try await Office().open { desk in
            let (_, token) = try await give(Self.aboutMia, at: desk)
            #expect(try await see(token, at: desk).status == 200)
            let reply = try await desk.send(method, path, as: "admin", body)
            #expect(reply.status < 300, "\(reply.text)")
            #expect(try desk.office.store.credentials(.link).isEmpty)
            #expect(try await see(token, at: desk).status == 401)
            guard method == .patch else { return }
            let back = path.hasSuffix("lena") ? #"{"role":"leader","team":"north"}"# : #"{"team":"north"}"#
            #expect(try await desk.send(.patch, path, as: "admin", back).status == 200)
            #expect(try await see(token, at: desk).status == 401)
        }
    }

    @Test func `a person who is moved is shown by no link from before, not even an admin's`() async throws {
        try await Office().open { desk in
            let (_, token) = try await give(Self.aboutMia, as: "admin", at: desk)
            #expect(try await desk.send(.patch, "/users/mia", as: "admin", #"{"team":"south"}"#).status == 200)
            #expect(try await see(token, at: desk).status == 401)
        }
    }

    @Test func `links about a team end when the team is removed`() async throws {
        try await Office().open { desk in
            let started = try await desk.send(.post, "/teams/north/incidents", as: "lena", #"{"kind":"drill"}"#)
            let number = try #require(started.json["number"]?.integer)
            let bodies = [
                #"{"kind":"incident","incident":\#(number),"expiresSeconds":600}"#,
                #"{"kind":"visitors","team":"north","expiresSeconds":600}"#,
            ]
            var tokens: [String] = []
            for body in bodies { tokens.append(try await give(body, as: "admin", at: desk).token) }
            for token in tokens { #expect(try await see(token, at: desk).status == 200) }
            for name in ["lena", "mia", "max"] {
                #expect(try await desk.send(.patch, "/users/\(name)", as: "admin", #"{"team":null}"#).status == 200)
            }
            let over = try await desk.send(.post, "/incidents/\(number)/close", as: "admin", #"{"reason":"over"}"#)
            #expect(over.status == 200)
            #expect(try await desk.send(.delete, "/teams/north", as: "admin").status == 204)
            for token in tokens { #expect(try await see(token, at: desk).status == 401) }
        }
    }

    @Test func `a leader gives links about the own team, and invites only who has no password`() async throws {
        try await Office().open { desk in
            let added = #"{"name":"new","role":"member","team":"north"}"#
            #expect(try await desk.send(.post, "/users", as: "admin", added).status == 201)
            let asked: [(name: String, kind: String, subject: String, status: Int)] = [
                ("lena", "person", #""user":"sue""#, 422), ("lena", "person", #""user":"nobody""#, 422),
                ("admin", "person", #""user":"gus""#, 403), ("lena", "visitors", #""team":"south""#, 422),
                ("lena", "incident", #""incident":1"#, 422), ("lena", "invitation", #""user":"lena""#, 403),
                ("lena", "invitation", #""user":"admin""#, 422), ("lena", "invitation", #""user":"mia""#, 409),
                ("lena", "invitation", #""user":"new""#, 201), ("admin", "invitation", #""user":"mia""#, 201),
            ]
            for (name, kind, subject, status) in asked {
                let body = #"{"kind":"\#(kind)",\#(subject),"expiresSeconds":600}"#
                let reply = try await desk.send(.post, "/links", as: name, body)
                #expect(reply.status == status, "\(name): \(body)")
            }
        }
    }

    @Test func `an invitation sets the password once, and ends with any other new password`() async throws {
        try await Office().open { desk in
            let body = #"{"kind":"invitation","user":"mia","expiresSeconds":600}"#
            let (_, first) = try await give(body, as: "admin", at: desk)
            let (_, second) = try await give(body, as: "admin", at: desk)
            let opened = try await desk.send(
                .post, "/session", #"{"name":"mia","password":"\#(Office.password(of: "mia"))"}"#)
            let session = "Bearer \(opened.json["accessToken"]?.string ?? "")"
            #expect(try await desk.send(.get, "/session", authorization: session).status == 200)
            #expect(try await see(first, at: desk).json["user"]?.string == "mia")
            func set(_ password: String, by token: String) async throws -> Int {
                try await desk.send(
                    .post, "/shared/password", #"{"password":"\#(password)"}"#, authorization: "Bearer \(token)"
                ).status
            }
            #expect(try await set("short", by: first) == 422)
            #expect(try await set("a password of mia's", by: first) == 204)
            #expect(try await set("another password", by: first) == 401)
            #expect(try await set("another password", by: second) == 401)
            #expect(try await desk.send(.get, "/session", authorization: session).status == 401)
            let signIn = #"{"name":"mia","password":"a password of mia's"}"#
            #expect(try await desk.send(.post, "/session", signIn).status == 200)
            let audit = try await desk.send(.get, "/audit", as: "admin").json["items"]?.elements ?? []
            let kinds = audit.compactMap { $0["change"]?["kind"]?.string }.filter { $0.hasPrefix("link") }
            #expect(kinds.sorted() == ["linkEnded", "linkMade", "linkMade", "linkUsed"])
        }
    }

    @Test func `an answer is rendered anew only for a change, and 304 says that there is none`() async throws {
        let office = try await Office()
        try await office.open { desk in
            let (_, token) = try await give(Self.aboutMia, at: desk)
            let tag = try #require(try await see(token, at: desk).headers[.eTag])
            let same = try await see(token, at: desk, [.ifNoneMatch: tag])
            #expect(same.status == 304 && same.body.readableBytes == 0)
            #expect(try await see(token, at: desk, [.ifNoneMatch: "W/\"other\""]).status == 200)
        }
    }

    @Test func `unknown tokens are slowed down, and a known link that has ended counts as no guess`() async throws {
        let office = try await Office()
        try await office.open { desk in
            let (_, good) = try await give(Self.aboutMia, at: desk)
            let (ended, dead) = try await give(Self.aboutMia, at: desk)
            #expect(try await see(dead, at: desk).status == 200)
            let id = try #require(ended.json["link"]?.string)
            #expect(try await desk.send(.delete, "/links/\(id)", as: "lena").status == 204)
            for _ in 0..<40 { #expect(try await see(dead, at: desk).status == 401) }
            var statuses: [Int] = []
            for _ in 0..<15 { statuses.append(try await see(SecretToken(.link).text, at: desk).status) }
            #expect(statuses.first == 401 && statuses.last == 429)
            #expect(try await see(good, at: desk).status == 200)
        }
    }

    @Test func `a giver has a hundred open links at most, and expired ones do not count`() async throws {
        let office = try await Office()
        let lena = Author(user: try office.user("lena").number)
        let mia = try office.user("mia")
        let purpose = Link.Purpose(.person, user: mia.number, team: mia.team)
        for _ in 0..<Identity.linkLimit {
            _ = try await office.identity.makeLink(for: purpose, lasting: 60, note: "", by: lena)
        }
        await #expect(throws: IdentityError.tooMany("open links of lena", limit: 100)) {
            _ = try await office.identity.makeLink(for: purpose, lasting: 60, note: "", by: lena)
        }
        office.clock.advance(bySeconds: 60)
        _ = try await office.identity.makeLink(for: purpose, lasting: 60, note: "", by: lena)
        try await office.coordinator.close()
    }
}

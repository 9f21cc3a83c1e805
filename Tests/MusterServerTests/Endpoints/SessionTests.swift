import HTTPTypes
import MusterCoding
import MusterCore
import MusterWire
import Testing

@testable import MusterServer

@Suite struct SessionTests {
    @Test func `signing in gives tokens, and the access token identifies the user`() async throws {
        try await Office().open { desk in
            let session = try await desk.send(
                .post, "/session", #"{"name":"mia","password":"\#(Office.password(of: "mia"))"}"#)
            #expect(session.status == 200)
            #expect(session.headers[.cacheControl] == "no-store")
            #expect(session.json["tokenType"]?.string == "Bearer")
            #expect(session.json["expiresIn"]?.integer == 900)
            let token = try #require(session.json["accessToken"]?.string)
            let me = try await desk.send(.get, "/session", authorization: "Bearer \(token)")
            #expect(me.text == #"{"user":{"name":"mia","role":"member","team":"north"}}"#)
        }
    }

    @Test func `an unknown name and a wrong password get the same answer`() async throws {
        try await Office().open { desk in
            let unknown = try await desk.send(.post, "/session", #"{"name":"nobody","password":"guess guess"}"#)
            let wrong = try await desk.send(.post, "/session", #"{"name":"mia","password":"guess guess"}"#)
            #expect(unknown.status == 401)
            #expect(wrong.status == 401)
            #expect(unknown.text == wrong.text)
            #expect(!wrong.text.contains("guess"))
        }
    }

    @Test func `a refresh token is good until a newer one is used, and then ends the session`() async throws {
        try await Office().open { desk in
            let first = try await desk.send(
                .post, "/session", #"{"name":"mia","password":"\#(Office.password(of: "mia"))"}"#)
            let old = try #require(first.json["refreshToken"]?.string)
            let second = try await desk.send(.post, "/session/refresh", #"{"refreshToken":"\#(old)"}"#)
            #expect(second.status == 200)
            let lost = try #require(second.json["refreshToken"]?.string)
            let again = try await desk.send(.post, "/session/refresh", #"{"refreshToken":"\#(old)"}"#)
            let shown = try #require(again.json["refreshToken"]?.string)
            #expect(shown != lost)
            let third = try await desk.send(.post, "/session/refresh", #"{"refreshToken":"\#(shown)"}"#)
            let new = try #require(third.json["refreshToken"]?.string)
            let access = try #require(third.json["accessToken"]?.string)
            #expect(try await desk.send(.get, "/session", authorization: "Bearer \(access)").status == 200)
            #expect(try await desk.send(.post, "/session/refresh", #"{"refreshToken":"\#(old)"}"#).status == 401)
            #expect(try await desk.send(.post, "/session/refresh", #"{"refreshToken":"\#(new)"}"#).status == 401)
            #expect(try await desk.send(.get, "/session", authorization: "Bearer \(access)").status == 401)
        }
    }

    @Test func `signing out ends the refresh token and the access token`() async throws {
        try await Office().open { desk in
            let session = try await desk.send(
                .post, "/session", #"{"name":"mia","password":"\#(Office.password(of: "mia"))"}"#)
            let refresh = try #require(session.json["refreshToken"]?.string)
            let bearer = "Bearer \(try #require(session.json["accessToken"]?.string))"
            let stranger = try await desk.send(.delete, "/session", as: "sue", #"{"refreshToken":"\#(refresh)"}"#)
            #expect(stranger.status == 204)
            #expect(try await desk.send(.get, "/session", authorization: bearer).status == 200)
            let out = try await desk.send(
                .delete, "/session", #"{"refreshToken":"\#(refresh)"}"#, authorization: bearer)
            #expect(out.status == 204)
            #expect(try await desk.send(.get, "/session", authorization: bearer).status == 401)
            #expect(try await desk.send(.post, "/session/refresh", #"{"refreshToken":"\#(refresh)"}"#).status == 401)
        }
    }

    @Test func `a one-time code signs in once`() async throws {
        let office = try await Office()
        let code = office.identity.issueCode(for: try office.user("lena").number)
        try await office.open { desk in
            let first = try await desk.send(.post, "/session", #"{"code":"\#(code)"}"#)
            #expect(first.json["user"]?["name"]?.string == "lena")
            #expect(try await desk.send(.post, "/session", #"{"code":"\#(code)"}"#).status == 401)
        }
    }

    @Test func `guessing is slowed down, and the answer says when to retry`() async throws {
        let attempts = AttemptLimiter(name: .init(tries: 3, perSecond: 0.1))
        let office = try await Office(attempts: attempts)
        try await office.open { desk in
            for _ in 0..<3 {
                #expect(try await desk.send(.post, "/session", #"{"name":"mia","password":"wrong one"}"#).status == 401)
            }
            let right = #"{"name":"mia","password":"\#(Office.password(of: "mia"))"}"#
            let refused = try await desk.send(.post, "/session", right)
            #expect(refused.status == 429)
            #expect(refused.headers[.retryAfter] == "10")
            office.clock.advance(bySeconds: 10)
            #expect(try await desk.send(.post, "/session", right).status == 200)
        }
    }

    @Test func `a new password ends the sessions, and the old password's Basic credentials`() async throws {
        try await Office().open { desk in
            let old = Office.password(of: "mia")
            let session = try await desk.send(.post, "/session", #"{"name":"mia","password":"\#(old)"}"#)
            let bearer = "Bearer \(try #require(session.json["accessToken"]?.string))"
            let basic = "Basic \(MusterCoding.Base64.encode(Array("mia:\(old)".utf8)))"
            #expect(try await desk.send(.get, "/session", authorization: bearer).status == 200)
            #expect(try await desk.send(.get, "/session", authorization: basic).status == 200)
            let guess = try await desk.send(
                .put, "/users/mia/password", #"{"password":"a better one","currentPassword":"no idea"}"#,
                authorization: bearer)
            #expect(guess.status == 422)
            #expect(guess.pointers == ["/currentPassword"])
            let change = try await desk.send(
                .put, "/users/mia/password", #"{"password":"a better one","currentPassword":"\#(old)"}"#,
                authorization: bearer)
            #expect(change.status == 204)
            #expect(try await desk.send(.get, "/session", authorization: bearer).status == 401)
            #expect(try await desk.send(.get, "/session", authorization: basic).status == 401)
            #expect(
                try await desk.send(.post, "/session", #"{"name":"mia","password":"a better one"}"#).status == 200)
        }
    }

    @Test func `access tokens expire after a quarter of an hour, sessions after thirty days`() async throws {
        let office = try await Office()
        try await office.open { desk in
            let session = try await desk.send(
                .post, "/session", #"{"name":"mia","password":"\#(Office.password(of: "mia"))"}"#)
            let bearer = "Bearer \(try #require(session.json["accessToken"]?.string))"
            let refresh = try #require(session.json["refreshToken"]?.string)
            office.clock.advance(bySeconds: 899)
            #expect(try await desk.send(.get, "/session", authorization: bearer).status == 200)
            office.clock.advance(bySeconds: 1)
            #expect(try await desk.send(.get, "/session", authorization: bearer).status == 401)
            office.clock.advance(bySeconds: Identity.sessionSeconds)
            #expect(
                try await desk.send(.post, "/session/refresh", #"{"refreshToken":"\#(refresh)"}"#).status == 401)
        }
    }

    @Test func `removing or demoting a user takes effect at once for each of their tokens`() async throws {
        try await Office().open { desk in
            let session = try await desk.send(
                .post, "/session", #"{"name":"lena","password":"\#(Office.password(of: "lena"))"}"#)
            let bearer = "Bearer \(try #require(session.json["accessToken"]?.string))"
            #expect(try await desk.send(.get, "/users", authorization: bearer).status == 200)
            #expect(try await desk.send(.patch, "/users/lena", as: "admin", #"{"role":"member"}"#).status == 200)
            #expect(try await desk.send(.get, "/users", authorization: bearer).status == 403)
            #expect(try await desk.send(.delete, "/users/lena", as: "admin").status == 204)
            #expect(try await desk.send(.get, "/session", authorization: bearer).status == 401)
            // Someone else of that name is someone else.
            let again = try await desk.send(.post, "/users", as: "admin", #"{"name":"lena","role":"leader"}"#)
            #expect(again.status == 201)
            #expect(try await desk.send(.get, "/session", authorization: bearer).status == 401)
        }
    }
}

import HTTPTypes
import HummingbirdTesting
import MusterCore
import MusterWire
import NIOCore
import Testing

@testable import MusterGraphQL
@testable import MusterServer

/// Requests of GraphQL over HTTP: what is answered, and what is refused.
@Suite struct GraphQLRequestTests {
    private static let fetchSite = HTTPField.Name("Sec-Fetch-Site")!
    private static let plain = #"{"query":"{ me { name } }"}"#

    @Test func `GET answers a query, with variables, and no mutation`() async throws {
        try await Office().open { desk in
            let query = "query%20($id:ID!)%7Bnode(id:$id)%7Bid%7D%7D&variables=%7B%22id%22:%22Person:mia%22%7D"
            let found = try await desk.send(.get, "//graphql?query=\(query)", as: "mia")
            #expect(found.json["data"]?["node"]?["id"]?.string == "Person:mia")
            #expect(found.headers[.contentType] == "application/json")
            let before = desk.office.coordinator.lastSequence
            let mutation = "mutation%7BupdateUser(input:%7Bid:%22mia%22,isSafe:true%7D)%7Bid%7D%7D"
            let refused = try await desk.send(.get, "//graphql?query=\(mutation)", as: "mia")
            #expect(refused.status == 405)
            #expect(refused.headers[.allow] == "POST")
            #expect(desk.office.coordinator.lastSequence == before)
        }
    }

    @Test func `the media type of an answer is what the client prefers`() async throws {
        try await Office().open { desk in
            let cases: [(accept: String?, type: String, faultStatus: Int)] = [
                (nil, "application/json", 200), ("*/*", "application/json", 200),
                ("application/graphql-response+json", "application/graphql-response+json", 400),
                (
                    "application/graphql-response+json, application/json;q=0.9", "application/graphql-response+json",
                    400
                ), ("application/graphql-response+json;q=0.1, application/json", "application/json", 200),
            ]
            for (accept, type, faultStatus) in cases {
                var headers: HTTPFields = [:]
                headers[.accept] = accept
                let answer = try await desk.send(.post, "//graphql", as: "mia", Self.plain, headers: headers)
                #expect(answer.status == 200)
                #expect(answer.headers[.contentType] == type)
                let fault = try await desk.send(
                    .post, "//graphql", as: "mia", #"{"query":"{ nothing }"}"#, headers: headers)
                #expect(fault.status == faultStatus)
                #expect(fault.json["errors"]?.elements?.count == 1)
                #expect(fault.json["data"] == nil)
            }
            let neither = try await desk.send(
                .post, "//graphql", as: "mia", Self.plain, headers: [.accept: "text/html"])
            #expect(neither.status == 406)
        }
    }

    @Test func `a page elsewhere may not call it, and no body that a form can send is read`() async throws {
        try await Office().open { desk in
            for (fields, status) in [
                ([.origin: "https://elsewhere.example"], 403), ([Self.fetchSite: "cross-site"], 403),
                ([Self.fetchSite: "same-origin"], 200), ([Self.fetchSite: "none"], 200),
            ] as [(HTTPFields, Int)] {
                let posted = try await desk.send(.post, "//graphql", as: "mia", Self.plain, headers: fields)
                #expect(posted.status == status, "\(fields)")
                let asked = try await desk.send(
                    .get, "//graphql?query=%7Bme%7Bname%7D%7D", as: "mia", headers: fields)
                #expect(asked.status == status, "\(fields)")
            }
            for type in [
                "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/graphql",
            ] {
                let reply = try await desk.send(.post, "//graphql", as: "mia", Self.plain, type: type)
                #expect(reply.status == 415)
            }
            let key = "Bearer \(desk.office.keys["mia"] ?? "")"
            let untyped = try await desk.client.executeRequest(
                uri: "/graphql", method: .post, headers: [.authorization: key], body: ByteBuffer(string: Self.plain))
            #expect(untyped.status == .unsupportedMediaType)
        }
    }

    @Test func `a request that is none is refused with a sentence`() async throws {
        try await Office().open { desk in
            for (body, status) in [
                ("[\(Self.plain)]", 400), ("{", 400), ("{}", 400), (#"{"query":7}"#, 400),
                (#"{"query":"{me{name}}","variables":[]}"#, 400), (#"{"query":"{me{name}}","operationName":7}"#, 400),
                (#"{"query":"\ud800"}"#, 400), (#"{"query":"{me{name}}","operationName":"x"}"#, 200),
                (#"{"query":"{me{name}"}"#, 200), (#"{"query":"subscription{x}"}"#, 200),
            ] {
                let reply = try await desk.send(.post, "//graphql", as: "mia", body)
                #expect(reply.status == status, "\(body)")
                #expect(reply.json["errors"]?.elements?.first?["message"]?.string?.isEmpty == false, "\(body)")
                #expect(reply.json["data"] == nil, "\(body)")
            }
            let large = #"{"query":"{me{name}}","x":"\#(String(repeating: "x", count: 300_000))"}"#
            #expect(try await desk.send(.post, "//graphql", as: "mia", large).status == 413)
        }
    }

    @Test func `an operation that costs too much is refused before anything is read`() async throws {
        let deep =
            "{ me " + String(repeating: "{ devices { owner ", count: 20) + "{ name }"
            + String(repeating: "} }", count: 20) + "}"
        let wide = "{ " + (0..<1_100).map { "a\($0): me { id }" }.joined(separator: " ") + " }"
        let circle = "{ me { ...A } } fragment A on Person { devices { owner { ...A } } }"
        let variables = "query (" + (0..<200).map { "$v\($0): Int" }.joined(separator: " ") + ") { me { id } }"
        try await Office().open { desk in
            for (query, code) in [
                (deep, "LimitExceeded"), (wide, "LimitExceeded"), (circle, "ValidationError"),
                (variables, "LimitExceeded"), (String(repeating: "{", count: 70_000), "LimitExceeded"),
            ] {
                let reply = try await desk.graphQL(query, as: "mia")
                #expect(reply.faults.first == " \(code)", "\(query.prefix(80)): \(reply.reply.text.prefix(300))")
                #expect(reply.reply.json["data"] == nil)
            }
            for arguments in ["first: 0", "first: 1001", "first: -1", #"after: "nonsense""#] {
                let reply = try await desk.graphQL("{ people(\(arguments)) { edges { cursor } } }", as: "mia")
                #expect(reply.faults == ["people BadRequestException"], "\(arguments)")
            }
        }
    }

    @Test func `lists come in pages that leave nobody out`() async throws {
        try await Office().open { desk in
            var (names, cursor, pages): ([String], JSONValue, Int) = ([], .null, 0)
            repeat {
                let reply = try await desk.graphQL(
                    """
                    query ($after: String) { people(first: 2, after: $after) {
                      edges { node { name } } pageInfo { hasNextPage hasPreviousPage endCursor }
                    } }
                    """, as: "admin", variables: .object([.init("after", cursor)]))
                names += reply["people", "edges"].texts("node", "name")
                #expect(reply["people", "pageInfo", "hasPreviousPage"].boolean == (pages > 0))
                cursor = reply["people", "pageInfo", "endCursor"]
                pages += 1
                if reply["people", "pageInfo", "hasNextPage"].boolean != true { break }
            } while pages < 10
            #expect(names == ["admin", "lena", "mia", "max", "lars", "sue", "ann"])
            #expect(pages == 4)
            let first = try await desk.graphQL("{ listUsers(limit: 5) { items { username } nextToken } }", as: "admin")
            let token = first["listUsers", "nextToken"].string ?? ""
            let rest = try await desk.graphQL(
                #"{ listUsers(nextToken: "\#(token)") { items { username } nextToken } }"#, as: "admin")
            #expect(rest["listUsers", "items"].texts("username") == ["sue", "ann"])
            #expect(rest["listUsers", "nextToken"] == .null)
        }
    }

    @Test func `Amplify's model filters as its documentation says`() async throws {
        try await Office().open { desk in
            for (filter, expected) in [
                (#"{ username: { beginsWith: "m" } }"#, ["mia", "max"]),
                (
                    #"{ username: { contains: "a", ne: "max" }, not: { username: { eq: "admin" } } }"#,
                    ["lena", "mia", "lars", "ann"]
                ),
                (
                    #"{ or: [{ username: { eq: "sue" } }, { username: { between: ["lars", "lena"] } }] }"#,
                    ["lena", "lars", "sue"]
                ),
                ("{ isSafe: { attributeExists: true } }", []), ("{ isSafe: { eq: true } }", []),
                ("{ and: [], username: null }", ["admin", "lena", "mia", "max", "lars", "sue", "ann"]),
            ] {
                let reply = try await desk.graphQL(
                    "{ listUsers(filter: \(filter)) { items { id username isSafe } } }", as: "admin")
                #expect(reply["listUsers", "items"].texts("username") == expected, "\(filter): \(reply.reply.text)")
            }
            let user = try await desk.graphQL(#"{ getUser(id: "mia") { id username } }"#, as: "lena")
            let id = user["getUser", "id"].string ?? ""
            #expect(id.count == 36)
            let again = try await desk.graphQL(#"{ getUser(id: "\#(id)") { username } }"#, as: "lena")
            #expect(again["getUser", "username"].string == "mia")
            #expect(try await desk.graphQL(#"{ getUser(id: "\#(id)") { username } }"#, as: "sue")["getUser"] == .null)
        }
    }

    @Test func `isSafe declares, and the server decides`() async throws {
        let furnished = try await FurnishedOffice()
        try await furnished.office.open { desk in
            func update(_ isSafe: Bool, _ condition: String = "null") async throws -> GraphQLReply {
                try await desk.graphQL(
                    "mutation { updateUser(input: { id: \"mia\", isSafe: \(isSafe) }, condition: \(condition)) "
                        + "{ isSafe } }",
                    as: "mia")
            }
            #expect(try await update(false)["updateUser", "isSafe"].boolean == false)
            let refused = try await update(true, "{ isSafe: { eq: true } }")
            #expect(refused.faults == ["updateUser ConditionalCheckFailedException"])
            let person = try await desk.graphQL(#"{ node(id: "Person:mia") { ... on Person { safety } } }"#, as: "lena")
            #expect(person["node", "safety"].string == "NEEDS_HELP")
            // A call for help stays until somebody clears it or declares the person safe.
            #expect(try await desk.send(.post, "/positions", as: "mia", furnished.office.report("phone")).status == 200)
            #expect(
                try await desk.graphQL("{ getUser(id: \"mia\") { isSafe } }", as: "mia")["getUser", "isSafe"].boolean
                    == false)
            let sos = #"mutation { declare(input: { person: "Person:mia", declaration: SOS }) { safety } }"#
            #expect(try await desk.graphQL(sos, as: "mia")["declare", "safety"].string == "SOS")
            // An SOS is ended by clearing it alone: what the client sets does not decide.
            #expect(try await update(true)["updateUser", "isSafe"].boolean == false)
        }
    }

    @Test func `a key may be in x-api-key, and a token without Bearer`() async throws {
        let office = try await Office()
        try await office.open { desk in
            let key = try #require(HTTPField.Name("x-api-key"))
            let byKey = try await desk.send(
                .post, "//graphql", Self.plain, headers: [key: office.keys["mia"] ?? ""])
            #expect(byKey.json["data"]?["me"]?["name"]?.string == "mia")
            let session = try await desk.send(
                .post, "/session", #"{"name":"sue","password":"\#(Office.password(of: "sue"))"}"#)
            let token = session.json["accessToken"]?.string ?? session.json["token"]?.string ?? ""
            let byToken = try await desk.send(.post, "//graphql", Self.plain, authorization: token)
            #expect(byToken.json["data"]?["me"]?["name"]?.string == "sue", "\(session.text)")
            let refused = try await desk.send(.post, "//graphql", Self.plain, authorization: "a.b.c")
            #expect(refused.status == 401)
            #expect(
                refused.json["errors"]?.elements?.first?["extensions"]?["errorType"]?.string == "UnauthorizedException")
        }
    }

    @Test func `the cache of documents is bounded, and keeps what is asked for`() throws {
        let cache = DocumentCache(capacity: 8)
        for index in 0..<100 {
            _ = try cache.document("{ me { name } }")
            _ = try cache.document("{ a\(index): me { name } }")
            #expect(cache.count <= 8)
        }
        #expect(throws: GraphQLErrors.self) { try cache.document("{") }
        #expect(cache.count <= 8)
    }
}

import HTTPTypes
import MusterCore
import MusterWire
import Testing

@testable import MusterServer

/// Requests that are made to be costly. `GraphQLCostTests` bounds what refusing them takes.
@Suite struct GraphQLRefusalTests {
    /// A body that is refused: what it is made of, the status, and the error's word for programs.
    private struct Hostile {
        var kind: String
        var body: String
        var status = 200
        var code = "LimitExceeded"

        init(_ kind: String, body: String, status: Int = 200, _ code: String = "LimitExceeded") {
            (self.kind, self.body, self.status, self.code) = (kind, body, status, code)
        }

        init(_ kind: String, _ query: String, _ code: String = "LimitExceeded", variables: String = "{}") {
            let text = String(decoding: JSONValue.string(query).bytes, as: UTF8.self)
            self.init(kind, body: #"{"query":\#(text),"variables":\#(variables)}"#, code)
        }
    }

    private static func repeated(_ count: Int, _ text: (Int) -> String) -> String {
        (0..<count).map(text).joined(separator: " ")
    }

    private static let hostile: [Hostile] = [
        Hostile(
            "depth",
            "{ me " + String(repeating: "{ devices { owner ", count: 20) + "{ safety }"
                + String(repeating: "} }", count: 20) + "}"),
        Hostile("width", "{ me { " + repeated(1_100) { _ in "safety" } + " } }"),
        Hostile("aliases", "{ " + repeated(600) { "a\($0): me { safety }" } + " }"),
        Hostile(
            "fragments that double",
            "{ me { ...F0 } } "
                + repeated(10) { "fragment F\($0) on Person { devices { owner { ...F\($0 + 1) ...F\($0 + 1) } } }" }
                + " fragment F10 on Person { safety }"),
        Hostile(
            "fragments in circles",
            "{ me { ...A } } fragment A on Person { devices { owner { ...B } } } fragment B on Person { safety ...A }",
            "ValidationError"),
        Hostile(
            "a query of 1 MB", body: #"{"query":"{ me { safety } }\#(String(repeating: " ", count: 1 << 20))"}"#,
            status: 413, "BadRequestException"),
        Hostile("a query of 100 kB", "{ me { safety } }" + String(repeating: " ", count: 100_000)),
        Hostile("10,000 variables", "query (" + repeated(10_000) { "$v\($0): Int" } + ") { me { safety } }"),
        Hostile("2,000 variables", "query (" + repeated(2_000) { "$v\($0): Int" } + ") { me { safety } }"),
        Hostile(
            "30,000 values of variables",
            body: #"{"query":"{ me { safety } }","variables":{"v":[\#(repeated(30_000) { _ in "0," })0]}}"#,
            status: 400, "BadRequestException"),
        Hostile(
            "introspection of everything at once",
            "{ me { safety } __schema { types { " + String(repeating: "fields { type { ", count: 3) + "name"
                + String(repeating: " } }", count: 3) + " } } }"),
        Hostile(
            "introspection by fragments",
            #"{ me { safety } __type(name: "Person") { ...A } } fragment A on __Type { fields { type { ...B } } }"#
                + " fragment B on __Type { possibleTypes { ...C } } fragment C on __Type { interfaces { name } }"),
        Hostile("a batch", body: #"[{"query":"{ me { safety } }"}]"#, status: 400, "BadRequestException"),
        Hostile(
            "a number out of range", "{ people(first: 99999999999) { edges { node { safety } } } }", "ValidationError"),
        Hostile(
            "a variable out of range", "query ($n: Int) { people(first: $n) { edges { node { safety } } } }",
            "BadRequestException", variables: #"{"n":99999999999}"#),
        Hostile(
            "a number that is not finite", "query ($n: Int) { people(first: $n) { edges { node { safety } } } }",
            "BadRequestException", variables: #"{"n":1e300}"#),
        Hostile("a lone surrogate", #"{ node(id: "\uD800") { id } me { safety } }"#, "BadRequestException"),
        Hostile(
            "a lone surrogate in JSON", body: #"{"query":"{ me { safety } } # \ud800"}"#, status: 400,
            "BadRequestException"),
    ]

    @Test func `what costs too much is refused before anything is read`() async throws {
        let office = try await Office()
        try await office.open { desk in
            // The server verifies the key once, and knows it from then on.
            #expect(try await desk.graphQL("{ me { safety } }", as: "mia").faults == [])
            // Nothing can be read any more, neither from the store nor from the engine.
            try await office.coordinator.close()
            for query in ["{ me { safety } }", #"{ node(id: "Incident:1") { id } }"#] {
                let reply = try await desk.graphQL(query, as: "mia")
                #expect(reply.reply.json["errors"] != nil, "a read has no fault: \(reply.reply.text)")
            }
            for hostile in Self.hostile {
                let reply = GraphQLReply(reply: try await desk.send(.post, "//graphql", as: "mia", hostile.body))
                #expect(reply.status == hostile.status, "\(hostile.kind): \(reply.reply.text.prefix(300))")
                #expect(reply.faults.first == " \(hostile.code)", "\(hostile.kind): \(reply.reply.text.prefix(300))")
                #expect(reply.reply.json["data"] == nil, "\(hostile.kind)")
            }
        }
    }
}

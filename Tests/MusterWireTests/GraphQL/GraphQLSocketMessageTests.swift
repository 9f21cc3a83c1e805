import Testing

@testable import MusterWire

/// The messages of WebSockets that carry GraphQL.
@Suite struct GraphQLSocketMessageTests {
    private func read(
        _ text: String, as wireProtocol: GraphQLSocketProtocol = .transport
    ) throws(GraphQLSocketFault) -> GraphQLSocketMessage {
        try GraphQLSocketMessage(parsing: Array(text.utf8), as: wireProtocol)
    }

    @Test func `each protocol has its own words`() throws {
        let request = JSONValue.object([.init("query", .string("{ me { id } }"))])
        #expect(
            try read(#"{"type":"subscribe","id":"1","payload":{"query":"{ me { id } }"}}"#)
                == .start(id: "1", GraphQLSocketStart(request: request)))
        let start = """
            {"type":"start","id":"1","payload":{"data":"{\\"query\\": \\"{ me { id } }\\"}",
             "extensions":{"authorization":{"x-api-key":"k"}}}}
            """
        #expect(
            try read(start, as: .realtime)
                == .start(
                    id: "1",
                    GraphQLSocketStart(
                        request: request, text: #"{"query": "{ me { id } }"}"#,
                        authorization: .object([.init("x-api-key", .string("k"))]))))
        for type in ["start", "stop", "connection_terminate"] {
            #expect(throws: GraphQLSocketFault.self) { try read(#"{"type":"\#(type)","id":"1"}"#) }
        }
        for type in ["subscribe", "complete", "ping", "pong"] {
            #expect(throws: GraphQLSocketFault.self) { try read(#"{"type":"\#(type)","id":"1"}"#, as: .realtime) }
        }
    }

    @Test func `a fault of a start names its operation, so that the others go on`() {
        for payload in ["{}", #"{"data":7}"#, #"{"data":"{"}"#] {
            #expect {
                try read(#"{"type":"start","id":"u","payload":\#(payload)}"#, as: .realtime)
            } throws: { ($0 as? GraphQLSocketFault)?.id == "u" }
        }
    }

    @Test func `an id is a text of 1 to 128 bytes`() throws {
        let longest = String(repeating: "x", count: 128)
        #expect(try read(#"{"type":"complete","id":"\#(longest)"}"#) == .stop(id: longest))
        for id in ["7", "null", #""""#, "\"\(longest)x\""] {
            #expect(throws: GraphQLSocketFault.self) { try read(#"{"type":"complete","id":\#(id)}"#) }
        }
    }

    @Test func `AppSync's clients find the type of an error beside its message`() {
        let error = GraphQLError(.request, "No.", code: "UnauthorizedException")
        let json = GraphQLSocketAnswer.error(id: "u", [error]).json(as: .realtime)
        #expect(json?["payload"]?["errors"]?.elements?.first?["errorType"]?.string == "UnauthorizedException")
        #expect(GraphQLSocketAnswer.refuse(error).json(as: .transport) == nil)
        #expect(GraphQLSocketAnswer.started(id: "u").json(as: .transport) == nil)
    }
}

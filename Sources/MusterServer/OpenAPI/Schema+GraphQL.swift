/// The schemas of GraphQL over HTTP. What is within an operation, the schema of `/graphql` describes.
extension Schema {
    static let graphQL: [(String, String)] = [
        (
            "GraphQLRequest",
            object(
                [("query", text)],
                optional: [
                    ("operationName", #"{"type":["string","null"]}"#), ("variables", #"{"type":["object","null"]}"#),
                    ("extensions", #"{"type":["object","null"]}"#),
                ], isOpen: true)
        ),
        (
            "GraphQLResponse",
            object(
                [],
                optional: [
                    ("data", #"{"type":["object","null"]}"#), ("errors", list(of: #"{"type":"object"}"#)),
                ])
        ),
    ]
}

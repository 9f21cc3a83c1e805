import Hummingbird
import MusterWire
import NIOCore

/// The media type of an answer, of the two that GraphQL over HTTP has.
enum GraphQLMediaType: String, Sendable {
    /// What clients knew first: the status says nothing of the document.
    case json = "application/json"
    /// An answer without data has the status 400.
    case graphQL = "application/graphql-response+json"

    /// Chooses what the client prefers; nil when it accepts neither. Without a preference that is `application/json`,
    /// which AppSync answers.
    init?(acceptedBy request: Request) {
        let accepted = request.headers[values: .accept].joined(separator: ",")
        if accepted.isEmpty {
            self = .json
            return
        }
        var best: (type: GraphQLMediaType, weight: Double)?
        for part in accepted.split(separator: ",").prefix(32) {
            let pieces = part.split(separator: ";").map { $0.filter { $0 != " " }.lowercased() }
            guard let name = pieces.first else { continue }
            let weight = pieces.dropFirst().lazy.compactMap { $0.hasPrefix("q=") ? Double($0.dropFirst(2)) : nil }.first
            let type: GraphQLMediaType
            switch name {
            case Self.graphQL.rawValue: type = .graphQL
            case Self.json.rawValue, "application/*", "*/*": type = .json
            default: continue
            }
            if (weight ?? 1) > (best?.weight ?? 0) { best = (type, weight ?? 1) }
        }
        guard let best else { return nil }
        self = best.type
    }

    /// Whether the client takes server-sent events, as for a subscription.
    static func takesEvents(_ request: Request) -> Bool {
        request.headers[values: .accept].contains { $0.lowercased().contains("text/event-stream") }
    }

    /// The response that carries an answer.
    func response(_ answer: GraphQLResponse) -> Response {
        let status: HTTPResponse.Status = answer.data == nil && self == .graphQL ? .badRequest : .ok
        return response(status, answer.json)
    }

    /// A response whose errors are about the request and not about a field.
    func response(_ status: HTTPResponse.Status, _ words: String, code: String) -> Response {
        response(status, GraphQLResponse(data: nil, errors: [GraphQLError(.request, words, code: code)]).json)
    }

    private func response(_ status: HTTPResponse.Status, _ json: JSONValue) -> Response {
        Response(
            status: status, headers: [.contentType: rawValue],
            body: .init(byteBuffer: ByteBuffer(bytes: json.bytes)))
    }
}

import HTTPTypes
import Hummingbird
import MusterCoding
import MusterCore
import MusterServer
import MusterWire
import NIOCore

/// A request of GraphQL over HTTP: a document, which of its operations to execute, and the variables.
struct GraphQLCall: Sendable {
    let source: String
    let operationName: String?
    let variables: [JSONValue.Member]
    /// The change after which a subscription begins, from the extension `after`; nil for none.
    let after: LogSequence?

    /// The largest body. A document and the variables of a report of 1,000 positions fit.
    static let bodyLimits = BodyLimits(bytes: 256 << 10, inflatedBytes: 1 << 20)
    /// How deep a body may nest, and how many values it may have.
    private static let (depthLimit, valueLimit) = (40, 20_000)

    /// Reads the body of a POST.
    ///
    /// - Throws: `GraphQLRefusal`; `Problem` for a body that is too large or cannot be inflated.
    init(body request: Request) async throws {
        // A page elsewhere can send no body of this type without asking first.
        guard request.mediaType == "application/json" else {
            throw GraphQLRefusal(.unsupportedMediaType, "Send application/json.")
        }
        // AWS's clients state an encoding that is none.
        let isPlain = request.headers[.contentEncoding] == "amz-1.0"
        let limits = Self.bodyLimits
        let body =
            isPlain ? try await request.body.collect(upTo: limits.bytes) : try await request.collectBody(limits)
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(
                parsing: Array(body.readableBytesView), depthLimit: Self.depthLimit, valueLimit: Self.valueLimit)
        } catch {
            throw GraphQLRefusal(.badRequest, "The body is not JSON: byte \(error.offset), \(error.reason).")
        }
        if case .array = value { throw GraphQLRefusal(.badRequest, "Send one operation a request, not a batch.") }
        try self.init(value)
    }

    /// Reads a request from its JSON.
    ///
    /// - Throws: `GraphQLRefusal`.
    init(_ value: JSONValue) throws(GraphQLRefusal) {
        try self.init(value["query"], value["operationName"], value["variables"], value["extensions"])
    }

    /// Reads the query of a GET.
    ///
    /// - Throws: `GraphQLRefusal`.
    init(queryOf request: Request) throws(GraphQLRefusal) {
        var values: [String: String] = [:]
        for part in (request.uri.query ?? "").split(separator: "&").prefix(64) {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2, let name = Self.decode(pair[0]) else { continue }
            guard let value = Self.decode(pair[1]) else {
                throw GraphQLRefusal(.badRequest, "The parameter \(name) is not UTF-8.")
            }
            values[name] = value
        }
        try self.init(
            values["query"].map { .string($0) }, values["operationName"].map { .string($0) },
            Self.json("variables", in: values), Self.json("extensions", in: values))
    }

    private init(
        _ query: JSONValue?, _ operationName: JSONValue?, _ variables: JSONValue?, _ extensions: JSONValue?
    ) throws(GraphQLRefusal) {
        guard let source = query?.string else { throw GraphQLRefusal(.badRequest, "`query` must be a document.") }
        self.source = source
        switch operationName {
        case nil, .null?: self.operationName = nil
        // Some clients send an empty name for none.
        case .string(let name)?: self.operationName = name.isEmpty ? nil : name
        default: throw GraphQLRefusal(.badRequest, "`operationName` must be a text.")
        }
        switch variables {
        case nil, .null?: self.variables = []
        case .object(let members)?: self.variables = members
        default: throw GraphQLRefusal(.badRequest, "`variables` must be an object.")
        }
        switch extensions {
        case nil, .null?, .object?: break
        default: throw GraphQLRefusal(.badRequest, "`extensions` must be an object.")
        }
        guard let place = extensions?["after"], place != .null else {
            after = nil
            return
        }
        guard let number = place.string.flatMap({ Int64($0) }), (0...Query.largestSequence).contains(number) else {
            throw GraphQLRefusal(.badRequest, "`extensions.after` must be the `sequence` of a change, as a text.")
        }
        after = LogSequence(number)
    }

    private static func decode(_ text: Substring) -> String? { PercentEncoding.decode(text.replacing("+", with: " ")) }

    private static func json(_ name: String, in values: [String: String]) throws(GraphQLRefusal) -> JSONValue? {
        guard let text = values[name], !text.isEmpty else { return nil }
        do throws(JSONError) {
            return try JSONValue(parsing: Array(text.utf8), depthLimit: depthLimit, valueLimit: valueLimit)
        } catch {
            throw GraphQLRefusal(.badRequest, "`\(name)` is not JSON: byte \(error.offset), \(error.reason).")
        }
    }
}

/// A request that is refused before its document is read.
struct GraphQLRefusal: Error {
    let status: HTTPResponse.Status
    let words: String

    init(_ status: HTTPResponse.Status, _ words: String) {
        self.status = status
        self.words = words
    }
}

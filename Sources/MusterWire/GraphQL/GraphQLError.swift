/// An error of a GraphQL request, as the response lists it (GraphQL October 2021, section 7.1.2).
package struct GraphQLError: Error, Hashable, Sendable {
    /// What part of the work found the error.
    package enum Phase: UInt8, Hashable, Sendable {
        /// The source is not grammatical.
        case syntax
        /// The document or the schema breaks a rule of the specification.
        case validation
        /// The request costs more than `GraphQLLimits` allows.
        case limit
        /// The request cannot begin: no such operation, or a variable does not have its type.
        case request
        /// A field could not be resolved.
        case field
    }

    /// A step from the response's root to a field: a response name, or an index in a list.
    package enum PathElement: Hashable, Sendable {
        case name(String)
        case index(Int)
    }

    /// What part of the work found the error.
    package var phase: Phase
    /// The explanation for the developer of the client, one sentence.
    package var message: String
    /// The places in the source that the error is about, in the order of the reference implementation.
    package var locations: [GraphQLLocation]
    /// The field of the response that is null because of the error; empty when the error is about no field.
    package var path: [PathElement]
    /// A word for programs, which the response carries as the extension `errorType`; nil for none.
    package var code: String?
    /// The seconds after which the client may try again, which the response carries as the extension `retryAfter`; nil
    /// when time alone changes nothing.
    package var retryAfterSeconds: Int?

    package init(
        _ phase: Phase, _ message: String, at locations: [GraphQLLocation] = [], path: [PathElement] = [],
        code: String? = nil
    ) {
        self.phase = phase
        self.message = message
        self.locations = locations
        self.path = path
        self.code = code
    }
}

/// A place in a GraphQL source.
package struct GraphQLLocation: Hashable, Sendable, Comparable {
    /// The line, from 1. A line ends with a line feed, a carriage return, or both.
    package var line: Int
    /// The column in Unicode scalars, from 1.
    package var column: Int

    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    package static func < (one: Self, other: Self) -> Bool {
        (one.line, one.column) < (other.line, other.column)
    }
}

/// The errors of a document or schema; at least one.
package struct GraphQLErrors: Error, Hashable, Sendable {
    package var errors: [GraphQLError]

    package init(_ errors: [GraphQLError]) { self.errors = errors }
}

extension GraphQLError {
    /// The error as the response writes it.
    package var json: JSONValue {
        var members: [JSONValue.Member] = [.init("message", .string(message))]
        if !locations.isEmpty {
            let places = locations.map { place in
                JSONValue.object([
                    .init("line", .integer(Int64(place.line))), .init("column", .integer(Int64(place.column))),
                ])
            }
            members.append(.init("locations", .array(places)))
        }
        if !path.isEmpty {
            let steps = path.map { step in
                switch step {
                case .name(let name): JSONValue.string(name)
                case .index(let index): JSONValue.integer(Int64(index))
                }
            }
            members.append(.init("path", .array(steps)))
        }
        var extensions: [JSONValue.Member] = []
        if let code { extensions.append(.init("errorType", .string(code))) }
        if let retryAfterSeconds { extensions.append(.init("retryAfter", .integer(Int64(retryAfterSeconds)))) }
        if !extensions.isEmpty { members.append(.init("extensions", .object(extensions))) }
        return .object(members)
    }
}

/// What the executor asks of an application: the fields of its objects.
///
/// The executor asks for a field of all objects of a level at once, so that a resolver reads them together.
package protocol GraphQLResolver: Sendable {
    /// An object of the application, which the executor does not look into.
    associatedtype Object: Sendable

    /// Resolves one field of many objects.
    ///
    /// - Returns: a value for each of `request.objects`, in their order.
    /// - Throws: an error that concerns the field of all the objects. The message of a `GraphQLFieldFault` reaches the
    ///   client, that of another error does not.
    func resolve(_ request: GraphQLFieldRequest<Object>) async throws -> [GraphQLResolved<Object>]
}

/// A field that the executor wants of some objects.
package struct GraphQLFieldRequest<Object: Sendable>: Sendable {
    /// The type of the objects.
    package let type: String
    /// The field's name.
    package let field: String
    /// The arguments in the order of the schema, defaults included.
    package let arguments: [JSONValue.Member]
    /// The objects; at least one.
    package let objects: [Object]

    @inlinable package init(type: String, field: String, arguments: [JSONValue.Member], objects: [Object]) {
        self.type = type
        self.field = field
        self.arguments = arguments
        self.objects = objects
    }

    /// The value of an argument; nil when it has none.
    package subscript(_ argument: String) -> JSONValue? {
        arguments.first { $0.key == argument }?.value
    }
}

/// What a field of an object is.
package enum GraphQLResolved<Object: Sendable>: Sendable {
    case null
    /// A value of a scalar or enum, or an array of them.
    case value(JSONValue)
    /// An object. The name of its type may be nil where the schema allows only one.
    case object(Object, type: String?)
    case list([GraphQLResolved<Object>])
    /// The field has no value, for a reason that the client learns.
    case failure(GraphQLFieldFault)
}

/// Why a field of an object has no value.
package struct GraphQLFieldFault: Error, Hashable, Sendable {
    /// The reason, one sentence for the developer of the client.
    package var message: String
    /// A word for programs; nil for none.
    package var code: String?
    /// The seconds after which the client may try again; nil when time alone changes nothing.
    package var retryAfterSeconds: Int?

    package init(_ message: String, code: String? = nil, retryAfterSeconds: Int? = nil) {
        self.message = message
        self.code = code
        self.retryAfterSeconds = retryAfterSeconds
    }
}

/// The answer to an operation (GraphQL October 2021, section 7.1).
package struct GraphQLResponse: Hashable, Sendable {
    /// The data; nil when the operation did not begin.
    package var data: JSONValue?
    package var errors: [GraphQLError]

    package init(data: JSONValue?, errors: [GraphQLError] = []) {
        self.data = data
        self.errors = errors
    }

    /// The response as JSON: the errors first, where there are any.
    package var json: JSONValue {
        var members: [JSONValue.Member] = []
        if !errors.isEmpty { members.append(.init("errors", .array(errors.map(\.json)))) }
        if let data { members.append(.init("data", data)) }
        return .object(members)
    }
}

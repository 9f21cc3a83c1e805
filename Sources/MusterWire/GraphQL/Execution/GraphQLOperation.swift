/// An operation with its variables, whose cost is within the limits.
package struct GraphQLOperation: Sendable {
    let request: GraphQLRequest
    let index: Int
    /// The coerced variables that the client gave or that have a default, by the number of their names.
    let variables: [GraphQLNames.ID: JSONValue]

    var node: GraphQLDocument.Operation { request.document.operations[index] }
    /// What the operation does.
    package var kind: GraphQLOperationKind { node.kind }

    /// Chooses an operation of a request, and prepares it.
    ///
    /// - Parameters:
    ///   - name: the operation's name; nil when the document has only one.
    ///   - variables: the variables as the client gives them.
    /// - Throws: there is no such operation, the schema has no operations of its kind, it costs too much, or variables
    ///   do not have their types.
    package init(
        _ request: GraphQLRequest, named name: String? = nil, variables: [JSONValue.Member] = []
    ) throws(GraphQLErrors) {
        self.request = request
        index = try Self.index(of: name, in: request)
        let node = request.document.operations[index]
        let places = GraphQLPlaces(request.document.source)
        let location = places.location(of: node.offset)
        guard request.schema.system.root(node.kind) != GraphQLTypeSystem.none else {
            throw GraphQLErrors([
                GraphQLError(
                    .request, "Schema is not configured to execute \(node.kind.rawValue) operation.", at: [location])
            ])
        }
        try GraphQLCost.of(node.selections, request).check(request.limits, at: location)
        var coercion = GraphQLVariableCoercion(request, places)
        self.variables = coercion.coerce(node.variables, from: variables)
        if !coercion.errors.isEmpty { throw GraphQLErrors(coercion.errors) }
    }

    private static func index(of name: String?, in request: GraphQLRequest) throws(GraphQLErrors) -> Int {
        let operations = request.document.operations
        if let name {
            if let index = request.operationNames.firstIndex(of: name) { return index }
            throw GraphQLErrors([GraphQLError(.request, "Unknown operation named '\(name.prefix(100))'.")])
        }
        switch operations.count {
        case 1: return 0
        case 0: throw GraphQLErrors([GraphQLError(.request, "Must provide an operation.")])
        default:
            throw GraphQLErrors([
                GraphQLError(.request, "Must provide operation name if query contains multiple operations.")
            ])
        }
    }

    /// The field that a subscription subscribes to: its name and its arguments.
    ///
    /// - Throws: the arguments are faulty, or `@skip` leaves no field.
    package func subscriptionField() throws(GraphQLErrors) -> (name: String, arguments: [JSONValue.Member]) {
        let collection = GraphQLFieldCollection(self)
        let system = request.schema.system
        do throws(GraphQLError) {
            let groups = try collection.fields(of: system.root(kind), in: [node.selections])
            guard let group = groups.first, group.field != GraphQLTypeSystem.none else {
                throw GraphQLError(.request, "The subscription selects no field.")
            }
            return (system.fieldTexts[Int(group.field)].name, try collection.arguments(of: group))
        } catch {
            throw GraphQLErrors([error])
        }
    }
}

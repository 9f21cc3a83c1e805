/// An object of the application in one execution.
package struct GraphQLObjectNumber: Sendable {
    @usableFromInline let index: Int

    @inlinable init(index: Int) { self.index = index }

    /// The object at which the operation begins.
    static var root: GraphQLObjectNumber { GraphQLObjectNumber(index: 0) }
}

/// The application's objects of one execution, each with a number.
///
/// So the execution is no generic type. The compiler specializes such a type in this module alone, and elsewhere it is
/// made while it runs. What is generic is inlined into the module of the resolver.
package struct GraphQLObjects<Object: Sendable> {
    @usableFromInline var objects: [Object]

    @inlinable package init(root: Object) { objects = [root] }

    /// The same request with the objects in place of their numbers.
    @inlinable package func request(
        for request: GraphQLFieldRequest<GraphQLObjectNumber>
    ) -> GraphQLFieldRequest<Object> {
        GraphQLFieldRequest(
            type: request.type, field: request.field, arguments: request.arguments,
            objects: request.objects.map { objects[$0.index] })
    }

    /// The same results with the numbers of objects, which are new ones.
    @inlinable package mutating func number(
        _ results: [GraphQLResolved<Object>]
    ) -> [GraphQLResolved<GraphQLObjectNumber>] {
        var numbered: [GraphQLResolved<GraphQLObjectNumber>] = []
        numbered.reserveCapacity(results.count)
        for result in results {
            switch result {
            case .null: numbered.append(.null)
            case .value(let value): numbered.append(.value(value))
            case .object(let object, let type):
                numbered.append(.object(GraphQLObjectNumber(index: objects.count), type: type))
                objects.append(object)
            case .list(let list): numbered.append(.list(number(list)))
            case .failure(let fault): numbered.append(.failure(fault))
            }
        }
        return numbered
    }
}

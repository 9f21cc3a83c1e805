/// Executes operations (GraphQL October 2021, section 6), level by level: it asks the resolver for a field of all
/// objects of a level at once. The number of calls depends on the operation alone, not on how many objects there are.
package struct GraphQLExecutor<Resolver: GraphQLResolver>: Sendable {
    @usableFromInline let resolver: Resolver

    @inlinable package init(_ resolver: Resolver) { self.resolver = resolver }

    /// Executes an operation.
    ///
    /// The fields of a mutation's root run one after the other, each with all that is within it. For a subscription
    /// this executes the selection for one event.
    ///
    /// - Parameter root: the object at which the operation begins; for a subscription the event.
    @inlinable package func execute(_ operation: GraphQLOperation, root: Resolver.Object) async -> GraphQLResponse {
        var objects = GraphQLObjects(root: root)
        return await GraphQLExecution.response(to: operation) { request in
            objects.number(try await resolver.resolve(objects.request(for: request)))
        }
    }
}

/// One execution of an operation. It knows the application's objects by their numbers.
package struct GraphQLExecution {
    typealias TypeUse = GraphQLTypeSystem.TypeUse
    typealias NodeID = GraphQLResultTree.NodeID

    /// An object of the application or of introspection.
    enum Parent: Sendable {
        case own(GraphQLObjectNumber)
        case introspection(GraphQLIntrospection.Object)
    }

    /// Objects of one type, of which the same fields are selected.
    struct Batch {
        var type: UInt32
        var sets: [GraphQLDocument.Slice]
        var objects: [Parent] = []
        var nodes: [NodeID] = []
    }

    /// A field that is being resolved.
    struct FieldContext {
        var group: GraphQLFieldGroup
        var name: String
        var parentType: String
        var locations: [GraphQLLocation]
        var children: [GraphQLDocument.Slice]
        /// The objects that it yields, a batch for each of their types in the order in which they appeared.
        private(set) var batches: [Batch] = []

        /// Adds an object that it yields.
        mutating func add(_ object: Parent, of type: UInt32, as node: NodeID) {
            // Most fields yield objects of one type.
            let batch = batches.lastIndex { $0.type == type } ?? batches.count
            if batch == batches.count { batches.append(Batch(type: type, sets: children)) }
            batches[batch].objects.append(object)
            batches[batch].nodes.append(node)
        }
    }

    let operation: GraphQLOperation
    private let source: Source
    let system: GraphQLTypeSystem
    let collection: GraphQLFieldCollection
    let places: GraphQLPlaces
    let valueLimit: Int
    private let byteLimit: Int
    var tree: GraphQLResultTree

    /// Resolves one field of many objects of the application.
    package typealias Source =
        (GraphQLFieldRequest<GraphQLObjectNumber>) async throws -> [GraphQLResolved<GraphQLObjectNumber>]

    /// Executes an operation that begins at the first object.
    package static func response(to operation: GraphQLOperation, source: @escaping Source) async -> GraphQLResponse {
        var execution = GraphQLExecution(operation, source)
        await execution.run()
        return GraphQLResponse(data: execution.tree.data, errors: execution.tree.errors)
    }

    private init(_ operation: GraphQLOperation, _ source: @escaping Source) {
        self.operation = operation
        self.source = source
        system = operation.request.schema.system
        collection = GraphQLFieldCollection(operation)
        places = GraphQLPlaces(operation.request.document.source)
        valueLimit = operation.request.limits.responseValues
        byteLimit = operation.request.limits.responseBytes
        tree = GraphQLResultTree(errorLimit: operation.request.limits.responseErrors)
    }

    private mutating func run() async {
        let batch = Batch(
            type: system.root(operation.kind), sets: [operation.node.selections], objects: [.own(.root)],
            nodes: [GraphQLResultTree.root])
        if operation.kind == .mutation {
            for group in fields(of: batch) {
                let next = await resolve(group, of: batch)
                await run(next)
            }
        } else {
            await run([batch])
        }
    }

    private mutating func run(_ batches: [Batch]) async {
        var level = batches
        while !level.isEmpty {
            var next: [Batch] = []
            for batch in level {
                for group in fields(of: batch) {
                    next += await resolve(group, of: batch)
                    if tree.count > valueLimit {
                        tree.stop(
                            with: GraphQLError(.limit, "The response has more than \(valueLimit) values."))
                        return
                    }
                    if tree.bytes > byteLimit {
                        tree.stop(with: GraphQLError(.limit, "The response has more than \(byteLimit) bytes."))
                        return
                    }
                }
            }
            level = next
        }
    }

    private mutating func fields(of batch: Batch) -> [GraphQLFieldGroup] {
        do {
            return try collection.fields(of: batch.type, in: batch.sets)
        } catch {
            for node in batch.nodes { tree.fail(node, with: error) }
            return []
        }
    }

    /// Resolves a field of all objects of a batch, and returns the objects that it yields.
    private mutating func resolve(_ group: GraphQLFieldGroup, of batch: Batch) async -> [Batch] {
        guard group.field != GraphQLTypeSystem.none else { return [] }
        let definition = system.fields[Int(group.field)]
        let responseName = collection.text(group.responseName)
        var nodes: [NodeID] = []
        var objects: [Parent] = []
        nodes.reserveCapacity(batch.nodes.count)
        objects.reserveCapacity(batch.nodes.count)
        for (node, object) in zip(batch.nodes, batch.objects) where tree.isKept(node) {
            nodes.append(tree.addField(responseName, to: node, isNonNull: definition.type.isNonNull))
            objects.append(object)
        }
        guard let first = objects.first else { return [] }
        var context = FieldContext(
            group: group, name: system.fieldTexts[Int(group.field)].name,
            parentType: system.types[Int(batch.type)].name, locations: collection.locations(of: group, places),
            children: collection.children(of: group))
        if group.field == system.typenameField {
            for node in nodes { tree.setLeaf(node, .string(context.parentType)) }
            return []
        }
        do {
            let arguments = try collection.arguments(of: group)
            let isMeta = group.field == system.schemaField || group.field == system.typeField
            if case .own = first, !isMeta {
                let results = try await resolveOwn(context, arguments, objects)
                for (node, result) in zip(nodes, results) {
                    complete(node, definition.type, result, &context) { .own($0) }
                }
            } else {
                let introspection = GraphQLIntrospection(system: system)
                for (node, object) in zip(nodes, objects) {
                    let result: GraphQLResolved<GraphQLIntrospection.Object>
                    if case .introspection(let object) = object {
                        result = introspection.resolve(context.name, of: object, arguments)
                    } else {
                        result = introspection.resolveRoot(context.name, arguments)
                    }
                    complete(node, definition.type, result, &context) { .introspection($0) }
                }
            }
        } catch {
            for node in nodes { tree.fail(node, with: located(error, context)) }
        }
        return context.batches
    }

    private func resolveOwn(
        _ context: FieldContext, _ arguments: [JSONValue.Member], _ objects: [Parent]
    ) async throws -> [GraphQLResolved<GraphQLObjectNumber>] {
        let own = objects.compactMap { object in
            if case .own(let object) = object { object } else { nil }
        }
        let results = try await source(
            GraphQLFieldRequest(
                type: context.parentType, field: context.name, arguments: arguments, objects: own))
        guard results.count == own.count else {
            throw GraphQLFieldFault("The field \(context.parentType).\(context.name) could not be resolved.")
        }
        return results
    }

    /// An error of a resolver as the response shows it. A resolver's own errors may hold what clients must not see.
    private func located(_ error: any Error, _ context: FieldContext) -> GraphQLError {
        if let fault = error as? GraphQLFieldFault { return self.error(fault, context) }
        if let error = error as? GraphQLError { return error }
        return self.error("The field \(context.parentType).\(context.name) could not be resolved.", context)
    }

    func error(_ message: String, _ context: FieldContext) -> GraphQLError {
        error(GraphQLFieldFault(message), context)
    }

    func error(_ fault: GraphQLFieldFault, _ context: FieldContext) -> GraphQLError {
        var error = GraphQLError(.field, fault.message, at: context.locations, code: fault.code)
        error.retryAfterSeconds = fault.retryAfterSeconds
        return error
    }
}

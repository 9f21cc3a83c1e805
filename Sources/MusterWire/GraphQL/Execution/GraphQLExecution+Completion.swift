extension GraphQLExecution {
    /// Completes the value of a field (GraphQL October 2021, section 6.4.3).
    ///
    /// - Parameter wrap: makes an object one of the next level.
    mutating func complete<Object>(
        _ node: NodeID, _ type: TypeUse, _ resolved: GraphQLResolved<Object>, _ context: inout FieldContext,
        wrap: (Object) -> Parent
    ) {
        switch resolved {
        case .failure(let fault): return tree.fail(node, with: error(fault, context))
        case .null, .value(.null):
            guard type.isNonNull else { return }
            return tree.fail(
                node,
                with: error(
                    "Cannot return null for non-nullable field \(context.parentType).\(context.name).", context))
        default: break
        }
        let type = type.nullable
        if type.isList { return completeList(node, type.inner, resolved, &context, wrap: wrap) }
        if system.kinds[Int(type.type)].isLeaf { return completeLeaf(node, type, resolved, context) }
        guard case .object(let object, let name) = resolved else {
            return tree.fail(
                node,
                with: error(
                    "Expected an object of type '\(system.text(type))' for field"
                        + " '\(context.parentType).\(context.name)'.", context))
        }
        guard let runtime = runtimeType(name, type, node, context) else { return }
        tree.makeObject(node)
        context.add(wrap(object), of: runtime, as: node)
    }

    private mutating func completeList<Object>(
        _ node: NodeID, _ item: TypeUse, _ resolved: GraphQLResolved<Object>, _ context: inout FieldContext,
        wrap: (Object) -> Parent
    ) {
        let elements: [GraphQLResolved<Object>]
        switch resolved {
        case .list(let list): elements = list
        case .value(.array(let values)): elements = values.map { .value($0) }
        default:
            return tree.fail(
                node,
                with: error(
                    "Expected Iterable, but did not find one for field '\(context.parentType).\(context.name)'.",
                    context))
        }
        // The level ends with the error of the limit.
        guard tree.count + elements.count <= valueLimit + 1 else {
            tree.stop(with: GraphQLError(.limit, "The response has more than \(valueLimit) values."))
            return
        }
        let nodes = tree.makeList(node, count: elements.count, isNonNull: item.isNonNull)
        for (node, element) in zip(nodes, elements) { complete(node, item, element, &context, wrap: wrap) }
    }

    private mutating func completeLeaf<Object>(
        _ node: NodeID, _ type: TypeUse, _ resolved: GraphQLResolved<Object>, _ context: FieldContext
    ) {
        guard case .value(let value) = resolved else {
            return tree.fail(
                node,
                with: error(
                    "Expected a value of type '\(system.types[Int(type.type)].name)' for field"
                        + " '\(context.parentType).\(context.name)'.", context))
        }
        // Only what is needed of the type is copied: this runs for each value.
        guard let scalar = system.types[Int(type.type)].scalar else {
            let name = value.string
            let values = system.types[Int(type.type)].enumValues
            if values.range.contains(where: { system.enumValues[$0].name == name }) { return tree.setLeaf(node, value) }
            return tree.fail(
                node,
                with: error(
                    "Enum '\(system.types[Int(type.type)].name)' cannot represent value: \(value.excerpt)", context))
        }
        do {
            tree.setLeaf(node, try scalar.coerceResult(value))
        } catch {
            tree.fail(node, with: self.error(error.message, context))
        }
    }

    /// The type of an object; fails its node and returns nil when it may not stand there.
    private mutating func runtimeType(
        _ name: String?, _ type: TypeUse, _ node: NodeID, _ context: FieldContext
    ) -> UInt32? {
        guard let name else {
            if system.kinds[Int(type.type)] == .object { return type.type }
            tree.fail(
                node,
                with: error(
                    "Abstract type '\(system.text(type))' must resolve to an Object type at runtime for field"
                        + " '\(context.parentType).\(context.name)'.", context))
            return nil
        }
        // Mostly it is the field's own type.
        if system.kinds[Int(type.type)] == .object, system.types[Int(type.type)].name == name { return type.type }
        if let found = system.names.find(name).flatMap({ system.typesByName[$0] }),
            system.kinds[Int(found)] == .object, system.isPossible(found, for: type.type)
        {
            return found
        }
        tree.fail(
            node,
            with: error("Runtime Object type '\(name)' is not a possible type for '\(system.text(type))'.", context))
        return nil
    }
}

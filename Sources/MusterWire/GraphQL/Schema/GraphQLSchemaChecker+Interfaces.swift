extension GraphQLSchemaChecker {
    /// Checks that a type has what its interfaces promise.
    mutating func checkInterfaces(_ index: Int, _ type: GraphQLTypeSystem.TypeDefinition) {
        var seen: Set<TypeID> = []
        for interface in type.interfaces {
            let other = system.types[Int(interface)]
            let places = places(of: other.name, in: index)
            guard other.kind == .interface else {
                reporter.report(
                    "Type \(type.name) must only implement Interface types, it cannot implement \(other.name).",
                    at: places)
                continue
            }
            if Int(interface) == index {
                reporter.report(
                    "Type \(type.name) cannot implement itself because it would create a circular reference.",
                    at: places)
            }
            guard seen.insert(interface).inserted else {
                reporter.report("Type \(type.name) can only implement \(other.name) once.", at: places)
                continue
            }
            for ancestor in other.interfaces where !type.interfaces.contains(ancestor) {
                let name = system.types[Int(ancestor)].name
                let message =
                    Int(ancestor) == index
                    ? "Type \(type.name) cannot implement \(other.name) because it would create a circular reference."
                    : "Type \(type.name) must implement \(name) because it is implemented by \(other.name)."
                reporter.report(message, at: self.places(of: name, in: Int(interface)) + places)
            }
            for field in other.fields.range { checkField(field, of: other, in: index, type) }
        }
    }

    private mutating func checkField(
        _ expected: Int, of interface: GraphQLTypeSystem.TypeDefinition, in index: Int,
        _ type: GraphQLTypeSystem.TypeDefinition
    ) {
        let name = system.fieldTexts[expected].name
        let node = builder.fieldNodes[expected]
        guard let found = system.members.find(UInt32(index), system.fields[expected].symbol).map({ Int($0) }) else {
            reporter.report(
                "Interface field \(interface.name).\(name) expected but \(type.name) does not provide it.",
                at: [node.offset] + builder.typeNodes[index].map(\.offset))
            return
        }
        let own = builder.fieldNodes[found]
        let (expectedType, ownType) = (system.fields[expected].type, system.fields[found].type)
        if expectedType.isKnown, ownType.isKnown, !system.isSubtype(ownType, of: expectedType) {
            reporter.report(
                "Interface field \(interface.name).\(name) expects type \(system.text(expectedType)) but"
                    + " \(type.name).\(name) is type \(system.text(ownType)).",
                at: [node.type.offset, own.type.offset])
        }
        for argument in system.fields[expected].arguments.range {
            let text = "\(name)(\(system.inputTexts[argument].name):)"
            let match = system.argument(system.inputs[argument].symbol, in: system.fields[found].arguments)
            guard match != GraphQLTypeSystem.none else {
                reporter.report(
                    "Interface field argument \(interface.name).\(text) expected but \(type.name).\(name) does not"
                        + " provide it.", at: [builder.inputNodes[argument].offset, own.offset])
                continue
            }
            let (one, other) = (system.inputs[argument].type, system.inputs[Int(match)].type)
            if one != other {
                reporter.report(
                    "Interface field argument \(interface.name).\(text) expects type \(system.text(one)) but"
                        + " \(type.name).\(text) is type \(system.text(other)).",
                    at: [builder.inputNodes[argument].type.offset, builder.inputNodes[Int(match)].type.offset])
            }
        }
        for argument in system.fields[found].arguments.range where system.inputs[argument].isRequired {
            let symbol = system.inputs[argument].symbol
            guard system.argument(symbol, in: system.fields[expected].arguments) == GraphQLTypeSystem.none else {
                continue
            }
            reporter.report(
                "Object field \(type.name).\(name) includes required argument \(system.inputTexts[argument].name) that"
                    + " is missing from the Interface field \(interface.name).\(name).",
                at: [builder.inputNodes[argument].offset, node.offset])
        }
    }
}

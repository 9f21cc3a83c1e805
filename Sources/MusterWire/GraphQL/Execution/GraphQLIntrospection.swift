/// Resolves the fields of introspection (GraphQL October 2021, section 4).
struct GraphQLIntrospection {
    typealias TypeUse = GraphQLTypeSystem.TypeUse
    typealias Resolved = GraphQLResolved<Object>

    /// An object of introspection.
    enum Object: Sendable {
        case schema
        case type(TypeUse)
        case field(Int)
        case input(Int)
        case enumValue(Int)
        case directive(Int)
    }

    let system: GraphQLTypeSystem

    /// Resolves `__schema` or `__type`.
    func resolveRoot(_ field: String, _ arguments: [JSONValue.Member]) -> Resolved {
        if field == "__schema" { return .object(.schema, type: nil) }
        let name = arguments.first { $0.key == "name" }?.value.string ?? ""
        guard let type = system.names.find(name).flatMap({ system.typesByName[$0] }) else { return .null }
        return .object(.type(TypeUse(type: type, wrapping: .none)), type: nil)
    }

    /// Resolves a field of an object of introspection.
    func resolve(_ field: String, of object: Object, _ arguments: [JSONValue.Member]) -> Resolved {
        let all = arguments.contains { $0.key == "includeDeprecated" && $0.value == .boolean(true) }
        return switch object {
        case .schema: schema(field)
        case .type(let use): use.wrapping.isEmpty ? named(field, use, all) : wrapped(field, use)
        case .field(let index): self.field(field, index, all)
        case .input(let index): input(field, index)
        case .enumValue(let index): enumValue(field, system.enumValues[index])
        case .directive(let index): directive(field, system.directives[index], all)
        }
    }

    private func text(_ text: String?) -> Resolved { text.map { .value(.string($0)) } ?? .null }

    private func type(_ index: UInt32) -> Resolved {
        index == GraphQLTypeSystem.none
            ? .null : .object(.type(TypeUse(type: index, wrapping: .none)), type: nil)
    }

    private func types(_ indices: some Sequence<UInt32>) -> Resolved { .list(indices.map(type)) }

    private func inputs(_ slice: GraphQLDocument.Slice, _ all: Bool) -> Resolved {
        let kept = slice.range.filter { all || system.inputTexts[$0].deprecation == nil }
        return .list(kept.map { .object(.input($0), type: nil) })
    }

    private func schema(_ field: String) -> Resolved {
        switch field {
        case "description": text(system.description)
        case "types": types(system.types.indices.map { UInt32($0) })
        case "queryType": type(system.query)
        case "mutationType": type(system.mutation)
        case "subscriptionType": type(system.subscription)
        case "directives": .list(system.directives.indices.map { .object(.directive($0), type: nil) })
        default: .null
        }
    }

    private func wrapped(_ field: String, _ use: TypeUse) -> Resolved {
        switch field {
        case "kind": text(use.isNonNull ? "NON_NULL" : "LIST")
        case "ofType": .object(.type(use.inner), type: nil)
        default: .null
        }
    }

    private func named(_ field: String, _ use: TypeUse, _ all: Bool) -> Resolved {
        let type = system.types[Int(use.type)]
        let hasFields = type.kind == .object || type.kind == .interface
        switch field {
        case "kind": return text(type.kind.introspectionName)
        case "name": return text(type.name)
        case "description": return text(type.description)
        case "specifiedByURL": return text(type.specifiedBy)
        case "fields":
            guard hasFields else { return .null }
            let kept = type.fields.range.filter { all || system.fieldTexts[$0].deprecation == nil }
            return .list(kept.map { .object(.field($0), type: nil) })
        case "interfaces": return hasFields ? types(type.interfaces) : .null
        case "possibleTypes": return type.kind.isAbstract ? types(type.possibleTypes) : .null
        case "enumValues":
            guard type.kind == .enumeration else { return .null }
            let kept = type.enumValues.range.filter { all || system.enumValues[$0].deprecation == nil }
            return .list(kept.map { .object(.enumValue($0), type: nil) })
        case "inputFields": return type.kind == .input ? inputs(type.inputs, all) : .null
        default: return .null
        }
    }

    private func field(_ field: String, _ index: Int, _ all: Bool) -> Resolved {
        let text = system.fieldTexts[index]
        return switch field {
        case "name": self.text(text.name)
        case "description": self.text(text.description)
        case "args": inputs(system.fields[index].arguments, all)
        case "type": .object(.type(system.fields[index].type), type: nil)
        case "isDeprecated": .value(.boolean(text.deprecation != nil))
        case "deprecationReason": self.text(text.deprecation)
        default: .null
        }
    }

    private func input(_ field: String, _ index: Int) -> Resolved {
        let text = system.inputTexts[index]
        return switch field {
        case "name": self.text(text.name)
        case "description": self.text(text.description)
        case "type": .object(.type(system.inputs[index].type), type: nil)
        case "defaultValue": self.text(text.defaultValue.map { system.print($0, as: system.inputs[index].type) })
        case "isDeprecated": .value(.boolean(text.deprecation != nil))
        case "deprecationReason": self.text(text.deprecation)
        default: .null
        }
    }

    private func enumValue(_ field: String, _ value: GraphQLTypeSystem.EnumValue) -> Resolved {
        switch field {
        case "name": text(value.name)
        case "description": text(value.description)
        case "isDeprecated": .value(.boolean(value.deprecation != nil))
        case "deprecationReason": text(value.deprecation)
        default: .null
        }
    }

    private func directive(
        _ field: String, _ directive: GraphQLTypeSystem.DirectiveDefinition, _ all: Bool
    ) -> Resolved {
        switch field {
        case "name": text(directive.name)
        case "description": text(directive.description)
        case "isRepeatable": .value(.boolean(directive.isRepeatable))
        case "locations": .list(directive.locations.map { text($0.rawValue) })
        case "args": inputs(directive.arguments, all)
        default: .null
        }
    }
}

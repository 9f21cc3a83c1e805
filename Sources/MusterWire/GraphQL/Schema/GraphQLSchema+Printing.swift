extension GraphQLSchema {
    /// The schema's source, as the schema definition language writes it: definitions in their order, without those that
    /// every schema has.
    package var source: String {
        var parts: [String] = []
        if let roots = printRoots() { parts.append(roots) }
        let specified: Set<String> = ["include", "skip", "deprecated", "specifiedBy"]
        for directive in system.directives where !specified.contains(directive.name) {
            parts.append(print(directive))
        }
        for type in system.types where !Self.introspectionTypes.contains(type.name) && !isBuiltIn(type) {
            parts.append(print(type))
        }
        return parts.joined(separator: "\n\n") + "\n"
    }

    private func isBuiltIn(_ type: GraphQLTypeSystem.TypeDefinition) -> Bool {
        GraphQLScalar.BuiltIn(rawValue: type.name) != nil
    }

    private func printRoots() -> String? {
        var lines: [String] = []
        var isCommon = system.description == nil
        for kind in GraphQLOperationKind.allCases {
            let root = system.root(kind)
            guard root != GraphQLTypeSystem.none else { continue }
            let name = system.types[Int(root)].name
            isCommon = isCommon && name.lowercased() == kind.rawValue && name != kind.rawValue
            lines.append("  \(kind.rawValue): \(name)")
        }
        return isCommon ? nil : description(system.description) + "schema {\n" + lines.joined(separator: "\n") + "\n}"
    }

    private func description(_ text: String?, _ indentation: String = "", isFirst: Bool = true) -> String {
        guard let text else { return "" }
        let gap = isFirst || indentation.isEmpty ? "" : "\n"
        return gap + indentation + GraphQLText.description(text, indentation: indentation) + "\n"
    }

    private func print(_ directive: GraphQLTypeSystem.DirectiveDefinition) -> String {
        let locations = directive.locations.map(\.rawValue).joined(separator: " | ")
        return description(directive.description) + "directive @\(directive.name)"
            + printArguments(directive.arguments, "") + (directive.isRepeatable ? " repeatable" : "")
            + " on \(locations)"
    }

    private func print(_ type: GraphQLTypeSystem.TypeDefinition) -> String {
        let head = description(type.description)
        let interfaces = type.interfaces.map { system.types[Int($0)].name }.joined(separator: " & ")
        let implements = interfaces.isEmpty ? "" : " implements " + interfaces
        switch type.kind {
        case .scalar:
            let url = type.specifiedBy.map { " @specifiedBy(url: \(GraphQLText.quoted($0)))" } ?? ""
            return head + "scalar \(type.name)\(url)"
        case .object: return head + "type \(type.name)\(implements)" + printFields(type.fields)
        case .interface: return head + "interface \(type.name)\(implements)" + printFields(type.fields)
        case .union:
            let members = type.possibleTypes.map { system.types[Int($0)].name }.joined(separator: " | ")
            return head + "union \(type.name) = \(members)"
        case .enumeration:
            let values = type.enumValues.range.map { index in
                let value = system.enumValues[index]
                return description(value.description, "  ", isFirst: index == type.enumValues.range.lowerBound)
                    + "  \(value.name)" + deprecated(value.deprecation)
            }
            return head + "enum \(type.name)" + block(values)
        case .input:
            let fields = type.inputs.range.map { index in
                description(
                    system.inputTexts[index].description, "  ", isFirst: index == type.inputs.range.lowerBound)
                    + "  " + printInput(index)
            }
            return head + "input \(type.name)" + block(fields)
        }
    }

    private func block(_ lines: [String]) -> String { " {\n" + lines.joined(separator: "\n") + "\n}" }

    private func printFields(_ slice: GraphQLTypeSystem.Slice) -> String {
        block(
            slice.range.map { index in
                let text = system.fieldTexts[index]
                return description(text.description, "  ", isFirst: index == slice.range.lowerBound)
                    + "  \(text.name)" + printArguments(system.fields[index].arguments, "  ")
                    + ": \(system.text(system.fields[index].type))" + deprecated(text.deprecation)
            })
    }

    private func printArguments(_ slice: GraphQLTypeSystem.Slice, _ indentation: String) -> String {
        if slice.isEmpty { return "" }
        guard slice.range.contains(where: { system.inputTexts[$0].description != nil }) else {
            return "(" + slice.range.map(printInput).joined(separator: ", ") + ")"
        }
        let lines = slice.range.map { index in
            description(
                system.inputTexts[index].description, "  " + indentation, isFirst: index == slice.range.lowerBound)
                + "  " + indentation + printInput(index)
        }
        return "(\n" + lines.joined(separator: "\n") + "\n\(indentation))"
    }

    private func printInput(_ index: Int) -> String {
        let (input, text) = (system.inputs[index], system.inputTexts[index])
        let value = text.defaultValue.map { " = " + system.print($0, as: input.type) } ?? ""
        return "\(text.name): \(system.text(input.type))\(value)" + deprecated(text.deprecation)
    }

    private func deprecated(_ reason: String?) -> String {
        guard let reason else { return "" }
        return reason == Self.defaultDeprecation
            ? " @deprecated" : " @deprecated(reason: \(GraphQLText.quoted(reason)))"
    }
}

extension GraphQLTypeSystem {
    /// Prints a coerced value as a literal of a type.
    func print(_ value: JSONValue, as type: TypeUse) -> String {
        let type = type.nullable
        if case .null = value { return "null" }
        if type.isList {
            guard case .array(let elements) = value else { return print(value, as: type.inner) }
            return "[" + elements.map { print($0, as: type.inner) }.joined(separator: ", ") + "]"
        }
        let definition = types[Int(type.type)]
        switch (definition.kind, value) {
        case (.enumeration, .string(let name)): return name
        case (.input, .object(let members)):
            let fields = members.compactMap { member -> String? in
                guard let field = definition.inputs.range.first(where: { inputTexts[$0].name == member.key }) else {
                    return nil
                }
                return "\(member.key): \(print(member.value, as: inputs[field].type))"
            }
            return "{" + fields.joined(separator: ", ") + "}"
        case (.scalar, .string(let text)):
            let isInteger = definition.scalar?.builtIn == .id && Int64(text).map { "\($0)" == text } == true
            return isInteger ? text : GraphQLText.quoted(text)
        case (_, .array(let elements)):
            return "[" + elements.map { print($0, as: type) }.joined(separator: ", ") + "]"
        case (_, .object(let members)):
            return "{" + members.map { "\($0.key): \(print($0.value, as: type))" }.joined(separator: ", ") + "}"
        default: return String(decoding: value.bytes, as: UTF8.self)
        }
    }
}

/// Turns literals of a document into the values that resolvers see (GraphQL October 2021, section 3.12 of each type).
/// Enum values become strings.
struct GraphQLLiteralCoercion {
    typealias TypeUse = GraphQLTypeSystem.TypeUse

    let system: GraphQLTypeSystem
    let document: GraphQLDocument
    /// The coerced variables that the client gave or that have a default, by the number of their names.
    let variables: [GraphQLNames.ID: JSONValue]

    /// Returns the value of a literal; nil when it does not have the type.
    func coerce(_ index: Int, to type: TypeUse) -> JSONValue? {
        let value = document.values[index]
        if value.kind == .variable {
            guard let given = variables[value.name], !(type.isNonNull && given == .null) else { return nil }
            return given
        }
        if value.kind == .null { return type.isNonNull ? nil : .null }
        let type = type.nullable
        if type.isList { return list(index, item: type.inner) }
        switch system.kinds[Int(type.type)] {
        case .input: return object(index, of: type.type)
        case .enumeration:
            guard value.kind == .enumeration, enumValue(value.name, of: type.type) != nil else { return nil }
            return .string(document.names[value.name])
        case .scalar: return scalar(index, of: type.type)
        case .object, .interface, .union: return nil
        }
    }

    private func enumValue(_ name: GraphQLNames.ID, of type: UInt32) -> UInt32? {
        system.names.find(document.names[name]).flatMap { system.members.find(type, $0) }
    }

    /// Whether a literal is a variable that has no value.
    func isMissing(_ index: Int) -> Bool {
        let value = document.values[index]
        return value.kind == .variable && variables[value.name] == nil
    }

    private func list(_ index: Int, item: TypeUse) -> JSONValue? {
        guard document.values[index].kind == .list else { return coerce(index, to: item).map { .array([$0]) } }
        var elements: [JSONValue] = []
        for child in document.children(of: index) {
            if isMissing(child) {
                if item.isNonNull { return nil }
                elements.append(.null)
            } else {
                guard let element = coerce(child, to: item) else { return nil }
                elements.append(element)
            }
        }
        return .array(elements)
    }

    private func object(_ index: Int, of type: UInt32) -> JSONValue? {
        guard document.values[index].kind == .object else { return nil }
        var given: [String: Int] = [:]
        for member in document.children(of: index) { given[document.names[document.values[member].name]] = member + 1 }
        var members: [JSONValue.Member] = []
        for field in system.types[Int(type)].inputs.range {
            let text = system.inputTexts[field]
            let expected = system.inputs[field].type
            if let value = given[text.name], !isMissing(value) {
                guard let coerced = coerce(value, to: expected) else { return nil }
                members.append(.init(text.name, coerced))
            } else if let value = text.defaultValue {
                members.append(.init(text.name, value))
            } else if expected.isNonNull {
                return nil
            }
        }
        return .object(members)
    }

    private func scalar(_ index: Int, of type: UInt32) -> JSONValue? {
        guard let scalar = system.types[Int(type)].scalar else { return nil }
        let value = document.values[index]
        if let builtIn = scalar.builtIn {
            guard builtIn.fault(document, index) == nil else { return nil }
            // An ID may be written as any integer.
            if builtIn == .id, value.kind == .integer { return .string(document.number(of: value)) }
        }
        return untyped(index).flatMap { try? scalar.coerceInput($0) }
    }

    /// Returns the value of a literal whose type says nothing about it.
    func untyped(_ index: Int) -> JSONValue? {
        let value = document.values[index]
        switch value.kind {
        case .variable: return variables[value.name] ?? .null
        case .integer, .float:
            let text = document.number(of: value)
            if value.kind == .integer, let integer = Int64(text) { return .integer(integer) }
            guard let number = Double(text), number.isFinite else { return nil }
            return .number(number)
        case .string, .blockString: return .string(document.string(of: value))
        case .true: return .boolean(true)
        case .false: return .boolean(false)
        case .null: return .null
        case .enumeration: return .string(document.names[value.name])
        case .list:
            var elements: [JSONValue] = []
            for child in document.children(of: index) {
                guard let element = untyped(child) else { return nil }
                elements.append(element)
            }
            return .array(elements)
        case .object:
            var members: [JSONValue.Member] = []
            for child in document.children(of: index) {
                guard let element = untyped(child + 1) else { return nil }
                members.append(.init(document.names[document.values[child].name], element))
            }
            return .object(members)
        case .member: return untyped(index + 1)
        }
    }
}

extension GraphQLScalar.BuiltIn {
    /// Returns why a literal is none of this scalar; nil when it is one.
    func fault(_ document: GraphQLDocument, _ index: Int) -> String? {
        let value = document.values[index]
        switch (self, value.kind) {
        case (.int, .integer):
            if value.endOffset - value.offset <= 9 || Int32(document.number(of: value)) != nil { return nil }
            return "Int cannot represent non 32-bit signed integer value: \(document.excerpt(index))"
        case (.float, .integer), (.float, .float):
            if Double(document.number(of: value))?.isFinite == true { return nil }
            return "Float cannot represent non numeric value: \(document.excerpt(index))"
        case (.string, .string), (.string, .blockString), (.boolean, .true), (.boolean, .false), (.id, .string),
            (.id, .blockString), (.id, .integer):
            return nil
        case (.int, _): return "Int cannot represent non-integer value: \(document.excerpt(index))"
        case (.float, _): return "Float cannot represent non numeric value: \(document.excerpt(index))"
        case (.string, _): return "String cannot represent a non string value: \(document.excerpt(index))"
        case (.boolean, _): return "Boolean cannot represent a non boolean value: \(document.excerpt(index))"
        case (.id, _):
            return "ID cannot represent a non-string and non-integer value: \(document.excerpt(index))"
        }
    }
}

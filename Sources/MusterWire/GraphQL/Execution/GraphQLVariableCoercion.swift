import MusterCore

/// Turns the variables that a client gives into the values that resolvers see (GraphQL October 2021, section 6.1.2).
struct GraphQLVariableCoercion {
    typealias TypeUse = GraphQLTypeSystem.TypeUse

    private let system: GraphQLTypeSystem
    private let document: GraphQLDocument
    private let symbols: [GraphQLNames.ID]
    private let places: GraphQLPlaces
    private let limit: Int
    private(set) var errors: [GraphQLError] = []

    init(_ request: GraphQLRequest, _ places: GraphQLPlaces) {
        system = request.schema.system
        document = request.document
        symbols = request.symbols
        self.places = places
        limit = request.limits.errors
    }

    /// Returns the values of an operation's variables, without those that have none; collects the faults in `errors`.
    mutating func coerce(
        _ slice: GraphQLDocument.Slice, from given: [JSONValue.Member]
    ) -> [GraphQLNames.ID: JSONValue] {
        guard !slice.isEmpty else { return [:] }
        let given = Dictionary(given.map { (ExactText($0.key), $0.value) }, uniquingKeysWith: { _, last in last })
        var values: [GraphQLNames.ID: JSONValue] = [:]
        for index in slice.range {
            let variable = document.variables[index]
            let name = document.names[variable.name]
            guard let type = system.typesByName[symbols[Int(variable.type.name)]] else { continue }
            let use = TypeUse(type: type, wrapping: variable.type.wrapping)
            guard let value = given[ExactText(name)] else {
                if let value = variable.defaultValue {
                    let coercion = GraphQLLiteralCoercion(system: system, document: document, variables: [:])
                    values[variable.name] = coercion.coerce(Int(value), to: use)
                } else if use.isNonNull {
                    report("Variable '$\(name)' of required type '\(system.text(use))' was not provided.", variable)
                }
                continue
            }
            if value == .null, use.isNonNull {
                report("Variable '$\(name)' of non-null type '\(system.text(use))' must not be null.", variable)
                continue
            }
            values[variable.name] = coerce(value, to: use, variable, path: name, isRoot: true)
        }
        return values
    }

    private mutating func report(_ message: String, _ variable: GraphQLDocument.Variable) {
        guard errors.count < limit else { return }
        errors.append(GraphQLError(.request, message, at: [places.location(of: variable.offset)]))
    }

    private mutating func report(
        _ message: String, _ value: JSONValue, _ variable: GraphQLDocument.Variable, _ path: String, isRoot: Bool
    ) {
        let place = isRoot ? "" : " at '\(path)'"
        report(
            "Variable '$\(document.text(variable.name))' got invalid value \(value.excerpt)\(place); \(message)",
            variable)
    }

    private mutating func coerce(
        _ value: JSONValue, to type: TypeUse, _ variable: GraphQLDocument.Variable, path: String, isRoot: Bool = false
    ) -> JSONValue? {
        guard errors.count < limit else { return nil }
        if value == .null {
            guard type.isNonNull else { return .null }
            report(
                "Expected non-nullable type '\(system.text(type))' not to be null.", value, variable, path,
                isRoot: isRoot)
            return nil
        }
        let type = type.nullable
        if type.isList {
            guard case .array(let elements) = value else {
                return coerce(value, to: type.inner, variable, path: path, isRoot: isRoot).map { .array([$0]) }
            }
            return .array(
                elements.enumerated().map { index, element in
                    coerce(element, to: type.inner, variable, path: "\(path)[\(index)]") ?? .null
                })
        }
        let definition = system.types[Int(type.type)]
        switch definition.kind {
        case .input: return object(value, of: definition, variable, path, isRoot: isRoot)
        case .enumeration:
            let names = definition.enumValues.range.map { system.enumValues[$0].name }
            if let text = value.string, names.contains(text) { return value }
            let message =
                value.string.map { "Value '\($0.prefix(100))' does not exist in '\(definition.name)' enum." }
                ?? "Enum '\(definition.name)' cannot represent non-string value: \(value.excerpt)."
            report(message, value, variable, path, isRoot: isRoot)
            return nil
        case .scalar:
            guard let scalar = definition.scalar else { return nil }
            do {
                return try scalar.coerceInput(value)
            } catch {
                report(error.message, value, variable, path, isRoot: isRoot)
                return nil
            }
        case .object, .interface, .union: return nil
        }
    }

    private mutating func object(
        _ value: JSONValue, of type: GraphQLTypeSystem.TypeDefinition, _ variable: GraphQLDocument.Variable,
        _ path: String, isRoot: Bool
    ) -> JSONValue? {
        guard case .object(let members) = value else {
            report("Expected type '\(type.name)' to be a mapping.", value, variable, path, isRoot: isRoot)
            return nil
        }
        var coerced: [JSONValue.Member] = []
        for index in type.inputs.range {
            let text = system.inputTexts[index]
            let use = system.inputs[index].type
            if let member = members.first(where: { $0.key == text.name }) {
                let value = coerce(member.value, to: use, variable, path: "\(path).\(text.name)")
                coerced.append(.init(text.name, value ?? .null))
            } else if let value = text.defaultValue {
                coerced.append(.init(text.name, value))
            } else if use.isNonNull {
                report(
                    "Field '\(text.name)' of required type '\(system.text(use))' was not provided.", value, variable,
                    path, isRoot: isRoot)
            }
        }
        let known = Set(type.inputs.range.map { system.inputTexts[$0].name })
        for member in members where !known.contains(member.key) && errors.count < limit {
            let suggestions = GraphQLSuggestions.similar(to: member.key, in: known.sorted())
            report(
                "Field '\(member.key.prefix(100))' is not defined by type '\(type.name)'."
                    + GraphQLSuggestions.question(suggestions), value, variable, path, isRoot: isRoot)
        }
        return .object(coerced)
    }
}

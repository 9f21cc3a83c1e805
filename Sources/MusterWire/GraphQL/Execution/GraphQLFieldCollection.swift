/// The selections of one response name in a selection set, with its fragments expanded.
struct GraphQLFieldGroup {
    var responseName: GraphQLNames.ID
    /// The index of the field in the schema; `none` when the type does not have it.
    var field: UInt32
    /// The indices of the selections, in the order of the source.
    var selections: [Int]
}

/// Collects the fields that an operation selects from an object (GraphQL October 2021, section 6.3.2), and coerces
/// their arguments (6.4.1).
struct GraphQLFieldCollection {
    typealias Slice = GraphQLDocument.Slice

    private let request: GraphQLRequest
    private let document: GraphQLDocument
    private let system: GraphQLTypeSystem
    private let literals: GraphQLLiteralCoercion
    private let skip: GraphQLNames.ID?
    private let include: GraphQLNames.ID?

    init(_ operation: GraphQLOperation) {
        request = operation.request
        document = request.document
        system = request.schema.system
        literals = GraphQLLiteralCoercion(system: system, document: document, variables: operation.variables)
        (skip, include) = (document.names.find("skip"), document.names.find("include"))
    }

    /// The text of a name of the document.
    func text(_ name: GraphQLNames.ID) -> String { document.names[name] }

    /// Returns the fields that selection sets select from an object type.
    ///
    /// - Throws: the condition of a `@skip` or `@include` has no value.
    func fields(of type: UInt32, in sets: [Slice]) throws(GraphQLError) -> [GraphQLFieldGroup] {
        var groups: [GraphQLFieldGroup] = []
        var positions: [GraphQLNames.ID: Int] = [:]
        var spreads: Set<GraphQLNames.ID> = []
        var rest = Array(sets.reversed())
        while var slice = rest.popLast() {
            while slice.first < slice.end {
                let index = slice.first
                let selection = document.selections[Int(index)]
                slice.first = selection.end
                guard try isIncluded(selection) else { continue }
                var inner = Slice(first: index + 1, end: selection.end)
                switch selection.kind {
                case .field:
                    add(Int(index), selection, of: type, to: &groups, &positions)
                    continue
                case .inline:
                    guard applies(selection.name, to: type) else { continue }
                case .spread:
                    guard spreads.insert(selection.name).inserted, let fragment = request.fragment(selection.name),
                        applies(document.fragments[fragment].condition.name, to: type)
                    else { continue }
                    inner = document.fragments[fragment].selections
                }
                rest.append(slice)
                slice = inner
            }
        }
        return groups
    }

    private func add(
        _ index: Int, _ selection: GraphQLDocument.Selection, of type: UInt32, to groups: inout [GraphQLFieldGroup],
        _ positions: inout [GraphQLNames.ID: Int]
    ) {
        if let position = positions[selection.responseName] {
            groups[position].selections.append(index)
        } else {
            positions[selection.responseName] = groups.count
            groups.append(
                .init(
                    responseName: selection.responseName,
                    field: system.field(request.symbols[Int(selection.name)], of: type), selections: [index]))
        }
    }

    private func applies(_ condition: GraphQLNames.ID, to type: UInt32) -> Bool {
        guard condition != GraphQLNames.none else { return true }
        guard let expected = system.typesByName[request.symbols[Int(condition)]] else { return false }
        return system.isPossible(type, for: expected)
    }

    private func isIncluded(_ selection: GraphQLDocument.Selection) throws(GraphQLError) -> Bool {
        for name in [skip, include] {
            guard let name else { continue }
            for index in selection.directives.range where document.directives[index].name == name {
                if try condition(document.directives[index]) == (name == skip) { return false }
            }
        }
        return true
    }

    /// The value of a directive's argument `if`.
    private func condition(_ directive: GraphQLDocument.Directive) throws(GraphQLError) -> Bool {
        guard let argument = directive.arguments.range.first else { return true }
        let value = Int(document.arguments[argument].value)
        switch document.values[value].kind {
        case .true: return true
        case .false: return false
        default: break
        }
        if case .boolean(let isTrue)? = literals.variables[document.values[value].name] { return isTrue }
        throw fault(
            "Argument 'if' of required type 'Boolean!' was provided the variable"
                + " '\(document.excerpt(value))' which was not provided a runtime value.",
            at: document.values[value].offset)
    }

    private func fault(_ message: String, at offset: UInt32) -> GraphQLError {
        GraphQLError(.field, message, at: [GraphQLPlaces(document.source).location(of: offset)])
    }

    /// Returns the sets within the selections of a field.
    func children(of group: GraphQLFieldGroup) -> [Slice] {
        group.selections.compactMap { index in
            let selection = document.selections[index]
            return selection.hasSet ? Slice(first: UInt32(index + 1), end: selection.end) : nil
        }
    }

    /// Where the source selects a field.
    func locations(of group: GraphQLFieldGroup, _ places: GraphQLPlaces) -> [GraphQLLocation] {
        group.selections.prefix(100).map { places.location(of: document.selections[$0].offset) }
    }

    /// Returns the arguments of a field in the order of the schema, without those that have no value.
    ///
    /// - Throws: an argument must not be null, or has no value and no default.
    func arguments(of group: GraphQLFieldGroup) throws(GraphQLError) -> [JSONValue.Member] {
        let definition = system.fields[Int(group.field)]
        guard !definition.arguments.isEmpty, let selection = group.selections.first else { return [] }
        let node = document.selections[selection]
        var members: [JSONValue.Member] = []
        for index in definition.arguments.range {
            let (input, text) = (system.inputs[index], system.inputTexts[index])
            let given = node.arguments.range.first {
                request.symbols[Int(document.arguments[$0].name)] == input.symbol
            }
            let value = given.map { Int(document.arguments[$0].value) }
            guard let value, !literals.isMissing(value) else {
                if let value = text.defaultValue {
                    members.append(.init(text.name, value))
                } else if input.type.isNonNull {
                    throw missing(text.name, input.type, value, node)
                }
                continue
            }
            guard let coerced = literals.coerce(value, to: input.type) else {
                let isNull = document.values[value].kind == .variable
                throw fault(
                    isNull
                        ? "Argument '\(text.name)' of non-null type '\(system.text(input.type))' must not be null."
                        : "Argument '\(text.name)' has invalid value \(document.excerpt(value)).",
                    at: document.values[value].offset)
            }
            members.append(.init(text.name, coerced))
        }
        return members
    }

    private func missing(
        _ name: String, _ type: GraphQLTypeSystem.TypeUse, _ value: Int?, _ node: GraphQLDocument.Selection
    ) -> GraphQLError {
        let subject = "Argument '\(name)' of required type '\(system.text(type))' was"
        guard let value else { return fault("\(subject) not provided.", at: node.offset) }
        return fault(
            "\(subject) provided the variable '\(document.excerpt(value))' which was not provided a runtime value.",
            at: document.values[value].offset)
    }
}

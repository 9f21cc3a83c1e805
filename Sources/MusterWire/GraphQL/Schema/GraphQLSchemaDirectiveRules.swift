/// Checks the directives in a schema's source: they are known, stand where they may, stand there once, and have the
/// arguments that they need.
struct GraphQLSchemaDirectiveRules {
    typealias Node = GraphQLDocument.TypeSystemNode
    typealias Name = GraphQLNames.ID

    private struct Definition {
        var locations: [GraphQLDirectiveLocation]
        var isRepeatable: Bool
        var arguments: [(name: String, type: String, isRequired: Bool)]
    }

    let document: GraphQLDocument
    var reporter: GraphQLReporter
    private var definitions: [String: Definition] = [:]
    /// The first use of each directive on a type and its extensions, and on the schema.
    private var seen: [Name: [Name: UInt32]] = [:]

    init(_ document: GraphQLDocument, _ prelude: GraphQLDocument, _ reporter: GraphQLReporter) {
        self.document = document
        self.reporter = reporter
        for source in [prelude, document] {
            for node in source.typeSystem where node.kind == .directive {
                definitions[source.names[node.name.name]] = Definition(
                    locations: node.locations, isRepeatable: node.isRepeatable,
                    arguments: node.inputs.map { input in
                        (
                            source.names[input.name.name], input.type.wrapping.text(source.names[input.type.name]),
                            input.type.wrapping.isNonNull && input.defaultValue == nil
                        )
                    })
            }
        }
    }

    mutating func check() {
        for node in document.typeSystem {
            checkOnType(node)
            for value in node.enumValues { check(value.directives, on: .enumValue) }
            for field in node.fields {
                check(field.directives, on: .fieldDefinition)
                for argument in field.arguments { check(argument.directives, on: .argumentDefinition) }
            }
            for input in node.inputs {
                check(input.directives, on: node.kind == .input ? .inputFieldDefinition : .argumentDefinition)
            }
        }
        for (index, value) in document.values.enumerated() where value.kind == .object { checkMembers(of: index) }
    }

    private mutating func checkOnType(_ node: Node) {
        let location: GraphQLDirectiveLocation? =
            switch node.kind {
            case .schema: .schema
            case .scalar: .scalar
            case .object: .object
            case .interface: .interface
            case .union: .union
            case .enumeration: .enum
            case .input: .inputObject
            case .directive: nil
            }
        guard let location else { return }
        var earlier = seen[node.name.name] ?? [:]
        check(node.directives, on: location, earlier: &earlier)
        seen[node.name.name] = earlier
    }

    private mutating func check(_ directives: GraphQLDocument.Slice, on location: GraphQLDirectiveLocation) {
        var earlier: [Name: UInt32] = [:]
        check(directives, on: location, earlier: &earlier)
    }

    private mutating func check(
        _ directives: GraphQLDocument.Slice, on location: GraphQLDirectiveLocation, earlier: inout [Name: UInt32]
    ) {
        for index in directives.range {
            let directive = document.directives[index]
            let name = document.text(directive.name)
            checkUnique(directive.arguments)
            guard let definition = definitions[document.names[directive.name]] else {
                reporter.report("Unknown directive '@\(name)'.", at: directive.offset)
                continue
            }
            if !definition.locations.contains(location) {
                reporter.report(
                    "Directive '@\(name)' may not be used on \(location.rawValue).", at: directive.offset)
            }
            if !definition.isRepeatable {
                if let first = earlier[directive.name] {
                    reporter.report(
                        "The directive '@\(name)' can only be used once at this location.",
                        at: [first, directive.offset])
                } else {
                    earlier[directive.name] = directive.offset
                }
            }
            checkArguments(of: directive, definition)
        }
    }

    private mutating func checkArguments(of directive: GraphQLDocument.Directive, _ definition: Definition) {
        let name = document.text(directive.name)
        let given = directive.arguments.range.map { document.arguments[$0] }
        for argument in given where !definition.arguments.contains(where: { $0.name == document.names[argument.name] })
        {
            reporter.report(
                "Unknown argument '\(document.text(argument.name))' on directive '@\(name)'.", at: argument.offset)
        }
        for argument in definition.arguments where argument.isRequired {
            if given.contains(where: { document.names[$0.name] == argument.name }) { continue }
            reporter.report(
                "Directive '@\(name)' argument '\(argument.name)' of type '\(argument.type)' is required,"
                    + " but it was not provided.", at: directive.offset)
        }
    }

    private mutating func checkUnique(_ arguments: GraphQLDocument.Slice) {
        var order: [Name] = []
        var offsets: [Name: [UInt32]] = [:]
        for index in arguments.range {
            let argument = document.arguments[index]
            if offsets[argument.name] == nil { order.append(argument.name) }
            offsets[argument.name, default: []].append(argument.offset)
        }
        for name in order {
            guard let places = offsets[name], places.count > 1 else { continue }
            reporter.report("There can be only one argument named '\(document.text(name))'.", at: places)
        }
    }

    private mutating func checkMembers(of index: Int) {
        var known: [Name: UInt32] = [:]
        for child in document.children(of: index) {
            let member = document.values[child]
            if let first = known[member.name] {
                reporter.report(
                    "There can be only one input field named '\(document.text(member.name))'.",
                    at: [first, member.offset])
            } else {
                known[member.name] = member.offset
            }
        }
    }
}

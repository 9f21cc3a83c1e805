/// Checks the rules that a schema's source must keep before its types can be built (GraphQL October 2021, section 3):
/// names are known and defined once, and directives stand where they may.
struct GraphQLSchemaRules {
    typealias Node = GraphQLDocument.TypeSystemNode
    typealias Name = GraphQLNames.ID

    let document: GraphQLDocument
    let prelude: GraphQLDocument
    var reporter: GraphQLReporter
    /// The definitions of types, by name.
    private var definitions: [Name: Node] = [:]
    /// The names of the prelude's types, of which the source may speak without a definition.
    private let builtInNames: Set<String>

    init(_ document: GraphQLDocument, _ prelude: GraphQLDocument) {
        self.document = document
        self.prelude = prelude
        reporter = GraphQLReporter(document.source, limit: 100)
        builtInNames = GraphQLSchema.introspectionTypes.union(GraphQLScalar.BuiltIn.allCases.map(\.rawValue))
        for node in document.typeSystem where !node.isExtension && node.kind != .schema && node.kind != .directive {
            definitions[node.name.name] = node
        }
    }

    mutating func check() {
        for operation in document.operations {
            reporter.report("A schema's source must not have operations.", at: operation.offset)
        }
        for fragment in document.fragments {
            reporter.report("A schema's source must not have fragments.", at: fragment.offset)
        }
        checkSchemaDefinitions()
        checkDefinedOnce()
        checkExtensions()
        checkMembers()
        checkTypeNames()
        var directives = GraphQLSchemaDirectiveRules(document, prelude, reporter)
        directives.check()
        reporter = directives.reporter
    }

    private mutating func checkSchemaDefinitions() {
        let schemas = document.typeSystem.filter { $0.kind == .schema }
        for node in schemas.filter({ !$0.isExtension }).dropFirst() {
            reporter.report("Must provide only one schema definition.", at: node.offset)
        }
        var defined: [GraphQLOperationKind: UInt32] = [:]
        for operation in schemas.flatMap(\.operations) {
            if let first = defined[operation.kind] {
                reporter.report(
                    "There can be only one \(operation.kind.rawValue) type in schema.", at: [first, operation.offset])
            } else {
                defined[operation.kind] = operation.offset
            }
        }
    }

    private mutating func checkDefinedOnce() {
        var types: [Name: UInt32] = [:]
        var directives: [Name: UInt32] = [:]
        for node in document.typeSystem where !node.isExtension && node.kind != .schema {
            let name = node.name
            let isDirective = node.kind == .directive
            if let first = isDirective ? directives[name.name] : types[name.name] {
                let what = isDirective ? "directive named '@" : "type named '"
                reporter.report(
                    "There can be only one \(what)\(document.text(name.name))'.", at: [first, name.offset])
            } else if isDirective {
                directives[name.name] = name.offset
            } else {
                types[name.name] = name.offset
            }
        }
    }

    private mutating func checkExtensions() {
        for node in document.typeSystem where node.isExtension && node.kind != .schema {
            let name = document.text(node.name.name)
            if let definition = definitions[node.name.name] {
                guard definition.kind != node.kind else { continue }
                reporter.report(
                    "Cannot extend non-\(Self.word(node.kind)) type '\(name)'.",
                    at: [definition.offset, node.offset])
            } else {
                reporter.report(
                    "Cannot extend type '\(name)' because it is not defined.", at: node.name.offset)
            }
        }
    }

    private static func word(_ kind: Node.Kind) -> String {
        switch kind {
        case .scalar: "scalar"
        case .object: "object"
        case .interface: "interface"
        case .union: "union"
        case .enumeration: "enum"
        case .input: "input object"
        case .schema: "schema"
        case .directive: "directive"
        }
    }

    private mutating func checkMembers() {
        var known: [Name: [Name: UInt32]] = [:]
        for node in document.typeSystem {
            let type = document.text(node.name.name)
            var members = known[node.name.name] ?? [:]
            func check(_ names: [GraphQLDocument.NameNode], _ message: (String) -> String) {
                for name in names {
                    if let first = members[name.name] {
                        reporter.report(message(document.text(name.name)), at: [first, name.offset])
                    } else {
                        members[name.name] = name.offset
                    }
                }
            }
            if node.kind == .directive {
                checkArguments(node.inputs, of: "@\(type)")
                continue
            }
            check(node.fields.map(\.name) + node.inputs.map(\.name)) {
                "Field '\(type).\($0)' can only be defined once."
            }
            check(node.enumValues.map(\.name)) { "Enum value '\(type).\($0)' can only be defined once." }
            known[node.name.name] = members
            for field in node.fields {
                checkArguments(field.arguments, of: "\(type).\(document.text(field.name.name))")
            }
        }
    }

    private mutating func checkArguments(_ arguments: [GraphQLDocument.InputNode], of owner: String) {
        var order: [Name] = []
        var offsets: [Name: [UInt32]] = [:]
        for argument in arguments {
            if offsets[argument.name.name] == nil { order.append(argument.name.name) }
            offsets[argument.name.name, default: []].append(argument.name.offset)
        }
        for name in order {
            guard let places = offsets[name], places.count > 1 else { continue }
            reporter.report(
                "Argument '\(owner)(\(document.text(name)):)' can only be defined once.", at: places)
        }
    }

    private mutating func checkTypeNames() {
        for node in document.typeSystem {
            for operation in node.operations { checkType(operation.type) }
            for type in node.types { checkType(type) }
            for input in node.inputs { checkType(input.type) }
            for field in node.fields {
                checkType(field.type)
                for argument in field.arguments { checkType(argument.type) }
            }
        }
    }

    private mutating func checkType(_ reference: GraphQLDocument.TypeReference) {
        checkType(.init(name: reference.name, offset: reference.nameOffset))
    }

    private mutating func checkType(_ name: GraphQLDocument.NameNode) {
        let text = document.names[name.name]
        if definitions[name.name] != nil || builtInNames.contains(text) { return }
        let known = definitions.keys.map { document.names[$0] } + builtInNames
        let suggestions = GraphQLSuggestions.similar(to: text, in: known)
        reporter.report(
            "Unknown type '\(document.text(name.name))'.\(GraphQLSuggestions.question(suggestions))", at: name.offset)
    }
}

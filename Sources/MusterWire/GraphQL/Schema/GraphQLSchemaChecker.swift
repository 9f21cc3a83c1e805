/// Checks the built types of a schema (GraphQL October 2021, the sections "Type Validation" of section 3).
struct GraphQLSchemaChecker {
    typealias TypeID = GraphQLTypeSystem.TypeID
    typealias TypeUse = GraphQLTypeSystem.TypeUse
    typealias Node = GraphQLDocument.TypeSystemNode

    let builder: GraphQLSchemaBuilder
    let system: GraphQLTypeSystem
    let document: GraphQLDocument
    var reporter: GraphQLReporter

    init(_ builder: GraphQLSchemaBuilder) {
        self.builder = builder
        system = builder.system
        document = builder.document
        reporter = GraphQLReporter(builder.document.source, limit: 100)
    }

    mutating func check() {
        checkRoots()
        for directive in system.directives.prefix(builder.ownDirectives) {
            let node = document.typeSystem.first {
                $0.kind == .directive && document.names[$0.name.name] == directive.name
            }
            checkName(directive.name, at: node?.offset ?? 0)
            for index in directive.arguments.range {
                checkInput(index, "@\(directive.name)(\(system.inputTexts[index].name):)", isOffsetOfType: false)
            }
        }
        for (index, type) in system.types.prefix(builder.ownTypes).enumerated() { check(index, type) }
        checkCircles()
        for fault in builder.faultyDefaults where fault.input < builder.ownInputs {
            let input = system.inputs[fault.input]
            reporter.report(
                "The default \(document.excerpt(Int(fault.value))) of '\(system.inputTexts[fault.input].name)' does not"
                    + " have the type '\(system.text(input.type))'.", at: document.values[Int(fault.value)].offset)
        }
    }

    private func offsets(_ type: Int) -> [UInt32] { builder.typeNodes[type].map(\.offset) }

    private mutating func checkRoots() {
        if system.query == GraphQLTypeSystem.none {
            let node = document.typeSystem.first { $0.kind == .schema && !$0.isExtension }
            reporter.report("Query root type must be provided.", at: node.map { [$0.offset] } ?? [])
        }
        for kind in GraphQLOperationKind.allCases {
            let root = system.root(kind)
            guard root != GraphQLTypeSystem.none, system.kinds[Int(root)] != .object else { continue }
            let word = kind.rawValue.prefix(1).uppercased() + kind.rawValue.dropFirst()
            let condition = kind == .query ? "" : " if provided"
            let named = document.typeSystem.filter { $0.kind == .schema }.flatMap(\.operations).first {
                $0.kind == kind
            }
            let own = Int(root) < builder.ownTypes ? offsets(Int(root)).prefix(1) : []
            reporter.report(
                "\(word) root type must be Object type\(condition), it cannot be \(system.types[Int(root)].name).",
                at: named.map { [$0.type.offset] } ?? Array(own))
        }
    }

    private mutating func checkName(_ name: String, at offset: UInt32) {
        guard name.hasPrefix("__") else { return }
        reporter.report(
            "Name '\(name)' must not begin with '__', which is reserved by GraphQL introspection.", at: offset)
    }

    private mutating func check(_ index: Int, _ type: GraphQLTypeSystem.TypeDefinition) {
        if !GraphQLSchema.introspectionTypes.contains(type.name) {
            checkName(type.name, at: offsets(index).first ?? 0)
        }
        switch type.kind {
        case .object, .interface:
            checkFields(index, type)
            checkInterfaces(index, type)
        case .union: checkMembers(index, type)
        case .enumeration:
            if type.enumValues.isEmpty {
                reporter.report("Enum type \(type.name) must define one or more values.", at: offsets(index))
            }
            for value in builder.typeNodes[index].flatMap(\.enumValues) {
                checkName(document.names[value.name.name], at: value.name.offset)
            }
        case .input:
            if type.inputs.isEmpty {
                reporter.report("Input Object type \(type.name) must define one or more fields.", at: offsets(index))
            }
            for input in type.inputs.range {
                checkInput(input, "\(type.name).\(system.inputTexts[input].name)", isField: true)
            }
        case .scalar: break
        }
    }

    private mutating func checkFields(_ index: Int, _ type: GraphQLTypeSystem.TypeDefinition) {
        if type.fields.isEmpty {
            reporter.report("Type \(type.name) must define one or more fields.", at: offsets(index))
        }
        for field in type.fields.range {
            let name = system.fieldTexts[field].name
            let node = builder.fieldNodes[field]
            checkName(name, at: node.offset)
            if system.kind(of: system.fields[field].type)?.isOutput != true {
                reporter.report(
                    "The type of \(type.name).\(name) must be Output Type but got:"
                        + " \(system.text(system.fields[field].type)).", at: node.type.offset)
            }
            for argument in system.fields[field].arguments.range {
                checkInput(argument, "\(type.name).\(name)(\(system.inputTexts[argument].name):)")
            }
        }
    }

    private mutating func checkInput(
        _ index: Int, _ text: String, isField: Bool = false, isOffsetOfType: Bool = true
    ) {
        let (input, node) = (system.inputs[index], builder.inputNodes[index])
        checkName(system.inputTexts[index].name, at: node.offset)
        if system.kind(of: input.type)?.isInput != true {
            reporter.report(
                "The type of \(text) must be Input Type but got: \(system.text(input.type)).",
                at: isOffsetOfType ? node.type.offset : node.offset)
        }
        if input.isRequired, system.inputTexts[index].deprecation != nil {
            let directive = node.directives.range.first {
                document.names[document.directives[$0].name] == "deprecated"
            }
            let places = directive.map { [document.directives[$0].offset] } ?? []
            reporter.report(
                "Required \(isField ? "input field" : "argument") \(text) cannot be deprecated.",
                at: places + [node.type.offset])
        }
    }

    private mutating func checkMembers(_ index: Int, _ union: GraphQLTypeSystem.TypeDefinition) {
        if union.possibleTypes.isEmpty {
            reporter.report("Union type \(union.name) must define one or more member types.", at: offsets(index))
        }
        var seen: Set<TypeID> = []
        for member in union.possibleTypes {
            let name = system.types[Int(member)].name
            let places = places(of: name, in: index)
            if system.kinds[Int(member)] != .object {
                reporter.report(
                    "Union type \(union.name) can only include Object types, it cannot include \(name).", at: places)
            } else if !seen.insert(member).inserted {
                reporter.report("Union type \(union.name) can only include type \(name) once.", at: places)
            }
        }
    }

    /// Where the source of a type names another as its interface or member.
    func places(of name: String, in index: Int) -> [UInt32] {
        guard index < builder.ownTypes else { return [] }
        return builder.typeNodes[index].flatMap(\.types).filter { document.names[$0.name] == name }.map(\.offset)
    }

    /// Refuses input objects that can have no finite value: they contain themselves through non-null fields.
    private mutating func checkCircles() {
        var state = [UInt8](repeating: 0, count: system.types.count)
        var path: [(type: Int, next: Int, field: Int)] = []
        for root in 0..<builder.ownTypes where system.kinds[root] == .input && state[root] == 0 {
            path = [(root, system.types[root].inputs.range.lowerBound, -1)]
            state[root] = 1
            while let (type, field, _) = path.last {
                guard field < system.types[type].inputs.range.upperBound else {
                    state[type] = 2
                    path.removeLast()
                    continue
                }
                path[path.count - 1].next += 1
                path[path.count - 1].field = field
                let use = system.inputs[field].type
                guard use.isNonNull, use.inner.wrapping.isEmpty, system.kind(of: use) == .input else { continue }
                let target = Int(use.type)
                if state[target] == 0 {
                    state[target] = 1
                    path.append((target, system.types[target].inputs.range.lowerBound, -1))
                } else if state[target] == 1, let start = path.firstIndex(where: { $0.type == target }) {
                    let fields = path[start...].map(\.field)
                    let names = fields.map { system.inputTexts[$0].name }.joined(separator: ".")
                    reporter.report(
                        "Cannot reference Input Object '\(system.types[target].name)' within itself through a series"
                            + " of non-null fields: '\(names)'.", at: fields.map { builder.inputNodes[$0].offset })
                }
            }
        }
    }
}

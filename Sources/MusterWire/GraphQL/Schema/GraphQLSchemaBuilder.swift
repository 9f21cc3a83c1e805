/// Builds the type system that a schema's source defines, whose rules `GraphQLSchemaRules` has checked.
struct GraphQLSchemaBuilder {
    typealias Node = GraphQLDocument.TypeSystemNode
    typealias TypeID = GraphQLTypeSystem.TypeID

    let document: GraphQLDocument
    private let prelude: GraphQLDocument
    private let scalars: [String: GraphQLScalar]
    private(set) var system = GraphQLTypeSystem()
    /// The source of each field, by its index; the nodes of the prelude too.
    private(set) var fieldNodes: [GraphQLDocument.FieldNode] = []
    /// The source of each argument and input field, by its index.
    private(set) var inputNodes: [GraphQLDocument.InputNode] = []
    /// The definition and the extensions of each type of the source, by the type's index; empty for the prelude's.
    private(set) var typeNodes: [[Node]] = []
    /// How many of the types come from the source; those of the prelude follow them.
    private(set) var ownTypes = 0
    /// How many of the fields and of the inputs come from the source.
    private(set) var ownFields = 0
    private(set) var ownInputs = 0
    /// The indices of the directives of the source.
    private(set) var ownDirectives = 0
    /// Inputs of the source whose default does not have their type.
    private(set) var faultyDefaults: [(input: Int, value: UInt32)] = []

    init(_ document: GraphQLDocument, prelude: GraphQLDocument, scalars: [String: GraphQLScalar]) {
        self.document = document
        self.prelude = prelude
        self.scalars = scalars
    }

    mutating func build() {
        declareTypes()
        for (index, nodes) in typeNodes.enumerated() where index < ownTypes {
            for node in nodes { addContents(of: node, to: index, from: document) }
            define(index, nodes, from: document)
        }
        for node in document.typeSystem where node.kind == .directive { addDirective(node, from: document) }
        (ownFields, ownInputs, ownDirectives) = (system.fields.count, system.inputs.count, system.directives.count)
        for (index, nodes) in typeNodes.enumerated() where index >= ownTypes {
            for node in nodes { addContents(of: node, to: index, from: prelude) }
            define(index, nodes, from: prelude)
        }
        for node in prelude.typeSystem where node.kind == .directive { addDirective(node, from: prelude) }
        addMetaFields()
        chooseRoots()
        findPossibleTypes()
        coerceDefaults()
        system.kinds = system.types.map(\.kind)
    }

    // MARK: Types

    private mutating func declareTypes() {
        var positions: [String: Int] = [:]
        for node in document.typeSystem where node.kind != .schema && node.kind != .directive {
            let name = document.names[node.name.name]
            if !node.isExtension {
                positions[name] = typeNodes.count
                typeNodes.append([node])
                declare(name, node)
            }
        }
        for node in document.typeSystem where node.isExtension && node.kind != .schema {
            if let index = positions[document.names[node.name.name]] { typeNodes[index].append(node) }
        }
        ownTypes = typeNodes.count
        let referenced = referencedNames()
        for node in prelude.typeSystem where node.kind != .directive {
            let name = prelude.names[node.name.name]
            let isKept = Self.alwaysThere.contains(name) || referenced.contains(name)
            guard isKept, positions[name] == nil else { continue }
            typeNodes.append([node])
            declare(name, node)
        }
    }

    private static let alwaysThere = GraphQLSchema.introspectionTypes.union(["String", "Boolean"])

    private mutating func declare(_ name: String, _ node: Node) {
        let symbol = system.names.insert(name)
        system.typesByName[symbol] = TypeID(system.types.count)
        let kind: GraphQLTypeKind =
            switch node.kind {
            case .object: .object
            case .interface: .interface
            case .union: .union
            case .enumeration: .enumeration
            case .input: .input
            case .scalar, .schema, .directive: .scalar
            }
        var type = GraphQLTypeSystem.TypeDefinition(
            kind: kind, name: name, symbol: symbol, description: node.description)
        if kind == .scalar {
            let builtIn = GraphQLScalar.BuiltIn(rawValue: name).map { GraphQLScalar($0) }
            type.scalar = builtIn ?? scalars[name] ?? .any
        }
        system.types.append(type)
        system.kinds.append(kind)
    }

    /// The names of all types that the source refers to.
    private func referencedNames() -> Set<String> {
        var names: Set<GraphQLNames.ID> = []
        for node in document.typeSystem {
            for input in node.inputs { names.insert(input.type.name) }
            for field in node.fields {
                names.insert(field.type.name)
                for argument in field.arguments { names.insert(argument.type.name) }
            }
        }
        return Set(names.map { document.names[$0] })
    }

    private mutating func define(_ index: Int, _ nodes: [Node], from document: GraphQLDocument) {
        // The contents of a definition and its extensions are neighbours, because they are added one after the other.
        for node in nodes {
            for type in node.types {
                guard let other = typeID(type.name, in: document) else { continue }
                if node.kind == .union {
                    system.types[index].possibleTypes.append(other)
                } else {
                    system.types[index].interfaces.append(other)
                }
            }
            if let url = argument("url", of: "specifiedBy", on: node.directives, in: document) {
                system.types[index].specifiedBy = url
            }
        }
    }

    private func typeID(_ name: GraphQLNames.ID, in document: GraphQLDocument) -> TypeID? {
        system.names.find(document.names[name]).flatMap { system.typesByName[$0] }
    }

    private func use(_ reference: GraphQLDocument.TypeReference, in document: GraphQLDocument)
        -> GraphQLTypeSystem.TypeUse
    {
        .init(
            type: typeID(reference.name, in: document) ?? GraphQLTypeSystem.none, wrapping: reference.wrapping)
    }

    private mutating func addContents(of node: Node, to index: Int, from document: GraphQLDocument) {
        let isFirst = !node.isExtension
        if isFirst {
            system.types[index].fields.first = UInt32(system.fields.count)
            system.types[index].inputs.first = UInt32(system.inputs.count)
            system.types[index].enumValues.first = UInt32(system.enumValues.count)
        }
        if node.kind == .input { _ = addInputs(node.inputs, from: document, of: index) }
        // Arguments of fields stand in the same array as input fields; a type has only one of both.
        for field in node.fields { addField(field, to: index, from: document) }
        for value in node.enumValues {
            let name = document.names[value.name.name]
            let symbol = system.names.insert(name)
            system.members.insert(UInt32(index), symbol, UInt32(system.enumValues.count))
            system.enumValues.append(
                .init(
                    symbol: symbol, name: name, description: value.description,
                    deprecation: deprecation(value.directives, in: document)))
        }
        system.types[index].fields.end = UInt32(system.fields.count)
        system.types[index].enumValues.end = UInt32(system.enumValues.count)
        if node.kind == .input {
            system.types[index].inputs.end = UInt32(system.inputs.count)
        } else {
            system.types[index].inputs.end = system.types[index].inputs.first
        }
    }

    private mutating func addField(
        _ field: GraphQLDocument.FieldNode, to index: Int, from document: GraphQLDocument
    ) {
        let name = document.names[field.name.name]
        let symbol = system.names.insert(name)
        let arguments = addInputs(field.arguments, from: document, of: nil)
        system.members.insert(UInt32(index), symbol, UInt32(system.fields.count))
        let required = arguments.range.count { system.inputs[$0].isRequired }
        system.fields.append(
            .init(
                symbol: symbol, type: use(field.type, in: document), arguments: arguments,
                requiredArguments: UInt32(required)))
        system.fieldTexts.append(
            .init(
                name: name, description: field.description, deprecation: deprecation(field.directives, in: document)))
        fieldNodes.append(field)
    }

    private mutating func addInputs(
        _ nodes: [GraphQLDocument.InputNode], from document: GraphQLDocument, of type: Int?
    ) -> GraphQLTypeSystem.Slice {
        let first = UInt32(system.inputs.count)
        for node in nodes {
            let name = document.names[node.name.name]
            let symbol = system.names.insert(name)
            if let type { system.members.insert(UInt32(type), symbol, UInt32(system.inputs.count)) }
            system.inputs.append(
                .init(
                    symbol: symbol, type: use(node.type, in: document), hasDefault: node.defaultValue != nil))
            system.inputTexts.append(
                .init(
                    name: name, description: node.description,
                    deprecation: deprecation(node.directives, in: document)))
            inputNodes.append(node)
        }
        return .init(first: first, end: UInt32(system.inputs.count))
    }

    private mutating func addDirective(_ node: Node, from document: GraphQLDocument) {
        let name = document.names[node.name.name]
        let symbol = system.names.insert(name)
        // A source may define a directive of the specification anew.
        guard system.directivesByName[symbol] == nil else { return }
        let arguments = addInputs(node.inputs, from: document, of: nil)
        system.directivesByName[symbol] = UInt32(system.directives.count)
        system.directives.append(
            .init(
                name: name, symbol: symbol, description: node.description, arguments: arguments,
                locations: node.locations, isRepeatable: node.isRepeatable))
    }

    // MARK: Directives in the source

    private func deprecation(_ directives: GraphQLDocument.Slice, in document: GraphQLDocument) -> String? {
        let isDeprecated = directives.range.contains { document.names[document.directives[$0].name] == "deprecated" }
        guard isDeprecated else { return nil }
        return argument("reason", of: "deprecated", on: directives, in: document) ?? GraphQLSchema.defaultDeprecation
    }

    /// The text that a directive has for an argument; nil when there is none.
    private func argument(
        _ argument: String, of directive: String, on slice: GraphQLDocument.Slice, in document: GraphQLDocument
    ) -> String? {
        for index in slice.range where document.names[document.directives[index].name] == directive {
            for index in document.directives[index].arguments.range {
                let node = document.arguments[index]
                let value = document.values[Int(node.value)]
                guard document.names[node.name] == argument, value.kind == .string || value.kind == .blockString
                else { continue }
                return document.string(of: value)
            }
        }
        return nil
    }

    // MARK: Completion

    private mutating func addMetaFields() {
        guard let node = prelude.typeSystem.first(where: { prelude.names[$0.name.name] == "__Meta" }) else { return }
        let first = UInt32(system.fields.count)
        // No type has this index, so the meta fields are found by their own symbols alone.
        let nowhere = system.types.count
        for field in node.fields { addField(field, to: nowhere, from: prelude) }
        (system.typenameField, system.schemaField, system.typeField) = (first, first + 1, first + 2)
        system.typenameSymbol = system.names.insert("__typename")
        system.schemaSymbol = system.names.insert("__schema")
        system.typeSymbol = system.names.insert("__type")
    }

    private mutating func chooseRoots() {
        let nodes = document.typeSystem.filter { $0.kind == .schema }
        system.description = nodes.lazy.compactMap(\.description).first
        var roots: [GraphQLOperationKind: TypeID] = [:]
        if nodes.contains(where: { !$0.isExtension }) {
            for operation in nodes.flatMap(\.operations) {
                roots[operation.kind] = typeID(operation.type.name, in: document)
            }
        } else {
            for kind in GraphQLOperationKind.allCases {
                let name = kind.rawValue.prefix(1).uppercased() + kind.rawValue.dropFirst()
                roots[kind] = system.names.find(name).flatMap { system.typesByName[$0] }
            }
            for operation in nodes.flatMap(\.operations) {
                roots[operation.kind] = typeID(operation.type.name, in: document)
            }
        }
        system.query = roots[.query] ?? GraphQLTypeSystem.none
        system.mutation = roots[.mutation] ?? GraphQLTypeSystem.none
        system.subscription = roots[.subscription] ?? GraphQLTypeSystem.none
    }

    private mutating func findPossibleTypes() {
        for (index, type) in system.types.enumerated() where type.kind == .object {
            for interface in type.interfaces where system.types[Int(interface)].kind == .interface {
                system.types[Int(interface)].possibleTypes.append(TypeID(index))
            }
        }
        system.indexTypes()
    }

    /// How often defaults are coerced anew: as deep as defaults of input objects may refer to each other.
    private static let defaultPasses = 8

    private mutating func coerceDefaults() {
        for pass in 0..<Self.defaultPasses {
            var isSettled = true
            faultyDefaults = []
            for (index, node) in inputNodes.enumerated() {
                guard let value = node.defaultValue else { continue }
                let source = index < ownInputs ? document : prelude
                let coercion = GraphQLLiteralCoercion(system: system, document: source, variables: [:])
                let use = system.inputs[index].type
                let coerced = use.isKnown ? coercion.coerce(Int(value), to: use) : nil
                if coerced == nil { faultyDefaults.append((index, value)) }
                if coerced != system.inputTexts[index].defaultValue { isSettled = false }
                system.inputTexts[index].defaultValue = coerced
            }
            if isSettled, pass > 0 { return }
        }
    }
}

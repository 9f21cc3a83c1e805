/// Checks a document against a schema by the rules of the specification (GraphQL October 2021, section 5).
///
/// The messages and locations are those of the reference implementation. The work is in proportion to the document,
/// and the parts that could take longer have limits of their own.
struct GraphQLValidator {
    typealias Name = GraphQLNames.ID
    typealias TypeID = GraphQLTypeSystem.TypeID
    typealias TypeUse = GraphQLTypeSystem.TypeUse
    typealias Slice = GraphQLDocument.Slice

    /// A place where a document uses a variable.
    struct VariableUse {
        var name: Name
        var offset: UInt32
        /// The expected type.
        var type: TypeUse
        /// Whether the argument or input field there has a default.
        var hasDefault: Bool
    }

    /// What an operation or fragment uses, in `uses` and `spreads`.
    struct Contents {
        var uses = Slice()
        var spreads = Slice()
    }

    let system: GraphQLTypeSystem
    let document: GraphQLDocument
    let limits: GraphQLLimits
    /// For each name of the document its number in the schema, or `GraphQLNames.none`.
    let symbols: [Name]
    var reporter: GraphQLReporter
    var uses: [VariableUse] = []
    /// The names of the fragments that are spread.
    var spreads: [Name] = []
    /// The contents of each operation, then of each fragment.
    var contents: [Contents] = []
    /// The last fragment of each name; `none` when there is none.
    var fragmentsByName: [UInt32]
    /// For each name the last stamp that a rule gave it; a new stamp clears them all.
    var stamps: [UInt32]
    private(set) var stamp: UInt32 = 0

    static let none = UInt32.max

    init(_ document: GraphQLDocument, _ schema: GraphQLSchema, _ limits: GraphQLLimits) {
        system = schema.system
        self.document = document
        self.limits = limits
        symbols = system.names.numbers(of: document.names)
        reporter = GraphQLReporter(document.source, limit: limits.errors)
        fragmentsByName = [UInt32](repeating: Self.none, count: document.names.count)
        stamps = [UInt32](repeating: 0, count: document.names.count)
    }

    /// Runs all rules; the errors are then in `reporter`.
    mutating func check() {
        guard document.typeSystem.isEmpty else { return reportTypeSystem() }
        for (index, fragment) in document.fragments.enumerated() {
            fragmentsByName[Int(fragment.name.name)] = UInt32(index)
        }
        checkDefinitions()
        contents.reserveCapacity(document.operations.count + document.fragments.count)
        for operation in document.operations { checkOperation(operation) }
        for fragment in document.fragments { checkFragment(fragment) }
        checkReferences()
        if reporter.isFull { return }
        let hasCircles = !document.fragments.isEmpty && checkFragmentCircles()
        for operation in document.operations where operation.kind == .subscription { checkSubscription(operation) }
        checkOverlaps(hasCircles: hasCircles)
    }

    private mutating func reportTypeSystem() {
        for node in document.typeSystem {
            let name = node.kind == .schema ? "schema" : "'\(document.text(node.name.name))'"
            reporter.report("The \(name) definition is not executable.", at: node.offset)
        }
    }

    /// Begins to mark names anew.
    mutating func nextStamp() -> UInt32 {
        stamp += 1
        return stamp
    }

    // MARK: Definitions

    private mutating func checkDefinitions() {
        let isAlone = document.operations.count == 1
        var named: [Name: UInt32] = [:]
        for operation in document.operations {
            if operation.name.name == GraphQLNames.none {
                if !isAlone {
                    reporter.report(
                        "This anonymous operation must be the only defined operation.", at: operation.offset)
                }
            } else if isAlone {
                continue
            } else if let first = named[operation.name.name] {
                reporter.report(
                    "There can be only one operation named '\(document.text(operation.name.name))'.",
                    at: [first, operation.name.offset])
            } else {
                named[operation.name.name] = operation.name.offset
            }
        }
        guard document.fragments.count > 1 else { return }
        named = [:]
        for fragment in document.fragments {
            if let first = named[fragment.name.name] {
                reporter.report(
                    "There can be only one fragment named '\(document.text(fragment.name.name))'.",
                    at: [first, fragment.name.offset])
            } else {
                named[fragment.name.name] = fragment.name.offset
            }
        }
    }

    private mutating func checkOperation(_ operation: GraphQLDocument.Operation) {
        let location: GraphQLDirectiveLocation =
            switch operation.kind {
            case .query: .query
            case .mutation: .mutation
            case .subscription: .subscription
            }
        let (firstUse, firstSpread) = (uses.count, spreads.count)
        if !operation.variables.isEmpty { checkVariables(operation.variables) }
        checkDirectives(operation.directives, on: location, in: Self.none)
        checkSelections(operation.selections, of: system.root(operation.kind), in: Self.none)
        close(firstUse, firstSpread)
    }

    private mutating func checkFragment(_ fragment: GraphQLDocument.Fragment) {
        let (firstUse, firstSpread) = (uses.count, spreads.count)
        var parent = Self.none
        if let type = knownType(fragment.condition) {
            if system.kinds[Int(type)].isComposite {
                parent = type
            } else {
                reporter.report(
                    "Fragment '\(document.text(fragment.name.name))' cannot condition on non composite type"
                        + " '\(document.text(fragment.condition.name))'.", at: fragment.condition.offset)
            }
        }
        checkDirectives(fragment.directives, on: .fragmentDefinition, in: Self.none)
        checkSelections(fragment.selections, of: parent, in: Self.none)
        close(firstUse, firstSpread)
    }

    private mutating func close(_ firstUse: Int, _ firstSpread: Int) {
        contents.append(
            .init(
                uses: .init(first: UInt32(firstUse), end: UInt32(uses.count)),
                spreads: .init(first: UInt32(firstSpread), end: UInt32(spreads.count))))
    }

    /// Returns a type by its name; reports an unknown one and returns nil.
    mutating func knownType(_ node: GraphQLDocument.NameNode) -> TypeID? {
        if let type = type(node.name) { return type }
        let suggestions = GraphQLSuggestions.similar(
            to: document.names[node.name], in: system.types.map(\.name))
        reporter.report(
            "Unknown type '\(document.text(node.name))'.\(GraphQLSuggestions.question(suggestions))", at: node.offset)
        return nil
    }

    /// Returns a type by its name; nil when the schema has no such one.
    func type(_ name: Name) -> TypeID? {
        let type = system.type(named: symbols[Int(name)])
        return type == Self.none ? nil : type
    }
}

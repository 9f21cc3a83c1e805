/// A GraphQL schema, which is complete and valid.
package final class GraphQLSchema: Sendable {
    /// Its types.
    let system: GraphQLTypeSystem

    /// Builds a schema from its source.
    ///
    /// - Parameters:
    ///   - source: definitions and extensions of types, in the schema definition language.
    ///   - scalars: how values of custom scalars are checked, by name. A scalar without an entry accepts any value.
    /// - Throws: the faults of the source: one of the grammar, or all others (GraphQL October 2021, section 3).
    package init(
        _ source: String, scalars: [String: GraphQLScalar] = [:], limits: GraphQLLimits = .schemaSource
    ) throws(GraphQLErrors) {
        let document: GraphQLDocument
        let prelude: GraphQLDocument
        do {
            prelude = try Self.parsedPrelude.get()
            document = try GraphQLParser.parse(GraphQLSource(source), limits: limits)
        } catch {
            throw GraphQLErrors([error])
        }
        var rules = GraphQLSchemaRules(document, prelude)
        rules.check()
        if !rules.reporter.errors.isEmpty { throw GraphQLErrors(rules.reporter.errors) }
        var builder = GraphQLSchemaBuilder(document, prelude: prelude, scalars: scalars)
        builder.build()
        var checker = GraphQLSchemaChecker(builder)
        checker.check()
        if !checker.reporter.errors.isEmpty { throw GraphQLErrors(checker.reporter.errors) }
        system = builder.system
    }
}

extension GraphQLSchema {
    /// The prelude as a document. It is grammatical, as the tests that build a schema show.
    private static let parsedPrelude = Result<GraphQLDocument, GraphQLError> { () throws(GraphQLError) in
        try GraphQLParser.parse(GraphQLSource(prelude), limits: .schemaSource)
    }
}

/// Collects errors, up to a limit.
struct GraphQLReporter {
    private(set) var errors: [GraphQLError] = []
    /// Whether the limit is reached: no further error is collected.
    private(set) var isFull = false
    private var places: GraphQLPlaces?
    private let source: GraphQLSource
    private let limit: Int
    /// How many locations the errors may have together.
    private var locationsLeft: Int

    init(_ source: GraphQLSource, limit: Int) {
        self.source = source
        self.limit = limit
        locationsLeft = max(limit, 1) * 100
    }

    /// Collects an error that is about places of the source.
    mutating func report(_ message: String, at offsets: [UInt32]) {
        guard !isFull else { return }
        guard errors.count < limit else {
            isFull = true
            errors.append(
                GraphQLError(
                    .validation, "Too many validation errors, error limit reached. Validation aborted."))
            return
        }
        let places = places ?? GraphQLPlaces(source)
        self.places = places
        let kept = offsets.prefix(locationsLeft)
        locationsLeft -= kept.count
        errors.append(GraphQLError(.validation, message, at: kept.map(places.location)))
    }

    /// Collects an error that is about one place of the source.
    mutating func report(_ message: String, at offset: UInt32) { report(message, at: [offset]) }

    /// Collects an error of another phase, and stops.
    mutating func stop(with error: GraphQLError) {
        guard !isFull else { return }
        isFull = true
        errors.append(error)
    }
}

/// A document that is grammatical and valid, ready to be executed any number of times.
package struct GraphQLRequest: Sendable {
    /// The document.
    let document: GraphQLDocument
    /// The schema that the document is valid for.
    package let schema: GraphQLSchema
    let limits: GraphQLLimits
    /// For each name of the document its number in the schema, or `GraphQLNames.none`.
    let symbols: [GraphQLNames.ID]
    private let fragmentsByName: [UInt32]

    /// Parses and checks a source.
    ///
    /// - Throws: the errors of the source: the first one of the grammar, or those of validation, or the first limit
    ///   that it exceeds.
    /// - Complexity: O(bytes), with limits on what could take longer.
    package init(
        _ source: String, schema: GraphQLSchema, limits: GraphQLLimits = GraphQLLimits()
    ) throws(GraphQLErrors) {
        self.schema = schema
        self.limits = limits
        do {
            document = try GraphQLParser.parse(GraphQLSource(source), limits: limits)
        } catch {
            throw GraphQLErrors([error])
        }
        var validator = GraphQLValidator(document, schema, limits)
        validator.check()
        if !validator.reporter.errors.isEmpty { throw GraphQLErrors(validator.reporter.errors) }
        (symbols, fragmentsByName) = (validator.symbols, validator.fragmentsByName)
    }

    /// The index of a fragment; nil when the document has none of the name.
    func fragment(_ name: GraphQLNames.ID) -> Int? {
        let index = fragmentsByName[Int(name)]
        return index == GraphQLValidator.none ? nil : Int(index)
    }

    /// The names of the operations, in the order of the source; an anonymous one has none.
    package var operationNames: [String?] {
        document.operations.map { operation in
            operation.name.name == GraphQLNames.none ? nil : document.names[operation.name.name]
        }
    }
}

/// A document that is grammatical and valid, ready to be executed any number of times.
package struct GraphQLRequest: Sendable {
    /// The document.
    let document: GraphQLDocument
    let schema: GraphQLSchema
    let limits: GraphQLLimits

    /// Parses and checks a source.
    ///
    /// - Throws: the errors of the source: the first one of the grammar, or those of validation, or the first limit that
    ///   it exceeds.
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
        let errors = GraphQLValidator.errors(document, schema, limits: limits)
        if !errors.isEmpty { throw GraphQLErrors(errors) }
    }
}

/// What a GraphQL request may cost. Each limit is checked before the first field is resolved.
package struct GraphQLLimits: Hashable, Sendable {
    /// How long a source may be, in bytes of UTF-8.
    package var sourceBytes = 65_536
    /// How deep selection sets, values and types may nest in the source.
    package var nesting = 64
    /// How many operations and fragments a document may define.
    package var definitions = 256
    /// How many operations a document may define. Each is checked with all fragments that it reaches.
    package var operations = 64
    /// How many variables an operation may declare.
    package var variables = 128
    /// How many arguments one field or directive may be given, and how many fields one input object.
    package var arguments = 256
    /// How many errors validation reports before it stops.
    package var errors = 100
    /// How many pairs of fields validation compares for conflicts.
    package var fieldComparisons = 20_000
    /// How deep the fields of an operation may nest, with its fragments expanded.
    package var depth = 24
    /// How many fields an operation may select, with its fragments expanded.
    package var fields = 5_000
    /// How deep the lists of introspection (`fields`, `inputFields`, `interfaces`, `possibleTypes`) may nest: of each
    /// type one may ask for all types of its fields, and so on.
    package var introspectionLists = 2
    /// How many values a response may hold, lists and objects included.
    package var responseValues = 1_000_000
    /// How many bytes the names and texts of a response may have.
    package var responseBytes = 64 << 20
    /// How many errors a response lists; of further ones it has only the null.
    package var responseErrors = 1_000

    package init() {}

    /// Limits for a schema that the program itself contains.
    package static let schemaSource: GraphQLLimits = {
        var limits = GraphQLLimits()
        limits.sourceBytes = 1 << 20
        limits.definitions = 4_096
        return limits
    }()
}

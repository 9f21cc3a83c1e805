/// The names that the grammar gives a meaning. Every document's set of names begins with them, so that a keyword's raw
/// value is its number.
enum GraphQLKeyword: UInt32, CaseIterable {
    case query, mutation, subscription, fragment, on, `true`, `false`, null, schema, scalar, type, interface, union,
        `enum`, input, directive, extend, implements, repeatable, typename, introspection, introspectionType

    /// How a source writes it.
    var text: String {
        switch self {
        case .typename: "__typename"
        case .introspection: "__schema"
        case .introspectionType: "__type"
        default: "\(self)"
        }
    }

    /// A set of names that has the keywords alone.
    static let names: GraphQLNames = {
        var names = GraphQLNames(capacity: 96)
        for keyword in allCases { _ = names.insert(keyword.text) }
        return names
    }()
}

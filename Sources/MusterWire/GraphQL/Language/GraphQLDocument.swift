/// A parsed GraphQL document: flat arrays of small values that refer to each other by index.
///
/// A node and its descendants stand in preorder: the first child of node `i` is `i + 1`, and the node after all its
/// descendants is `end`.
package struct GraphQLDocument: Sendable {
    typealias Name = GraphQLNames.ID

    /// The text.
    package let source: GraphQLSource
    var names = GraphQLNames()
    /// The operations in the order of the source.
    var operations: [Operation] = []
    var fragments: [Fragment] = []
    /// The definitions and extensions of a schema.
    var typeSystem: [TypeSystemNode] = []
    var selections: [Selection] = []
    var arguments: [Argument] = []
    var directives: [Directive] = []
    var variables: [Variable] = []
    var values: [Value] = []

    /// Some neighbours in one of the arrays.
    struct Slice {
        var first: UInt32 = 0
        var end: UInt32 = 0

        var range: Range<Int> { Int(first)..<Int(end) }
        var isEmpty: Bool { first == end }
        var count: Int { Int(end - first) }
    }

    /// A name with its place.
    struct NameNode {
        var name: Name
        var offset: UInt32
    }

    struct Operation {
        var kind: GraphQLOperationKind
        /// `GraphQLNames.none` when the operation is anonymous.
        var name: NameNode
        var offset: UInt32
        var variables = Slice()
        var directives = Slice()
        var selections = Slice()
        /// The offset of the brace that opens its selection set.
        var setOffset: UInt32 = 0
    }

    struct Fragment {
        var name: NameNode
        var offset: UInt32
        var condition: NameNode
        var directives = Slice()
        var selections = Slice()
        var setOffset: UInt32 = 0
    }

    struct Selection {
        enum Kind: UInt8 { case field, spread, inline }

        var kind: Kind
        /// Whether it has a selection set.
        var hasSet = false
        /// The field's name, the fragment's, or that of the type condition; `GraphQLNames.none` without a condition.
        var name: Name
        /// The name in the response: the alias, or else the field's name.
        var responseName: Name
        var offset: UInt32
        /// The place of `name`.
        var nameOffset: UInt32
        /// The offset of the brace that opens its selection set.
        var setOffset: UInt32 = 0
        var arguments = Slice()
        var directives = Slice()
        /// The index after the last descendant.
        var end: UInt32 = 0
    }

    struct Argument {
        var name: Name
        var offset: UInt32
        /// The index of its value.
        var value: UInt32
    }

    struct Directive {
        var name: Name
        var offset: UInt32
        var arguments: Slice
    }

    struct Variable {
        var name: Name
        /// The offset of the dollar sign.
        var offset: UInt32
        /// The offset of the name.
        var nameOffset: UInt32
        var type: TypeReference
        /// The index of the default; nil for none.
        var defaultValue: UInt32?
        var directives: Slice
    }

    struct TypeReference {
        var name: Name
        var wrapping: GraphQLWrapping
        var offset: UInt32
        /// The offset of the name, within all brackets.
        var nameOffset: UInt32
    }

    struct Value {
        enum Kind: UInt8 {
            case variable, integer, float, string, blockString, `true`, `false`, null, enumeration, list, object
            /// A member of an object; its value is the next node.
            case member
        }

        var kind: Kind
        /// The name of a variable, of an enum value, or of a member.
        var name: Name
        var offset: UInt32
        /// The offset after the last byte.
        var endOffset: UInt32
        /// The index after the last descendant.
        var end: UInt32
    }
}

/// What an operation does.
package enum GraphQLOperationKind: String, Hashable, Sendable, CaseIterable {
    case query, mutation, subscription
}

/// The lists and non-null marks around a named type, from the outside in.
struct GraphQLWrapping: Hashable {
    /// Two bits for each mark, the outermost in the lowest bits: 1 for non-null, 2 for a list.
    private(set) var bits: UInt32 = 0

    /// How many lists may nest.
    static let listLimit = 7
    static let none = GraphQLWrapping()

    var isEmpty: Bool { bits == 0 }
    var isNonNull: Bool { bits & 3 == 1 }
    var isList: Bool { bits & 3 == 2 }
    /// What is inside the outermost mark.
    var inner: GraphQLWrapping { GraphQLWrapping(bits: bits >> 2) }
    /// Without a non-null mark on the outside.
    var nullable: GraphQLWrapping { isNonNull ? inner : self }
    var nonNull: GraphQLWrapping { isNonNull ? self : GraphQLWrapping(bits: bits << 2 | 1) }
    /// In a list.
    var list: GraphQLWrapping { GraphQLWrapping(bits: bits << 2 | 2) }

    /// The type as the grammar writes it.
    func text(_ name: String) -> String {
        if isNonNull { return inner.text(name) + "!" }
        return isList ? "[" + inner.text(name) + "]" : name
    }
}

extension GraphQLDocument {
    /// The source text of a value.
    func bytes(of value: Value) -> ArraySlice<UInt8> { source.bytes[Int(value.offset)..<Int(value.endOffset)] }

    /// The text of a string value.
    func string(of value: Value) -> String {
        GraphQLText.value(of: bytes(of: value), isBlock: value.kind == .blockString)
    }

    /// The text of a number.
    func number(of value: Value) -> String { String(decoding: bytes(of: value), as: UTF8.self) }

    /// Prints a value on one line.
    func print(_ index: Int) -> String {
        let value = values[index]
        switch value.kind {
        case .variable: return "$" + names[value.name]
        case .integer, .float: return number(of: value)
        case .string: return GraphQLText.quoted(string(of: value))
        case .blockString: return GraphQLText.block(string(of: value))
        case .true: return "true"
        case .false: return "false"
        case .null: return "null"
        case .enumeration: return names[value.name]
        case .list: return "[" + children(of: index).map(print).joined(separator: ", ") + "]"
        case .object:
            let members = children(of: index).map { "\(names[values[$0].name]): \(print($0 + 1))" }
            return "{" + members.joined(separator: ", ") + "}"
        case .member: return print(index + 1)
        }
    }

    /// Prints a value for a message: what is longer than 200 bytes ends with an ellipsis.
    func excerpt(_ index: Int) -> String {
        let value = values[index]
        guard value.endOffset - value.offset > 200 else { return print(index) }
        let bytes = source.bytes[Int(value.offset)..<Int(value.offset + 200)]
        return String(decoding: bytes, as: UTF8.self) + "…"
    }

    /// The indices of a value's children.
    func children(of index: Int) -> [Int] {
        var children: [Int] = []
        var child = index + 1
        while child < Int(values[index].end) {
            children.append(child)
            child = Int(values[child].end)
        }
        return children
    }

    /// A name for a message: what is longer than 100 characters ends with an ellipsis.
    func text(_ name: Name) -> String {
        let text = names[name]
        return text.utf8.count > 100 ? text.prefix(100) + "…" : text
    }
}

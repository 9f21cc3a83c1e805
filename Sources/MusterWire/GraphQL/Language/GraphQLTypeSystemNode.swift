/// The definitions of a schema as its source writes them.
extension GraphQLDocument {
    /// A definition or extension of a type, of a directive, or of the schema.
    struct TypeSystemNode {
        enum Kind: UInt8 { case schema, scalar, object, interface, union, enumeration, input, directive }

        var kind: Kind
        var isExtension = false
        var offset: UInt32
        /// `GraphQLNames.none` for the schema.
        var name = NameNode(name: GraphQLNames.none, offset: 0)
        var description: String?
        var directives = Slice()
        /// The interfaces of an object or interface, or the members of a union.
        var types: [NameNode] = []
        var fields: [FieldNode] = []
        /// The fields of an input object, or the arguments of a directive.
        var inputs: [InputNode] = []
        var enumValues: [EnumValueNode] = []
        var operations: [OperationTypeNode] = []
        /// The places where a directive may stand.
        var locations: [GraphQLDirectiveLocation] = []
        var isRepeatable = false
    }

    struct FieldNode {
        var description: String?
        var name: NameNode
        /// The offset of the description, or else of the name.
        var offset: UInt32
        var arguments: [InputNode]
        var type: TypeReference
        var directives: Slice
    }

    struct InputNode {
        var description: String?
        var name: NameNode
        /// The offset of the description, or else of the name.
        var offset: UInt32
        var type: TypeReference
        var defaultValue: UInt32?
        var directives: Slice
    }

    struct EnumValueNode {
        var description: String?
        var name: NameNode
        var directives: Slice
    }

    struct OperationTypeNode {
        var kind: GraphQLOperationKind
        var offset: UInt32
        var type: NameNode
    }
}

/// The places where a directive may stand (GraphQL October 2021, section 3.13).
package enum GraphQLDirectiveLocation: String, Hashable, Sendable, CaseIterable {
    case query = "QUERY"
    case mutation = "MUTATION"
    case subscription = "SUBSCRIPTION"
    case field = "FIELD"
    case fragmentDefinition = "FRAGMENT_DEFINITION"
    case fragmentSpread = "FRAGMENT_SPREAD"
    case inlineFragment = "INLINE_FRAGMENT"
    case variableDefinition = "VARIABLE_DEFINITION"
    case schema = "SCHEMA"
    case scalar = "SCALAR"
    case object = "OBJECT"
    case fieldDefinition = "FIELD_DEFINITION"
    case argumentDefinition = "ARGUMENT_DEFINITION"
    case interface = "INTERFACE"
    case union = "UNION"
    case `enum` = "ENUM"
    case enumValue = "ENUM_VALUE"
    case inputObject = "INPUT_OBJECT"
    case inputFieldDefinition = "INPUT_FIELD_DEFINITION"
}

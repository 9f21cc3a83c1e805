extension GraphQLSchema {
    /// What every schema has: the introspection types and the directives of the specification (October 2021, sections
    /// 3.13 and 4.2), as a schema's source.
    static let prelude = """
        scalar String
        scalar Boolean
        scalar Int
        scalar Float
        scalar ID

        "A schema: its types, its directives, and the types at which operations begin."
        type __Schema {
          description: String
          types: [__Type!]!
          queryType: __Type!
          mutationType: __Type
          subscriptionType: __Type
          directives: [__Directive!]!
        }

        "A type, or a list or non-null type around another. `kind` says which of the fields have a meaning."
        type __Type {
          kind: __TypeKind!
          name: String
          description: String
          specifiedByURL: String
          fields(includeDeprecated: Boolean = false): [__Field!]
          interfaces: [__Type!]
          possibleTypes: [__Type!]
          enumValues(includeDeprecated: Boolean = false): [__EnumValue!]
          inputFields(includeDeprecated: Boolean = false): [__InputValue!]
          ofType: __Type
        }

        "The kinds of type."
        enum __TypeKind { SCALAR OBJECT INTERFACE UNION ENUM INPUT_OBJECT LIST NON_NULL }

        "A field of an object or interface."
        type __Field {
          name: String!
          description: String
          args(includeDeprecated: Boolean = false): [__InputValue!]!
          type: __Type!
          isDeprecated: Boolean!
          deprecationReason: String
        }

        "An argument, or a field of an input object."
        type __InputValue {
          name: String!
          description: String
          type: __Type!
          "The default, as the GraphQL grammar writes it."
          defaultValue: String
          isDeprecated: Boolean!
          deprecationReason: String
        }

        "A value of an enum."
        type __EnumValue {
          name: String!
          description: String
          isDeprecated: Boolean!
          deprecationReason: String
        }

        "A directive, which changes how a document is executed or a schema is read."
        type __Directive {
          name: String!
          description: String
          isRepeatable: Boolean!
          locations: [__DirectiveLocation!]!
          args(includeDeprecated: Boolean = false): [__InputValue!]!
        }

        "The places where a directive may stand."
        enum __DirectiveLocation {
          QUERY MUTATION SUBSCRIPTION FIELD FRAGMENT_DEFINITION FRAGMENT_SPREAD INLINE_FRAGMENT VARIABLE_DEFINITION
          SCHEMA SCALAR OBJECT FIELD_DEFINITION ARGUMENT_DEFINITION INTERFACE UNION ENUM ENUM_VALUE INPUT_OBJECT
          INPUT_FIELD_DEFINITION
        }

        "The fields that a query may select besides those of its type; not itself a type of the schema."
        type __Meta {
          "The name of the object's type."
          __typename: String!
          "The types that this server knows."
          __schema: __Schema!
          "One type, by its name."
          __type(name: String!): __Type
        }

        "Includes the field or fragment only when `if` is true."
        directive @include(if: Boolean!) on FIELD | FRAGMENT_SPREAD | INLINE_FRAGMENT

        "Leaves the field or fragment out when `if` is true."
        directive @skip(if: Boolean!) on FIELD | FRAGMENT_SPREAD | INLINE_FRAGMENT

        "Marks what clients should no longer use."
        directive @deprecated(
          "What to use instead, in Markdown."
          reason: String = "No longer supported"
        ) on FIELD_DEFINITION | ARGUMENT_DEFINITION | INPUT_FIELD_DEFINITION | ENUM_VALUE

        "Gives the address of a scalar's specification."
        directive @specifiedBy(url: String!) on SCALAR
        """

    /// The names of the types of the prelude that every schema has, whether its source refers to them or not.
    static let introspectionTypes: Set<String> = [
        "__Schema", "__Type", "__TypeKind", "__Field", "__InputValue", "__EnumValue", "__Directive",
        "__DirectiveLocation",
    ]

    /// The reason of `@deprecated` when it gives none.
    static let defaultDeprecation = "No longer supported"
}

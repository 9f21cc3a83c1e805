/// The types of a schema: flat arrays of values that refer to each other by index.
struct GraphQLTypeSystem: Sendable {
    /// The index of a type.
    typealias TypeID = UInt32
    typealias Name = GraphQLNames.ID
    typealias Slice = GraphQLDocument.Slice
    /// Stands for no type, field or input.
    static let none = UInt32.max

    /// A type in its lists and non-null marks.
    struct TypeUse: Hashable {
        var type: TypeID
        var wrapping: GraphQLWrapping

        static let unknown = TypeUse(type: GraphQLTypeSystem.none, wrapping: .none)
        var isKnown: Bool { type != GraphQLTypeSystem.none }
        var isNonNull: Bool { wrapping.isNonNull }
        var isList: Bool { wrapping.isList }
        var inner: TypeUse { TypeUse(type: type, wrapping: wrapping.inner) }
        var nullable: TypeUse { TypeUse(type: type, wrapping: wrapping.nullable) }
        var named: TypeUse { TypeUse(type: type, wrapping: .none) }
    }

    struct TypeDefinition {
        var kind: GraphQLTypeKind
        var name: String
        var symbol: Name
        var description: String?
        /// The address that `@specifiedBy` gives.
        var specifiedBy: String?
        /// The fields of an object or interface.
        var fields = Slice()
        /// The fields of an input object.
        var inputs = Slice()
        var enumValues = Slice()
        /// The interfaces that an object or interface implements, in the order of the source.
        var interfaces: [TypeID] = []
        /// The members of a union, or the objects that implement an interface.
        var possibleTypes: [TypeID] = []
        /// What coerces a scalar's values.
        var scalar: GraphQLScalar?
    }

    /// What validation reads of a field.
    struct Field {
        var symbol: Name
        var type: TypeUse
        var arguments: Slice
        /// How many arguments are non-null and have no default.
        var requiredArguments: UInt32
    }

    /// What people read of a field.
    struct FieldText {
        var name: String
        var description: String?
        /// The reason of `@deprecated`; nil when the field is not deprecated.
        var deprecation: String?
    }

    /// An argument, or a field of an input object.
    struct Input {
        var symbol: Name
        var type: TypeUse
        var hasDefault: Bool

        var isRequired: Bool { type.isNonNull && !hasDefault }
    }

    struct InputText {
        var name: String
        var description: String?
        var deprecation: String?
        /// The coerced default.
        var defaultValue: JSONValue?
    }

    struct EnumValue {
        var symbol: Name
        var name: String
        var description: String?
        var deprecation: String?
    }

    struct DirectiveDefinition {
        var name: String
        var symbol: Name
        var description: String?
        var arguments = Slice()
        var locations: [GraphQLDirectiveLocation]
        var isRepeatable: Bool
    }

    var names = GraphQLNames(capacity: 512)
    var description: String?
    var types: [TypeDefinition] = []
    /// The kind of each type, for speed.
    var kinds: [GraphQLTypeKind] = []
    var fields: [Field] = []
    var fieldTexts: [FieldText] = []
    var inputs: [Input] = []
    var inputTexts: [InputText] = []
    var enumValues: [EnumValue] = []
    var directives: [DirectiveDefinition] = []
    /// The types, by the number of their names.
    var typesByName: [Name: TypeID] = [:]
    var directivesByName: [Name: UInt32] = [:]
    /// For each name of the schema the type of that name, or `none`; filled when the types are complete.
    private var typesBySymbol: [TypeID] = []
    /// Which scalar of the specification each type is, for speed.
    private(set) var builtIns: [GraphQLScalar.BuiltIn?] = []
    /// The index of a field, input field or enum value, by type and name.
    var members = GraphQLMemberTable()
    var query = Self.none
    var mutation = Self.none
    var subscription = Self.none
    /// For each type a row of bits, one for each type: whether a value of the first may be an object of the second.
    private var possible: [UInt64] = []
    private var rowWords = 0
    /// The indices of the fields `__typename`, `__schema` and `__type`, in `fields`.
    var typenameField = Self.none
    var schemaField = Self.none
    var typeField = Self.none
    var typenameSymbol = GraphQLNames.none
    var schemaSymbol = GraphQLNames.none
    var typeSymbol = GraphQLNames.none
}

/// The kinds of type.
package enum GraphQLTypeKind: UInt8, Hashable, Sendable {
    case scalar, object, interface, union, enumeration, input

    var isComposite: Bool { self == .object || self == .interface || self == .union }
    var isAbstract: Bool { self == .interface || self == .union }
    var isLeaf: Bool { self == .scalar || self == .enumeration }
    var isInput: Bool { isLeaf || self == .input }
    var isOutput: Bool { self != .input }

    /// The kind as introspection names it.
    var introspectionName: String {
        switch self {
        case .scalar: "SCALAR"
        case .object: "OBJECT"
        case .interface: "INTERFACE"
        case .union: "UNION"
        case .enumeration: "ENUM"
        case .input: "INPUT_OBJECT"
        }
    }
}

extension GraphQLTypeSystem {
    /// Notes which objects each type may be, and where types are found; called once, when the types are complete.
    mutating func indexTypes() {
        builtIns = types.map { $0.scalar?.builtIn }
        typesBySymbol = [TypeID](repeating: Self.none, count: names.count)
        for (name, type) in typesByName { typesBySymbol[Int(name)] = type }
        rowWords = (types.count + 63) / 64
        possible = [UInt64](repeating: 0, count: rowWords * types.count)
        for (index, type) in types.enumerated() {
            let objects = type.kind == .object ? [TypeID(index)] : type.kind.isAbstract ? type.possibleTypes : []
            for object in objects { possible[index * rowWords + Int(object / 64)] |= 1 << UInt64(object % 64) }
        }
    }

    /// The type of a name; `none` when there is none.
    @inline(__always)
    func type(named name: Name) -> TypeID {
        Int(name) < typesBySymbol.count ? typesBySymbol[Int(name)] : Self.none
    }

    /// Whether some object may be of both types.
    func overlap(_ one: TypeID, _ other: TypeID) -> Bool {
        if one == other { return true }
        let (first, second) = (Int(one) * rowWords, Int(other) * rowWords)
        return (0..<rowWords).contains { possible[first + $0] & possible[second + $0] != 0 }
    }

    /// Whether an object type may stand where another type is expected.
    func isPossible(_ object: TypeID, for type: TypeID) -> Bool {
        object == type || possible[Int(type) * rowWords + Int(object / 64)] & 1 << UInt64(object % 64) != 0
    }

    /// Whether a type implements an interface, or is in a union.
    func isSubtype(_ type: TypeID, of abstract: TypeID) -> Bool {
        switch kinds[Int(abstract)] {
        case .union: types[Int(abstract)].possibleTypes.contains(type)
        case .interface: types[Int(type)].interfaces.contains(abstract)
        default: false
        }
    }

    /// Whether each value of a type is also one of another (covariance).
    func isSubtype(_ type: TypeUse, of other: TypeUse) -> Bool {
        var (type, other) = (type, other)
        while true {
            if other.isNonNull {
                guard type.isNonNull else { return false }
                (type, other) = (type.inner, other.inner)
            } else if type.isNonNull {
                type = type.inner
            } else if other.isList {
                guard type.isList else { return false }
                (type, other) = (type.inner, other.inner)
            } else {
                return !type.isList && (type.type == other.type || isSubtype(type.type, of: other.type))
            }
        }
    }

    /// The kind of a type's name; nil for an unknown type.
    func kind(of use: TypeUse) -> GraphQLTypeKind? { use.isKnown ? kinds[Int(use.type)] : nil }

    /// A type as the grammar writes it.
    func text(_ use: TypeUse) -> String {
        use.isKnown ? use.wrapping.text(types[Int(use.type)].name) : "?"
    }

    /// The root type of a kind of operation; `none` when the schema has none.
    func root(_ kind: GraphQLOperationKind) -> TypeID {
        switch kind {
        case .query: query
        case .mutation: mutation
        case .subscription: subscription
        }
    }

    /// Returns a field by its name; `none` when a composite type does not have it.
    @inline(__always)
    func field(_ name: Name, of type: TypeID) -> UInt32 {
        if let field = members.find(type, name), kinds[Int(type)].isComposite { return field }
        return metaField(name, of: type)
    }

    private func metaField(_ name: Name, of type: TypeID) -> UInt32 {
        if name == GraphQLNames.none { return Self.none }
        if name == typenameSymbol { return kinds[Int(type)].isComposite ? typenameField : Self.none }
        guard type == query else { return Self.none }
        if name == schemaSymbol { return schemaField }
        return name == typeSymbol ? typeField : Self.none
    }

    /// Returns an argument by its name; `none` when there is no such one.
    @inline(__always)
    func argument(_ name: Name, in slice: Slice) -> UInt32 {
        var index = slice.first
        while index < slice.end {
            if inputs[Int(index)].symbol == name { return index }
            index += 1
        }
        return Self.none
    }
}

/// Finds members of types by name: a hash table with open addressing.
struct GraphQLMemberTable: Sendable {
    private struct Entry {
        var key = UInt64.max
        var value: UInt32 = 0
    }

    private var entries = [Entry](repeating: Entry(), count: 64)
    private var count = 0

    @inline(__always)
    private static func key(_ type: UInt32, _ name: UInt32) -> UInt64 { UInt64(type) << 32 | UInt64(name) }

    @inline(__always)
    private func slot(_ key: UInt64) -> Int {
        let mask = entries.count - 1
        var slot = Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) >> 32) & mask
        while entries[slot].key != key, entries[slot].key != .max { slot = (slot + 1) & mask }
        return slot
    }

    /// Returns the member's index; nil when the type does not have it.
    @inline(__always)
    func find(_ type: UInt32, _ name: UInt32) -> UInt32? {
        let entry = entries[slot(Self.key(type, name))]
        return entry.key == .max ? nil : entry.value
    }

    /// Adds a member, or replaces the one of the same name.
    mutating func insert(_ type: UInt32, _ name: UInt32, _ value: UInt32) {
        if (count + 1) * 2 > entries.count { grow() }
        let key = Self.key(type, name)
        let slot = slot(key)
        if entries[slot].key == .max { count += 1 }
        entries[slot] = Entry(key: key, value: value)
    }

    private mutating func grow() {
        let old = entries
        entries = [Entry](repeating: Entry(), count: old.count * 2)
        for entry in old where entry.key != .max { entries[slot(entry.key)] = entry }
    }
}

extension GraphQLParser {
    typealias Node = GraphQLDocument.TypeSystemNode

    /// The keywords that begin a definition of a schema's source.
    static let typeSystemKeywords: Set<GraphQLKeyword> = [
        .schema, .scalar, .type, .interface, .union, .enum, .input, .directive,
    ]

    private static func kind(_ keyword: GraphQLKeyword) -> Node.Kind? {
        switch keyword {
        case .schema: .schema
        case .scalar: .scalar
        case .type: .object
        case .interface: .interface
        case .union: .union
        case .enum: .enumeration
        case .input: .input
        case .directive: .directive
        default: nil
        }
    }

    /// TypeSystemDefinition
    mutating func typeSystemDefinition(_ keyword: GraphQLKeyword) throws(Fault) {
        guard let kind = Self.kind(keyword) else { throw unexpected() }
        var node = Node(kind: kind, offset: token.start)
        node.description = try description()
        try advance()
        if kind == .directive {
            try directiveDefinition(&node)
        } else {
            if kind != .schema { node.name = try expectName() }
            try body(&node)
        }
        document.typeSystem.append(node)
    }

    /// TypeSystemExtension
    mutating func typeSystemExtension() throws(Fault) {
        let (next, keyword) = try lookAhead()
        guard let keyword, keyword != .directive, let kind = Self.kind(keyword) else {
            throw Fault(offset: next.start, reason: .unexpected(description(of: next)))
        }
        var node = Node(kind: kind, isExtension: true, offset: token.start)
        try advance()
        try advance()
        if kind != .schema { node.name = try expectName() }
        try body(&node)
        let isEmpty =
            node.directives.isEmpty && node.types.isEmpty && node.fields.isEmpty && node.inputs.isEmpty
            && node.enumValues.isEmpty && node.operations.isEmpty
        if isEmpty { throw unexpected() }
        document.typeSystem.append(node)
    }

    private mutating func body(_ node: inout Node) throws(Fault) {
        if node.kind == .object || node.kind == .interface, try skip(.implements) {
            node.types = try delimitedNames(.ampersand)
        }
        node.directives = try directives(isConstant: true)
        switch node.kind {
        case .schema:
            if node.isExtension, token.kind != .openBrace { return }
            try expect(.openBrace)
            repeat { node.operations.append(try operationType()) } while try !skip(.closeBrace)
        case .object, .interface:
            if try skip(.openBrace) {
                repeat { node.fields.append(try fieldDefinition()) } while try !skip(.closeBrace)
            }
        case .union:
            if try skip(.equals) { node.types = try delimitedNames(.pipe) }
        case .enumeration:
            if try skip(.openBrace) {
                repeat { node.enumValues.append(try enumValue()) } while try !skip(.closeBrace)
            }
        case .input:
            if try skip(.openBrace) {
                repeat { node.inputs.append(try inputValue()) } while try !skip(.closeBrace)
            }
        case .scalar, .directive: break
        }
    }

    private mutating func description() throws(Fault) -> String? {
        guard token.kind == .string || token.kind == .blockString else { return nil }
        let bytes = document.source.bytes[Int(token.start)..<Int(token.end)]
        let text = GraphQLText.value(of: bytes, isBlock: token.kind == .blockString)
        try advance()
        return text
    }

    private mutating func operationType() throws(Fault) -> GraphQLDocument.OperationTypeNode {
        let offset = token.start
        let kind = try operationKind()
        try expect(.colon)
        return .init(kind: kind, offset: offset, type: try expectName())
    }

    /// Names with a delimiter between them, and perhaps one before the first.
    private mutating func delimitedNames(
        _ delimiter: GraphQLToken.Kind
    ) throws(Fault) -> [GraphQLDocument.NameNode] {
        _ = try skip(delimiter)
        var names: [GraphQLDocument.NameNode] = []
        repeat { names.append(try expectName()) } while try skip(delimiter)
        return names
    }

    private mutating func fieldDefinition() throws(Fault) -> GraphQLDocument.FieldNode {
        let offset = token.start
        let description = try description()
        let name = try expectName()
        let arguments = try argumentDefinitions()
        try expect(.colon)
        let type = try typeReference()
        let directives = try directives(isConstant: true)
        return .init(
            description: description, name: name, offset: offset, arguments: arguments, type: type,
            directives: directives)
    }

    private mutating func argumentDefinitions() throws(Fault) -> [GraphQLDocument.InputNode] {
        var arguments: [GraphQLDocument.InputNode] = []
        if try skip(.openParenthesis) {
            repeat { arguments.append(try inputValue()) } while try !skip(.closeParenthesis)
        }
        return arguments
    }

    private mutating func inputValue() throws(Fault) -> GraphQLDocument.InputNode {
        let offset = token.start
        let description = try description()
        let name = try expectName()
        try expect(.colon)
        let type = try typeReference()
        let defaultValue = try skip(.equals) ? try value(isConstant: true) : nil
        let directives = try directives(isConstant: true)
        return .init(
            description: description, name: name, offset: offset, type: type, defaultValue: defaultValue,
            directives: directives)
    }

    private mutating func enumValue() throws(Fault) -> GraphQLDocument.EnumValueNode {
        let description = try description()
        if isAt(.true) || isAt(.false) || isAt(.null) {
            throw fault(.reservedEnumValue(self.description(of: token)))
        }
        let name = try expectName()
        return .init(description: description, name: name, directives: try directives(isConstant: true))
    }

    private mutating func directiveDefinition(_ node: inout Node) throws(Fault) {
        try expect(.at)
        node.name = try expectName()
        node.inputs = try argumentDefinitions()
        node.isRepeatable = try skip(.repeatable)
        try expect(.on)
        _ = try skip(.pipe)
        repeat {
            let text = token.kind == .name ? document.names[name] : ""
            guard let location = GraphQLDirectiveLocation(rawValue: text) else {
                throw token.kind == .name ? unexpected() : expected(GraphQLToken.Kind.name.text)
            }
            node.locations.append(location)
            try advance()
        } while try skip(.pipe)
    }
}

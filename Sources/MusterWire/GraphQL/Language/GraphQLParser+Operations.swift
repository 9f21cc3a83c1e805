extension GraphQLParser {
    /// Definition
    mutating func definition() throws(Fault) {
        let count = document.operations.count + document.fragments.count + document.typeSystem.count
        guard count < limits.definitions else { throw fault(.definitions(limit: limits.definitions)) }
        if token.kind == .openBrace { return try operation() }
        let hasDescription = token.kind == .string || token.kind == .blockString
        if hasDescription {
            let (next, keyword) = try lookAhead()
            guard next.kind == .name else {
                throw Fault(offset: next.start, reason: .unexpected(description(of: next)))
            }
            guard let keyword, Self.typeSystemKeywords.contains(keyword) else { throw fault(.description) }
            return try typeSystemDefinition(keyword)
        }
        guard token.kind == .name, let keyword = GraphQLKeyword(rawValue: name) else { throw unexpected() }
        switch keyword {
        case .query, .mutation, .subscription: try operation()
        case .fragment: try fragmentDefinition()
        case .extend: try typeSystemExtension()
        case let keyword where Self.typeSystemKeywords.contains(keyword): try typeSystemDefinition(keyword)
        default: throw unexpected()
        }
    }

    private mutating func operation() throws(Fault) {
        guard document.operations.count < limits.operations else {
            throw fault(.operations(limit: limits.operations))
        }
        var operation = GraphQLDocument.Operation(
            kind: .query, name: .init(name: GraphQLNames.none, offset: 0), offset: token.start)
        if token.kind != .openBrace {
            operation.kind = try operationKind()
            if token.kind == .name { operation.name = try expectName() }
            operation.variables = try variableDefinitions()
            operation.directives = try directives(isConstant: false)
        }
        operation.setOffset = token.start
        operation.selections = try selectionSet()
        document.operations.append(operation)
    }

    /// OperationType
    mutating func operationKind() throws(Fault) -> GraphQLOperationKind {
        guard token.kind == .name else { throw expected(GraphQLToken.Kind.name.text) }
        let kind: GraphQLOperationKind
        switch GraphQLKeyword(rawValue: name) {
        case .query: kind = .query
        case .mutation: kind = .mutation
        case .subscription: kind = .subscription
        default: throw unexpected()
        }
        try advance()
        return kind
    }

    private mutating func variableDefinitions() throws(Fault) -> GraphQLDocument.Slice {
        let first = document.variables.count
        if try skip(.openParenthesis) {
            repeat {
                guard document.variables.count - first < limits.variables else {
                    throw fault(.variables(limit: limits.variables))
                }
                try variableDefinition()
            } while try !skip(.closeParenthesis)
        }
        return .init(first: UInt32(first), end: UInt32(document.variables.count))
    }

    private mutating func variableDefinition() throws(Fault) {
        let offset = token.start
        try expect(.dollar)
        let name = try expectName()
        try expect(.colon)
        let type = try typeReference()
        let defaultValue = try skip(.equals) ? try value(isConstant: true) : nil
        let directives = try directives(isConstant: true)
        document.variables.append(
            .init(
                name: name.name, offset: offset, nameOffset: name.offset, type: type, defaultValue: defaultValue,
                directives: directives))
    }

    private mutating func fragmentDefinition() throws(Fault) {
        let offset = token.start
        try expect(.fragment)
        if isAt(.on) { throw unexpected() }
        let name = try expectName()
        try expect(.on)
        let condition = try expectName()
        let directives = try directives(isConstant: false)
        let setOffset = token.start
        let selections = try selectionSet()
        document.fragments.append(
            .init(
                name: name, offset: offset, condition: condition, directives: directives, selections: selections,
                setOffset: setOffset))
    }

    private mutating func selectionSet() throws(Fault) -> GraphQLDocument.Slice {
        try enter()
        let first = UInt32(document.selections.count)
        try expect(.openBrace)
        repeat { try selection() } while try !skip(.closeBrace)
        leave()
        return .init(first: first, end: UInt32(document.selections.count))
    }

    private mutating func selection() throws(Fault) {
        let index = document.selections.count
        if token.kind == .spread {
            try fragment()
        } else {
            let name = try expectName()
            var selection = GraphQLDocument.Selection(
                kind: .field, name: name.name, responseName: name.name, offset: name.offset, nameOffset: name.offset)
            if try skip(.colon) {
                let real = try expectName()
                (selection.name, selection.nameOffset) = (real.name, real.offset)
            }
            if token.kind == .openParenthesis { selection.arguments = try arguments(isConstant: false) }
            if token.kind == .at { selection.directives = try directives(isConstant: false) }
            try append(selection)
        }
        document.selections[index].end = UInt32(document.selections.count)
    }

    /// Appends a selection, and its set when one follows.
    private mutating func append(_ selection: GraphQLDocument.Selection) throws(Fault) {
        var selection = selection
        selection.hasSet = token.kind == .openBrace
        selection.setOffset = token.start
        document.selections.append(selection)
        if selection.hasSet { _ = try selectionSet() }
    }

    private mutating func fragment() throws(Fault) {
        let offset = token.start
        try expect(.spread)
        var selection = GraphQLDocument.Selection(
            kind: .inline, name: GraphQLNames.none, responseName: GraphQLNames.none, offset: offset, nameOffset: 0)
        let hasCondition = try skip(.on)
        if hasCondition || token.kind == .name {
            let name = try expectName()
            (selection.name, selection.nameOffset) = (name.name, name.offset)
            if !hasCondition { selection.kind = .spread }
        }
        selection.directives = try directives(isConstant: false)
        if selection.kind == .spread {
            document.selections.append(selection)
        } else {
            guard token.kind == .openBrace else { throw expected(GraphQLToken.Kind.openBrace.text) }
            try append(selection)
        }
    }

    /// Arguments
    mutating func arguments(isConstant: Bool) throws(Fault) -> GraphQLDocument.Slice {
        let first = document.arguments.count
        if try skip(.openParenthesis) {
            repeat {
                guard document.arguments.count - first < limits.arguments else {
                    throw fault(.arguments(limit: limits.arguments))
                }
                let name = try expectName()
                try expect(.colon)
                let value = try value(isConstant: isConstant)
                document.arguments.append(.init(name: name.name, offset: name.offset, value: value))
            } while try !skip(.closeParenthesis)
        }
        return .init(first: UInt32(first), end: UInt32(document.arguments.count))
    }

    /// Directives
    @inline(__always)
    mutating func directives(isConstant: Bool) throws(Fault) -> GraphQLDocument.Slice {
        let first = UInt32(document.directives.count)
        while token.kind == .at {
            let offset = token.start
            try advance()
            let name = try expectName()
            let arguments = try arguments(isConstant: isConstant)
            document.directives.append(.init(name: name.name, offset: offset, arguments: arguments))
        }
        return .init(first: first, end: UInt32(document.directives.count))
    }
}

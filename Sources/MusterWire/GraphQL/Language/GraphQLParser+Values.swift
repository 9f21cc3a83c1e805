extension GraphQLParser {
    /// Value
    ///
    /// - Parameter isConstant: whether variables are refused.
    /// - Returns: the index of the value.
    mutating func value(isConstant: Bool) throws(Fault) -> UInt32 {
        let index = document.values.count
        let kind: GraphQLDocument.Value.Kind
        switch token.kind {
        case .integer: kind = .integer
        case .float: kind = .float
        case .string: kind = .string
        case .blockString: kind = .blockString
        case .name: kind = namedValue()
        case .dollar:
            try variable(isConstant: isConstant)
            return UInt32(index)
        case .openBracket:
            try list(isConstant: isConstant)
            return UInt32(index)
        case .openBrace:
            try object(isConstant: isConstant)
            return UInt32(index)
        default: throw unexpected()
        }
        document.values.append(
            .init(kind: kind, name: name, offset: token.start, endOffset: token.end, end: UInt32(index + 1)))
        try advance()
        return UInt32(index)
    }

    private func namedValue() -> GraphQLDocument.Value.Kind {
        switch GraphQLKeyword(rawValue: name) {
        case .true: .true
        case .false: .false
        case .null: .null
        default: .enumeration
        }
    }

    private mutating func variable(isConstant: Bool) throws(Fault) {
        let dollar = token
        try advance()
        if isConstant {
            let reason: Fault.Reason =
                token.kind == .name
                ? .variable(document.text(name)) : .unexpected(GraphQLToken.Kind.dollar.text)
            throw Fault(offset: dollar.start, reason: reason)
        }
        let name = try expectName()
        let end = UInt32(document.values.count + 1)
        document.values.append(
            .init(kind: .variable, name: name.name, offset: dollar.start, endOffset: lastEnd, end: end))
    }

    private mutating func list(isConstant: Bool) throws(Fault) {
        try enter()
        let index = open(.list)
        try advance()
        while try !skip(.closeBracket) { _ = try value(isConstant: isConstant) }
        close(index)
    }

    private mutating func object(isConstant: Bool) throws(Fault) {
        try enter()
        let index = open(.object)
        try advance()
        var count = 0
        while try !skip(.closeBrace) {
            count += 1
            guard count <= limits.arguments else { throw fault(.arguments(limit: limits.arguments)) }
            let name = try expectName()
            try expect(.colon)
            let member = document.values.count
            document.values.append(
                .init(kind: .member, name: name.name, offset: name.offset, endOffset: 0, end: 0))
            _ = try value(isConstant: isConstant)
            document.values[member].endOffset = lastEnd
            document.values[member].end = UInt32(document.values.count)
        }
        close(index)
    }

    private mutating func open(_ kind: GraphQLDocument.Value.Kind) -> Int {
        document.values.append(.init(kind: kind, name: GraphQLNames.none, offset: token.start, endOffset: 0, end: 0))
        return document.values.count - 1
    }

    private mutating func close(_ index: Int) {
        document.values[index].endOffset = lastEnd
        document.values[index].end = UInt32(document.values.count)
        leave()
    }

    /// Type
    mutating func typeReference() throws(Fault) -> GraphQLDocument.TypeReference {
        let start = token
        var lists = 0
        while try skip(.openBracket) {
            lists += 1
            guard lists <= GraphQLWrapping.listLimit else {
                throw fault(.listNesting(limit: GraphQLWrapping.listLimit))
            }
        }
        let name = try expectName()
        var wrapping = GraphQLWrapping.none
        if try skip(.bang) { wrapping = wrapping.nonNull }
        for _ in 0..<lists {
            try expect(.closeBracket)
            wrapping = wrapping.list
            if try skip(.bang) { wrapping = wrapping.nonNull }
        }
        return .init(name: name.name, wrapping: wrapping, offset: start.start, nameOffset: name.offset)
    }
}

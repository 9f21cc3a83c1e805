/// Parses a GraphQL source (GraphQL October 2021, appendix B.3) into a document.
///
/// It recurses only as deep as `GraphQLLimits.nesting`, and takes time in proportion to the bytes.
struct GraphQLParser {
    typealias Fault = GraphQLSyntaxFault

    private var lexer: GraphQLLexer
    /// The next token, which the parser has not consumed.
    var token: GraphQLToken
    /// The number of the next token's name; `GraphQLNames.none` when it is none.
    var name = GraphQLNames.none
    var document: GraphQLDocument
    let limits: GraphQLLimits
    /// How deep the parser stands in selection sets, values and types.
    private var depth = 0
    /// The offset after the last consumed token.
    var lastEnd: UInt32 = 0

    private init(
        _ document: GraphQLDocument, _ bytes: UnsafeBufferPointer<UInt8>, limits: GraphQLLimits
    ) throws(Fault) {
        self.document = document
        self.limits = limits
        lexer = GraphQLLexer(bytes)
        token = GraphQLToken(kind: .end, start: 0, end: 0)
        try advance()
    }

    /// Parses a whole source.
    ///
    /// - Throws: the first fault.
    static func parse(_ source: GraphQLSource, limits: GraphQLLimits) throws(GraphQLError) -> GraphQLDocument {
        let result = source.bytes.withUnsafeBufferPointer { bytes in
            Result { () throws(Fault) in try parse(source, bytes, limits: limits) }
        }
        switch result {
        case .success(let document): return document
        case .failure(let fault): throw fault.error(in: source)
        }
    }

    private static func parse(
        _ source: GraphQLSource, _ bytes: UnsafeBufferPointer<UInt8>, limits: GraphQLLimits
    ) throws(Fault) -> GraphQLDocument {
        guard bytes.count <= limits.sourceBytes else {
            throw Fault(offset: 0, reason: .sourceBytes(limit: limits.sourceBytes))
        }
        var document = GraphQLDocument(source: source)
        document.names = GraphQLKeyword.names
        let guess = bytes.count / 16 + 8
        document.selections.reserveCapacity(guess)
        document.arguments.reserveCapacity(guess / 4)
        document.values.reserveCapacity(guess / 4)
        var parser = try GraphQLParser(document, bytes, limits: limits)
        repeat { try parser.definition() } while parser.token.kind != .end
        return parser.document
    }

    // MARK: Tokens

    /// Consumes the next token.
    @inline(__always)
    mutating func advance() throws(Fault) {
        lastEnd = token.end
        token = try lexer.next()
        if token.kind == .name {
            name = document.names.insert(
                UnsafeBufferPointer(rebasing: lexer.bytes[Int(token.start)..<Int(token.end)]))
        } else {
            name = GraphQLNames.none
        }
    }

    /// The token after the next one, and the keyword that it is.
    func lookAhead() throws(Fault) -> (token: GraphQLToken, keyword: GraphQLKeyword?) {
        var lexer = lexer
        let token = try lexer.next()
        guard token.kind == .name else { return (token, nil) }
        let text = String(decoding: lexer.bytes[Int(token.start)..<Int(token.end)], as: UTF8.self)
        return (token, document.names.find(text).flatMap(GraphQLKeyword.init(rawValue:)))
    }

    /// Whether the next token is a keyword.
    @inline(__always)
    func isAt(_ keyword: GraphQLKeyword) -> Bool { name == keyword.rawValue }

    /// Consumes the next token when it is of a kind.
    @inline(__always)
    mutating func skip(_ kind: GraphQLToken.Kind) throws(Fault) -> Bool {
        guard token.kind == kind else { return false }
        try advance()
        return true
    }

    /// Consumes the next token when it is a keyword.
    mutating func skip(_ keyword: GraphQLKeyword) throws(Fault) -> Bool {
        guard isAt(keyword) else { return false }
        try advance()
        return true
    }

    /// Consumes the next token, which must be of a kind.
    @inline(__always)
    mutating func expect(_ kind: GraphQLToken.Kind) throws(Fault) {
        guard token.kind == kind else { throw expected(kind.text) }
        try advance()
    }

    /// Consumes the next token, which must be a keyword.
    mutating func expect(_ keyword: GraphQLKeyword) throws(Fault) {
        guard isAt(keyword) else { throw expected("'\(keyword.text)'") }
        try advance()
    }

    /// Consumes the next token, which must be a name.
    @inline(__always)
    mutating func expectName() throws(Fault) -> GraphQLDocument.NameNode {
        guard token.kind == .name else { throw expected(GraphQLToken.Kind.name.text) }
        let node = GraphQLDocument.NameNode(name: name, offset: token.start)
        try advance()
        return node
    }

    /// The fault that something else must stand in place of the next token.
    func expected(_ text: String) -> Fault {
        fault(.expected(text, found: description(of: token)))
    }

    /// The fault that the next token must not stand here.
    func unexpected() -> Fault { fault(.unexpected(description(of: token))) }

    func fault(_ reason: Fault.Reason) -> Fault { Fault(offset: token.start, reason: reason) }

    /// A token as messages write it, cut after 100 bytes.
    func description(of token: GraphQLToken) -> String {
        switch token.kind {
        case .name, .integer, .float, .string, .blockString:
            let bytes = document.source.bytes[Int(token.start)..<Int(token.end)]
            var text = String(decoding: bytes, as: UTF8.self)
            if token.kind == .string || token.kind == .blockString {
                text = GraphQLText.value(of: bytes, isBlock: token.kind == .blockString)
            }
            if text.utf8.count > 100 { text = text.prefix(100) + "…" }
            return "\(token.kind.text) '\(text)'"
        default: return token.kind.text
        }
    }

    // MARK: Nesting

    /// Enters a selection set, a value or a type; the caller leaves it with `leave`.
    @inline(__always)
    mutating func enter() throws(Fault) {
        depth += 1
        if depth > limits.nesting { throw fault(.nesting(limit: limits.nesting)) }
    }

    @inline(__always)
    mutating func leave() { depth -= 1 }
}

import Testing

@testable import MusterWire

struct GraphQLParserTests {
    /// The fault of a source, as `LINE:COLUMN MESSAGE`; empty when it is grammatical.
    private func fault(_ source: String, limits: GraphQLLimits = GraphQLLimits()) -> String {
        do {
            _ = try GraphQLParser.parse(GraphQLSource(source), limits: limits)
            return ""
        } catch {
            return GraphQLSample.texts([error])[0]
        }
    }

    private func check(_ source: String, _ expected: String, sourceLocation: SourceLocation = #_sourceLocation) {
        let text = fault(source)
        #expect(text.replacing("Syntax Error: ", with: "") == expected, sourceLocation: sourceLocation)
    }

    /// The text of the first string in a query.
    private func string(_ literal: String) throws -> String {
        let document = try GraphQLParser.parse(GraphQLSource("{ a(b: \(literal)) }"), limits: GraphQLLimits())
        return try #require(document.values.first.map { document.string(of: $0) })
    }

    @Test func `faults have the reference implementation's places and words`() {
        check("", "1:1 Unexpected <EOF>.")
        check("{", "1:2 Expected Name, found <EOF>.")
        check("{ a }\n}", "2:1 Unexpected '}'.")
        check("{ }", "1:3 Expected Name, found '}'.")
        check("query Q($a Int) { a }", "1:12 Expected ':', found Name 'Int'.")
        check("query ($a: Int = $b) { a }", "1:18 Unexpected variable '$b' in constant value.")
        check("fragment on on Person { a }", "1:10 Unexpected Name 'on'.")
        check("{ ...on }", "1:9 Expected Name, found '}'.")
        check("\"text\" { a }", "1:8 Unexpected '{'.")
        check(
            "\"text\" query { a }", "1:1 Unexpected description, descriptions are supported only on type definitions.")
        check("enum E { true }", "1:10 Name 'true' is reserved and cannot be used for an enum value.")
        check("extend scalar S", "1:16 Unexpected <EOF>.")
        check("directive @d on PLACE", "1:17 Unexpected Name 'PLACE'.")
    }

    @Test func `a column counts Unicode scalars, and a line ends as the specification says`() {
        check("{ a(b: \"é😀\") ? }", "1:14 Unexpected character: '?'.")
        check("\u{FEFF}{ a }\r\n# é\r\n ?", "3:2 Unexpected character: '?'.")
        check("{ a }\r ?", "2:2 Unexpected character: '?'.")
        check("{ a \u{7} }", "1:5 Unexpected character: U+0007.")
        check("{ 'a' }", "1:3 Unexpected single quote character ('), did you mean to use a double quote (\")?")
    }

    @Test func `numbers are strict`() {
        check("{ a(b: 01) }", "1:9 Invalid number, unexpected digit after 0: '1'.")
        check("{ a(b: 1.) }", "1:10 Invalid number, expected digit but got: ')'.")
        check("{ a(b: 1e) }", "1:10 Invalid number, expected digit but got: ')'.")
        check("{ a(b: -) }", "1:9 Invalid number, expected digit but got: ')'.")
        check("{ a(b: 1x) }", "1:9 Invalid number, expected digit but got: 'x'.")
        check("{ a(b: 1.5.2) }", "1:11 Invalid number, expected digit but got: '.'.")
        check("{ a(b: [0, -0, 1.5e-3, 2E+4]) }", "")
    }

    @Test func `strings are read with their escapes, and half of a surrogate pair is refused`() throws {
        #expect(
            try string(#""\" \\ \/ \b\f\n\r\t \u00e9 \u{1F600} \uD83D\uDE00 é""#) == "\" \\ / \u{8}\u{C}\n\r\t é 😀 😀 é")
        for escape in [#"\uD83D"#, #"\uDE00"#, #"\uD83D\u0041"#, #"\u{D800}"#, #"\u{110000}"#, #"\u{}"#, #"\u12G4"#] {
            #expect(fault("{ a(b: \"\(escape)\") }").hasPrefix("1:9 Syntax Error: Invalid Unicode escape"))
        }
        check(#"{ a(b: "\q") }"#, #"1:9 Invalid character escape sequence: '\q'."#)
        check("{ a(b: \"x\n\") }", "1:10 Unterminated string.")
    }

    @Test func `block strings lose their common indentation`() throws {
        #expect(try string("\"\"\"\n    a\n      b\r\n\r    c \\\"\"\" \\n\n  \n\"\"\"") == "a\n  b\n\nc \"\"\" \\n")
        #expect(try string("\"\"\"  one \"\"\"") == "  one ")
        #expect(try string("\"\"\"\n\n\"\"\"") == "")
        check("{ a(b: \"\"\"x", "1:12 Unterminated string.")
    }

    @Test func `what is too large or too deep is refused`() {
        var limits = GraphQLLimits()
        let deep = String(repeating: "{ a ", count: 65)
        check(deep, "1:257 The document nests deeper than 64 levels.")
        check("{ a(b: " + String(repeating: "[", count: 100_000 / 2), "1:71 The document nests deeper than 64 levels.")
        check("query ($a: [[[[[[[[Int]]]]]]]]) { a }", "1:20 A type nests lists deeper than 7 levels.")
        limits.sourceBytes = 10
        #expect(fault("{ a b c d }", limits: limits) == " The document is longer than 10 bytes.")
        check(String(repeating: "{ a } ", count: 65), "1:385 The document has more than 64 operations.")
        check(
            String(repeating: "fragment F on T { a } ", count: 300),
            "1:5633 The document has more than 256 definitions.")
        let variables = (0..<129).map { "$v\($0): Int" }.joined(separator: " ")
        #expect(fault("query (\(variables)) { a }").hasSuffix("An operation has more than 128 variables."))
        let members = (0..<257).map { "m\($0): 1" }.joined(separator: " ")
        #expect(fault("{ a(b: {\(members)}) }").hasSuffix("has more than 256 arguments."))
        #expect(fault("{ a(\(members)) }").hasSuffix("has more than 256 arguments."))
    }
}

import MusterWire
import Testing

struct CollationTests {
    /// CouchDB's own example of its order, where strings are told apart by bytes.
    private let ascending = [
        "null", "false", "true", "-1e300", "-2", "-1", "-0.5", "0", "0.25", "1", "2", "3.5", "4", "1e300", #""""#,
        #""\u0000""#, #""\u0000a""#, #""\u0001""#, #""A""#, #""B""#, #""a""#, #""aa""#, #""b""#, #""é""#, #""😀""#, "[]",
        "[null]", #"["a"]"#, #"["b"]"#, #"["b","c"]"#, #"["b","c","a"]"#, #"["b","d"]"#, "[[]]", "{}", #"{"a":1}"#,
        #"{"a":2}"#, #"{"b":1}"#, #"{"b":2}"#, #"{"b":2,"a":1}"#, #"{"b":2,"c":2}"#,
    ]

    @Test func `values and their keys have one order`() throws {
        let values = try ascending.map { try JSONValue(parsing: Array($0.utf8)) }
        for (left, one) in values.enumerated() {
            for (right, other) in values.enumerated() {
                let expected: Collation.Order = left < right ? .before : left > right ? .behind : .same
                #expect(Collation.compare(one, other) == expected, "\(ascending[left]) and \(ascending[right])")
                let keys = (CollationKey([one]), CollationKey([other]))
                let order: Collation.Order = keys.0 < keys.1 ? .before : keys.0 == keys.1 ? .same : .behind
                #expect(order == expected, "keys of \(ascending[left]) and \(ascending[right])")
            }
        }
    }

    @Test func `keys of several values sort by the first value`() {
        let early = CollationKey([.string("a"), .integer(9)])
        let late = CollationKey([.string("aa"), .integer(1)])
        #expect(early < late)
        let start = CollationKey([.string("a")])
        #expect(start < early)
        #expect(start.end.map { early < $0 && $0 < late } == true)
    }

    @Test func `a collation key gives back its values, unless it is ambiguous`() throws {
        let values = try ascending.map { try JSONValue(parsing: Array($0.utf8)) }
        for value in values where value.number.map({ abs($0) < 1e300 }) ?? true {
            let told = try #require(CollationKey([value, .string("end")]).values)
            #expect(told == [value, .string("end")])
        }
        #expect(CollationKey([.number(2.0)]).values == [.integer(2)])
        #expect(CollationKey([.integer(1 << 53)]).values == [.integer(1 << 53)])
        #expect(CollationKey([.integer(1 << 53 + 2)]).values == nil)
        #expect(CollationKey([.string(String(repeating: "x", count: 5_000))]).values == nil)
        let whole = CollationKey([.string("a"), .array([.object([.init("b", .integer(1))])])])
        for length in 1..<whole.bytes.count where length != 4 {
            #expect(CollationKey(stored: Array(whole.bytes.prefix(length))).values == nil, "\(length) bytes")
        }
    }

    @Test func `zero has no sign and a long text no end`() {
        #expect(CollationKey([.number(-0.0)]) == CollationKey([.integer(0)]))
        let long = String(repeating: "x", count: 5_000)
        #expect(CollationKey([.string(long)]).bytes.count == CollationKey.limitBytes)
        #expect(!(CollationKey([.string(long + "a")]) < CollationKey([.string(long)])))
    }
}

import MusterCore
import MusterWire
import Testing

/// What is no pattern, and where it says so.
@Suite struct EventPatternFaultTests {
    @Test(arguments: [
        ("[]", "", "must be an object"),
        ("{}", "", "must not be empty"),
        (#"{"a": {}}"#, "/a", "must not be empty"),
        (#"{"a": []}"#, "/a", "must not be empty"),
        (#"{"a": "x"}"#, "/a", "must be a list of values or an object"),
        (#"{"a/b": {"c~": ["x", ["y"]]}}"#, "/a~1b/c~0/1", "must be a string"),
        (#"{"a": [{"prefix": "x", "suffix": "y"}]}"#, "/a/0", "must name exactly one operator"),
        (#"{"a": [{"starts-with": "x"}]}"#, "/a/0", "has no operator \"starts-with\""),
        (#"{"a": [{"prefix": 1}]}"#, "/a/0/prefix", "must be a string"),
        (#"{"a": [{"prefix": {"wildcard": "*"}}]}"#, "/a/0/prefix", "must be a string or"),
        (#"{"a": [{"exists": "yes"}]}"#, "/a/0/exists", "must be true or false"),
        (#"{"a": [{"wildcard": "a**b"}]}"#, "/a/0/wildcard", "must not have two wildcards in a row"),
        (#"{"a": [{"wildcard": "a\\b"}]}"#, "/a/0/wildcard", "must have a backslash only before"),
        (#"{"a": [{"wildcard": "a\\"}]}"#, "/a/0/wildcard", "must have a backslash only before"),
        (#"{"a": [{"cidr": "10.0.0.0"}]}"#, "/a/0/cidr", "must be a block"),
        (#"{"a": [{"cidr": "10.0.0.0/33"}]}"#, "/a/0/cidr", "must be a block"),
        (#"{"a": [{"numeric": ["<"]}]}"#, "/a/0/numeric", "must be one comparison"),
        (#"{"a": [{"numeric": ["<", "5"]}]}"#, "/a/0/numeric", "must be one comparison"),
        (#"{"a": [{"numeric": ["<", 5, ">", 1]}]}"#, "/a/0/numeric", "must be one comparison"),
        (#"{"a": [{"numeric": [">", 5, "<", 5]}]}"#, "/a/0/numeric", "must have its lower end below"),
        (#"{"a": [{"anything-but": ["x", 1]}]}"#, "/a/0/anything-but", "must hold either strings or numbers"),
        (#"{"a": [{"anything-but": null}]}"#, "/a/0/anything-but", "must be a string, a number, a list"),
        (#"{"a": [{"anything-but": {"cidr": "10.0.0.0/8"}}]}"#, "/a/0/anything-but", "has no operator"),
        (#"{"a": [{"anything-but": {"prefix": ""}}]}"#, "/a/0/anything-but/prefix", "must not be empty"),
        (#"{"a": [{"anything-but": {"wildcard": ["x", "**"]}}]}"#, "/a/0/anything-but/wildcard/1", "must not have two"),
        (#"{"$or": [{"a": [1]}]}"#, "/$or", "must be a list of at least two objects"),
        (#"{"$or": [{"a": [1]}, {"b": []}]}"#, "/$or/1/b", "must not be empty"),
        (#"{"a": [1], "a": [2]}"#, "/a", "is not JSON"),
        (#"{"a": [1]"#, "/a", "is not JSON"),
    ])
    func `a fault names its place`(pattern: String, pointer: String, words: String) {
        let fault = #expect(throws: EventPatternError.self) { try EventPattern(parsing: pattern) }
        #expect(fault?.pointer == pointer)
        #expect(fault?.reason.description.hasPrefix(words) == true, "\(fault?.reason.description ?? "")")
    }

    @Test func `a pattern has at most 4,096 characters`() throws {
        let room = EventPattern.lengthLimit - #"{"a":[""]}"#.count
        _ = try EventPattern(parsing: #"{"a":["\#(String(repeating: "é", count: room))"]}"#)
        #expect(throws: EventPatternError(pointer: "", reason: .tooLong(limit: 4_096))) {
            try EventPattern(parsing: #"{"a":["\#(String(repeating: "é", count: room + 1))"]}"#)
        }
    }

    @Test func `alternatives have at most a thousand combinations`() throws {
        func pattern(_ counts: [Int]) -> String {
            let lists = counts.enumerated().map { level, count in
                let clauses = (0..<count).map { "{\"k\":[\($0)]}" }.joined(separator: ",")
                return "\"a\(level)\":{\"$or\":[\(clauses)]}"
            }
            return "{\(lists.joined(separator: ","))}"
        }
        _ = try EventPattern(parsing: pattern([10, 10, 10]))
        #expect(throws: EventPatternError(pointer: "", reason: .tooManyCombinations(limit: 1_000))) {
            try EventPattern(parsing: pattern([10, 10, 11]))
        }
    }

    @Test func `a pattern nests at most 32 levels`() throws {
        func pattern(_ levels: Int) -> EventValue {
            (0..<levels).reduce(.array([.integer(1)])) { inner, _ in .object([.init("a", inner)]) }
        }
        _ = try EventPattern(pattern(32))
        let fault = #expect(throws: EventPatternError.self) { try EventPattern(pattern(33)) }
        #expect(fault?.reason == .tooDeep(limit: 32))
    }
}

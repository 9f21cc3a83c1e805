import MusterWire
import Testing

struct SelectorTests {
    private let document = """
        {"name":"Ana","age":31,"tags":["a","b"],"home":{"city":"Kyiv","zip.code":"01"},"scores":[3,9],"none":null,
        "list":[{"x":1,"y":2},{"x":3}],"ok":true}
        """

    private func check(_ selector: String, _ expected: Bool, line: Int = #line) throws {
        let matches = try Selector(parsing: Array(selector.utf8))
            .matches(id: "d", revision: "1-a", json: Array(document.utf8))
        #expect(matches == expected, "line \(line): \(selector)")
    }

    @Test func `comparisons follow the order of kinds`() throws {
        try check(#"{"age":31}"#, true)
        try check(#"{"age":31.0}"#, true)
        try check(#"{"age":{"$gt":30,"$lt":32}}"#, true)
        try check(#"{"age":{"$gt":31}}"#, false)
        try check(#"{"age":{"$gte":31,"$lte":31}}"#, true)
        try check(#"{"age":{"$gt":true}}"#, true)
        try check(#"{"age":{"$lt":""}}"#, true)
        try check(#"{"none":{"$lt":false}}"#, true)
        try check(#"{"home":{"$gt":[]}}"#, true)
        try check(#"{"name":{"$ne":"Ana"}}"#, false)
        try check(#"{"_id":"d","_rev":"1-a"}"#, true)
    }

    @Test func `an absent field matches nothing but its absence`() throws {
        try check(#"{"gone":{"$exists":false}}"#, true)
        try check(#"{"gone":{"$ne":1}}"#, false)
        try check(#"{"gone":{"$nin":[1]}}"#, false)
        try check(#"{"$not":{"gone":1}}"#, false)
        try check(#"{"$not":{"gone":{"$exists":true}}}"#, true)
        try check(#"{"none":{"$exists":true}}"#, true)
        try check(#"{"gone":{"$not":{"$regex":"a"}}}"#, false)
    }

    @Test func `fields nest by objects, dots, escapes and array positions`() throws {
        try check(#"{"home.city":"Kyiv"}"#, true)
        try check(#"{"home":{"city":{"$eq":"Kyiv"}}}"#, true)
        try check(#"{"home.zip\\.code":"01"}"#, true)
        try check(#"{"home.zip.code":"01"}"#, false)
        try check(#"{"list.1.x":3}"#, true)
        try check(#"{"home":{"$or":[{"city":"Lviv"},{"city":"Kyiv"}]}}"#, true)
    }

    @Test func `combinations do what logic says`() throws {
        try check(#"{}"#, true)
        try check(#"{"$and":[{"age":31},{"ok":true}]}"#, true)
        try check(#"{"$or":[{"age":1},{"ok":true}]}"#, true)
        try check(#"{"$or":[]}"#, false)
        try check(#"{"$nor":[{"age":1},{"ok":false}]}"#, true)
        try check(#"{"$nor":[{"age":31}]}"#, false)
        try check(#"{"$not":{"age":{"$gt":31}}}"#, true)
        try check(#"{"age":{"$not":{"$gt":3}}}"#, false)
        try check(#"{"$not":{"$and":[{"age":31},{"ok":true}]}}"#, false)
    }

    @Test func `arrays are asked for membership, size, and by their elements`() throws {
        try check(#"{"tags":{"$in":["b","z"]}}"#, true)
        try check(#"{"age":{"$in":[30,31]}}"#, true)
        try check(#"{"age":{"$nin":[30,31]}}"#, false)
        try check(#"{"tags":{"$all":["b","a"]}}"#, true)
        try check(#"{"tags":{"$all":["b","c"]}}"#, false)
        try check(#"{"tags":{"$all":[["a","b"]]}}"#, true)
        try check(#"{"tags":{"$size":2}}"#, true)
        try check(#"{"scores":{"$elemMatch":{"$gt":8}}}"#, true)
        try check(#"{"scores":{"$allMatch":{"$gt":8}}}"#, false)
        try check(#"{"list":{"$elemMatch":{"x":3,"y":{"$exists":false}}}}"#, true)
        try check(#"{"home":{"$keyMapMatch":{"$eq":"city"}}}"#, true)
    }

    @Test func `types, remainders, beginnings and patterns are told`() throws {
        try check(#"{"tags":{"$type":"array"}}"#, true)
        try check(#"{"none":{"$type":"null"}}"#, true)
        try check(#"{"age":{"$mod":[10,1]}}"#, true)
        try check(#"{"age":{"$mod":[-1,0]}}"#, true)
        try check(#"{"name":{"$mod":[10,1]}}"#, false)
        try check(#"{"name":{"$beginsWith":"An"}}"#, true)
        try check(#"{"name":{"$regex":"^A.a$"}}"#, true)
        try check(#"{"name":{"$regex":"(?i)ANA"}}"#, true)
        try check(#"{"age":{"$regex":"3"}}"#, false)
    }

    @Test(arguments: [
        #"[]"#, #"{"a":{"$foo":1}}"#, #"{"a":{"$in":1}}"#, #"{"a":{"$exists":1}}"#, #"{"a":{"$type":"date"}}"#,
        #"{"a":{"$mod":[0,1]}}"#, #"{"a":{"$mod":[2]}}"#, #"{"a":{"$size":-1}}"#, #"{"a":{"$regex":"("}}"#,
        #"{"$and":{}}"#, #"{"$or":[1]}"#, #"{"$not":1}"#, #"{"a..b":1}"#, #"{"a":{"$elemMatch":[]}}"#,
        #"{"$text":"x"}"#,
    ])
    func `what is no selector is refused`(_ text: String) {
        #expect(throws: SelectorFault.self) { try Selector(parsing: Array(text.utf8)) }
    }

    @Test func `a selector has its bounds`() throws {
        let wide = "{\"a\":{\"$in\":[" + Array(repeating: "1", count: 1_001).joined(separator: ",") + "]}}"
        #expect(throws: SelectorFault.tooManyTests(limit: 1_000)) { try Selector(parsing: Array(wide.utf8)) }
        let long = "{\"a\":{\"$regex\":\"" + String(repeating: "a", count: 1_001) + "\"}}"
        #expect(throws: SelectorFault.self) { try Selector(parsing: Array(long.utf8)) }
    }

    /// A matcher without bound would take longer than the universe is old.
    @Test func `a pattern that explodes ends, and is not found`() throws {
        let selector = try Selector(parsing: Array(#"{"a":{"$regex":"^(a+)+$"}}"#.utf8))
        let text = String(repeating: "a", count: 5_000) + "!"
        #expect(!selector.matches(.object([.init("a", .string(text))])))
    }

    @Test func `a path is written as it was read`() throws {
        for text in ["a", "a.b.c", #"a\.b.c"#] { #expect(try FieldPath(text).text == text) }
        #expect(try FieldPath(#"a\.b"#).keys == ["a.b"])
    }
}

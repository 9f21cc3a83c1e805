import MusterCore
import MusterWire
import Testing

struct SelectorTests {
    private let document = """
        {"name":"Ana","age":31,"tags":["a","b"],"home":{"city":"Kyiv","zip.code":"01","$y":2},"scores":[3,9],
        "none":null,
        "list":[{"x":1,"y":2},{"x":3}],"ok":true,"$x":1,"back\\\\slash":3,"nested":[[1]],"bare":[{}],"no":[],
        "huge":100000000000000000000}
        """

    private func check(_ selector: String, _ expected: Bool, line: Int = #line) throws {
        let matches = try Selector(parsing: Array(selector.utf8))
            .matches(id: "d", revision: "1-a", body: DocumentBody(json: Array(document.utf8)))
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
        try check(#"{"\\$x":1}"#, true)
        try check(#"{"home":{"\\$y":2}}"#, true)
        try check(#"{"back\\\\slash":3}"#, true)
        try check(#"{"list.1.x":3}"#, true)
        try check(#"{"home":{"$or":[{"city":"Lviv"},{"city":"Kyiv"}]}}"#, true)
    }

    @Test func `combinations do what logic says`() throws {
        try check(#"{}"#, true)
        try check(#"{"$and":[{"age":31},{"ok":true}]}"#, true)
        try check(#"{"$or":[{"age":1},{"ok":true}]}"#, true)
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
        try check(#"{"scores":{"$in":[[3,9]]}}"#, false)
        try check(#"{"nested":{"$in":[[1]]}}"#, true)
        try check(#"{"scores":{"$nin":[9]}}"#, false)
        try check(#"{"scores":{"$not":{"$in":[9]}}}"#, false)
        try check(#"{"scores":{"$nin":[[3,9]]}}"#, true)
        try check(#"{"no":{"$nin":[9]}}"#, true)
        try check(#"{"tags":{"$all":["b","a"]}}"#, true)
        try check(#"{"tags":{"$all":["b","c"]}}"#, false)
        try check(#"{"tags":{"$all":[["a","b"]]}}"#, true)
        try check(#"{"tags":{"$size":2}}"#, true)
        try check(#"{"scores":{"$elemMatch":{"$gt":8}}}"#, true)
        try check(#"{"scores":{"$allMatch":{"$gt":8}}}"#, false)
        try check(#"{"list":{"$elemMatch":{"x":3,"y":{"$exists":false}}}}"#, true)
        try check(#"{"home":{"$keyMapMatch":{"$eq":"city"}}}"#, true)
    }

    @Test func `the operators for types, remainders, beginnings and patterns match`() throws {
        try check(#"{"tags":{"$type":"array"}}"#, true)
        try check(#"{"none":{"$type":"null"}}"#, true)
        try check(#"{"age":{"$mod":[10,1]}}"#, true)
        try check(#"{"age":{"$mod":[-1,0]}}"#, true)
        try check(#"{"huge":{"$mod":[2,0]}}"#, true)
        try check(#"{"huge":{"$mod":[3,1]}}"#, true)
        try check(#"{"huge":{"$mod":[3,2]}}"#, false)
        try check(#"{"age":{"$type":"date"}}"#, false)
        try check(#"{"age":{"$not":{"$type":"date"}}}"#, true)
        try check(#"{"name":{"$mod":[10,1]}}"#, false)
        try check(#"{"name":{"$beginsWith":"An"}}"#, true)
        try check(#"{"name":{"$regex":"^A.a$"}}"#, true)
        try check(#"{"name":{"$regex":"(?i)ANA"}}"#, true)
        try check(#"{"age":{"$regex":"3"}}"#, false)
    }

    @Test(arguments: [
        #"[]"#, #"{"a":{"$foo":1}}"#, #"{"a":{"$in":1}}"#, #"{"a":{"$exists":1}}"#, #"{"a":{"$type":1}}"#,
        #"{"a":{"$mod":[0,1]}}"#, #"{"a":{"$mod":[2]}}"#, #"{"a":{"$size":-1}}"#, #"{"a":{"$regex":"("}}"#,
        #"{"$and":{}}"#, #"{"$or":1}"#, #"{"$not":1}"#, #"{"a..b":1}"#, #"{"a":{"$elemMatch":[]}}"#,
        #"{"$text":"x"}"#, #"{"$where":"x"}"#, #"{"a":{"$beginsWith":1}}"#,
    ])
    func `an invalid selector is refused`(_ text: String) {
        #expect(throws: SelectorError.self) { try Selector(parsing: Array(text.utf8)) }
    }

    @Test(arguments: [
        (#"{"a":{"$regex":1}}"#, SelectorError.invalidOperator("$regex")),
        (#"{"a":{"$near":1}}"#, .unsupportedOperator("$near")), (#"{"$eq":1}"#, .missingField),
        (#"{"$not":{}}"#, .missingField), (#"{"$elemMatch":{"a":1}}"#, .missingField),
    ])
    func `a refusal has CouchDB's words`(_ text: String, _ fault: SelectorError) {
        #expect(throws: fault) { try Selector(parsing: Array(text.utf8)) }
    }

    @Test func `nothing can be absent where nothing can be`() throws {
        try check(#"{"home.street":{"$exists":false}}"#, true)
        try check(#"{"gone.deeper":{"$exists":false}}"#, true)
        for path in ["name.x", "age.x", "none.x", "ok.x", "tags.x", "tags.2", "list.0.x.deep"] {
            try check(#"{"\#(path)":{"$exists":false}}"#, false)
        }
    }

    @Test func `combinations of nothing let everything through, but a query finds nothing by them`() throws {
        for text in [#"{"$and":[]}"#, #"{"$or":[]}"#, #"{"$nor":[]}"#, #"{"age":{"$or":[]}}"#, #"{"$not":{"$or":[]}}"#]
        {
            try check(text, true)
            #expect(try Selector(parsing: Array(text.utf8)).findsNothing, "\(text)")
        }
        for text in ["{}", #"{"$and":[{"$and":[]}]}"#, #"{"age":31,"$or":[]}"#, #"{"tags":{"$elemMatch":{"$or":[]}}}"#]
        {
            try check(text, true)
            #expect(try !Selector(parsing: Array(text.utf8)).findsNothing, "\(text)")
        }
    }

    @Test func `an operator in the wrong place is a value to be equal to`() throws {
        for text in [#"{"$or":[{}]}"#, #"{"$and":[{}]}"#, #"{"$or":[1]}"#, #"{"$gt":1,"$lt":2}"#] {
            try check(text, false)
        }
        try check(#"{"$nor":[{}]}"#, true)
        try check(#"{"age":{"$or":[30,31]}}"#, true)
        try check(#"{"age":{"$nor":[30,31]}}"#, false)
        try check(#"{"list":{"$elemMatch":{}}}"#, false)
        try check(#"{"bare":{"$elemMatch":{}}}"#, true)
        try check(#"{"bare":{"$allMatch":{}}}"#, true)
        try check(#"{"no":{"$allMatch":{}}}"#, false)
        try check(#"{"home":{"$keyMapMatch":{}}}"#, false)
    }

    @Test func `inside of elements a negation is the opposite`() throws {
        try check(#"{"list":{"$elemMatch":{"$not":{"y":2}}}}"#, true)
        try check(#"{"list":{"$allMatch":{"y":{"$not":{"$gt":2}}}}}"#, true)
        try check(#"{"list":{"$allMatch":{"y":{"$lte":2}}}}"#, false)
        try check(#"{"list":{"$elemMatch":{"$nor":[{"y":2},{"x":1}]}}}"#, true)
        try check(#"{"list":{"$not":{"$elemMatch":{"$not":{"y":2}}}}}"#, false)
    }

    @Test func `files are members of a document`() throws {
        let file = Attachment(
            name: "a.txt", contentType: "text/plain", md5: Array(repeating: 0, count: 16), key: [], length: 3,
            revisionPosition: 2)
        let body = DocumentBody(json: Array("{}".utf8), attachments: [file])
        for (text, expected) in [
            (#"{"_attachments":{"$exists":true}}"#, true), (#"{"_attachments":{"a\\.txt":{"length":3}}}"#, true),
            (#"{"_attachments.a\\.txt.revpos":1}"#, false),
        ] {
            let selector = try Selector(parsing: Array(text.utf8))
            #expect(selector.matches(id: "d", revision: "2-a", body: body) == expected, "\(text)")
        }
    }

    @Test func `a selector has its bounds`() throws {
        let wide = "{\"a\":{\"$in\":[" + Array(repeating: "1", count: 1_001).joined(separator: ",") + "]}}"
        #expect(throws: SelectorError.tooManyTests(limit: 1_000)) { try Selector(parsing: Array(wide.utf8)) }
        let long = "{\"a\":{\"$regex\":\"" + String(repeating: "a", count: 1_001) + "\"}}"
        #expect(throws: SelectorError.self) { try Selector(parsing: Array(long.utf8)) }
    }

    /// A matcher without bound would take longer than the universe is old.
    @Test func `a pattern that explodes ends, and is not found`() throws {
        let selector = try Selector(parsing: Array(#"{"a":{"$regex":"^(a+)+$"}}"#.utf8))
        let text = String(repeating: "a", count: 5_000) + "!"
        #expect(!selector.matches(.object([.init("a", .string(text))])))
    }

    @Test func `a path is written as it was read`() throws {
        for text in ["a", "a.b.c", #"a\.b.c"#, #"a\\.b"#] { #expect(try FieldPath(text).text == text) }
        for (text, keys) in [
            (#"a\.b"#, ["a.b"]), (#"\$a"#, ["$a"]), (#"a\b"#, ["ab"]), (#"a\\.b"#, ["a\\", "b"]), (#"a\"#, ["a"]),
        ] {
            let path = try FieldPath(text)
            #expect(path.keys == keys)
            #expect(try FieldPath(path.text) == path)
        }
    }
}

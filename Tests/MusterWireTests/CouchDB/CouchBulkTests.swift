import MusterCore
import MusterWire
import Testing

@Suite struct CouchBulkTests {
    private func read(_ documents: String) throws -> CouchBulk {
        try Array("{\"docs\":[\(documents)]}".utf8).withUnsafeBytes { try CouchBulk(parsing: $0, limit: 100) }
    }

    private func nested(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }

    @Test func `a fault in one document is reported for it alone, and the others are read`() throws {
        let deep = nested(CouchDocument.depthLimit)
        for wrong in [
            "\"x\":\(deep)", "\"x\":\(nested(100_000))", #""x":{"a":1,"a":2}"#, #""x":1e999"#, #""_what":1"#,
            #""_deleted":1"#, #""_attachments":[]"#, #""x":"\ud800""#, #""s":"}\"]","_revisions":7"#,
        ] {
            for text in [#"{"_id":"b","_rev":"1-b",\#(wrong)}"#, #"{ \#(wrong) , "_rev":"1-b" , "_id":"b" }"#] {
                let bulk = try read(#"{"_id":"a"}, \#(text) ,{"_id":"c"}"#)
                let ids = bulk.documents.map { document in
                    switch document {
                    case .success(let document): document.id
                    case .failure(let refusal): "\(refusal.id) \(refusal.revisionText ?? "")"
                    }
                }
                #expect(ids == ["a", "b 1-b", "c"], "\(text.prefix(60))")
            }
        }
    }

    @Test func `a document nests as deep among others as alone`() throws {
        let text = #"{"_id":"a","x":\#(nested(CouchDocument.depthLimit - 1))}"#
        #expect(try Array(text.utf8).withUnsafeBytes { try CouchDocument(parsing: $0) }.id == "a")
        #expect(throws: Never.self) { try read(text).documents[0].get() }
    }

    @Test func `invalid JSON, or a bad document without an id, refuses the whole request`() {
        for text in [
            #"{"_id":"a","x":tru}"#, #"{"_id":"a","x":\#(nested(100))"#, #"{"x":\#(nested(100))}"#, "1",
            #"{"_id":7}"#, #"{"_id":"a","x":\#(nested(100))}}"#, #"{"_id":"a","x":"\#(nested(100))}"#,
        ] {
            #expect(throws: (any Error).self, "\(text.prefix(60))") { try read(#"{"_id":"b"},"# + text) }
        }
    }

    @Test func `a JSON error is located in the whole request`() {
        #expect(throws: JSONError(pointer: "/docs/1/x", offset: 27, reason: .unexpectedByte(UInt8(ascii: "?")))) {
            try read(#"{"_id":"a"},{ "x":?}"#)
        }
    }
}

import MusterCore
import MusterWire
import Testing

@Suite struct CouchDocumentTests {
    private func read(_ text: String) throws -> CouchDocument {
        try Array(text.utf8).withUnsafeBytes { try CouchDocument(parsing: $0) }
    }

    @Test func `a body keeps its members in order, without blanks and without special members`() throws {
        let document = try read(
            #" { "b" : [ 1.0 , { "x y" : "a \" b" } ] , "_id":"x", "_rev" : "1-a", "a" : 1e2 , "_deleted": true } "#)
        #expect(String(decoding: document.json, as: UTF8.self) == #"{"b":[1.0,{"x y":"a \" b"}],"a":1e2}"#)
        #expect(document.id == "x" && document.isDeleted)
        #expect(try document.revision() == Revision("1-a"))
    }

    @Test func `an underscore counts as one however it is escaped`() throws {
        #expect(try read(#"{"\u005fid":"x","a":1}"#).id == "x")
        #expect(throws: CouchDocumentError.unknownMember("_x")) { try read(#"{"\u005fx":1}"#) }
    }

    @Test func `ancestry lists revisions newest first, in descending generations`() throws {
        let document = try read(#"{"_revisions":{"start":3,"ids":["c","b","a"]}}"#)
        #expect(document.ancestry.map(\.text) == ["3-c", "2-b", "1-a"])
        for wrong in [#"{"start":2,"ids":["c","b","a"]}"#, #"{"ids":["a"]}"#, #"{"start":1,"ids":[]}"#, "[]"] {
            #expect(throws: CouchDocumentError.self) { try read("{\"_revisions\":\(wrong)}") }
        }
    }

    @Test func `files come inside, behind, or not at all`() throws {
        let document = try read(
            #"{"_attachments":{"a":{"data":"aGk=","content_type":"text/plain"},"b":{"follows":true,"length":9},"#
                + #""c":{"stub":true,"digest":"md5-AAAAAAAAAAAAAAAAAAAAAA==","revpos":2}}}"#)
        #expect(document.attachments.map(\.name) == ["a", "b", "c"])
        #expect(document.attachments.map(\.content) == [.inline(Array("hi".utf8)), .following, .stub])
        #expect(document.attachments[2].md5 == [UInt8](repeating: 0, count: 16))
        #expect(document.attachments[1].length == 9 && document.attachments[2].revisionPosition == 2)
    }

    @Test func `repeated keys, invalid JSON and values that are not objects are refused`() {
        for text in ["[]", "1", "{", #"{"a":1,"a":2}"#, #"{"_id":"a","_id":"b"}"#, #"{"a":{"b":1,"b":2}}"#, "{}x", ""] {
            #expect(throws: (any Error).self, "\(text)") { try read(text) }
        }
    }

    @Test func `a document is written with every member that the request asks for`() throws {
        let revision = try #require(Revision("2-967a00dff5e02add41819138abb3284d"))
        let parent = try #require(Revision("1-old"))
        var rendering = CouchRendering(
            id: "a\"b", revision: revision, isDeleted: true, body: DocumentBody(json: Array(#"{"v":1}"#.utf8)))
        rendering.ancestry = [revision, parent]
        rendering.information = [(revision, .available), (parent, .missing)]
        rendering.conflicts = [parent]
        rendering.localSequence = LogSequence(7)
        var writer = JSONWriter()
        try writer.document(rendering)
        #expect(
            String(decoding: writer.bytes, as: UTF8.self)
                == #"{"_id":"a\"b","_rev":"2-967a00dff5e02add41819138abb3284d","_deleted":true,"v":1,"#
                + #""_revisions":{"start":2,"ids":["967a00dff5e02add41819138abb3284d","old"]},"#
                + #""_revs_info":[{"rev":"2-967a00dff5e02add41819138abb3284d","status":"available"},"#
                + #"{"rev":"1-old","status":"missing"}],"_conflicts":["1-old"],"_local_seq":7}"#)
    }

    @Test func `a written document is read back`() throws {
        let body = DocumentBody(json: Array(#"{"v":[1,{}],"w":"ä"}"#.utf8))
        for json in [body, .empty] {
            var writer = JSONWriter()
            let revision = try #require(Revision("1-a"))
            try writer.document(CouchRendering(id: "x", revision: revision, isDeleted: false, body: json))
            let document = try writer.bytes.withUnsafeBytes { try CouchDocument(parsing: $0) }
            #expect(document.json == json.json && document.id == "x")
            #expect(try document.revision() == revision)
        }
    }

    @Test func `ids with an underscore are for design documents`() {
        #expect(throws: Never.self) { try DocumentID.check("_design/x") }
        for id in ["", "_x", "_design/", "_local/x", String(repeating: "x", count: 2_049)] {
            #expect(throws: CouchDocumentError.self) { try DocumentID.check(id) }
        }
    }
}

import MusterCore
import MusterWire
import Testing

@testable import MusterReplication

@Suite struct DocumentTextTests {
    @Test func `a document reads back as it was written`() throws {
        let path = [Revision("2-b"), Revision("1-a")].compactMap { $0 }
        let document = ReplicatedRevision(
            id: "a \"quoted\" id", path: path, isDeleted: true, json: Array(#"{"x":[1,2],"y":" a b "}"#.utf8),
            attachments: [
                ReplicatedAttachment(
                    name: "note.txt", contentType: "text/plain", digest: "md5-xyz", length: 5, revisionPosition: 1)
            ])
        var bytes: [UInt8] = []
        DocumentText.append(document, to: &bytes)
        #expect(try read(String(decoding: bytes, as: UTF8.self)) == document)
    }

    @Test func `space outside of strings is dropped, space within stays`() throws {
        let text = "{ \"_id\" : \"a\", \"_rev\":\"1-a\", \"v\" : { \"k\\\" \" : [ 1 , \" 2 \" ] } }"
        let document = try #require(try read(text))
        #expect(String(decoding: document.json, as: UTF8.self) == "{\"v\":{\"k\\\" \":[1,\" 2 \"]}}")
    }

    @Test func `a stated attachment length is clamped to 0…2^40`() throws {
        for (said, believed) in [("9223372036854775807", 1 << 40), ("-1", 0), ("5", 5)] as [(String, Int64)] {
            let text = #"{"_id":"a","_rev":"1-a","_attachments":{"f":{"stub":true,"length":\#(said)}}}"#
            #expect(try read(text)?.attachments.map(\.length) == [believed])
        }
    }

    @Test func `a document without id or revision is left out`() throws {
        #expect(try read(#"{"_id":"a"}"#) == nil)
        #expect(try read(#"{"_rev":"1-a"}"#) == nil)
        #expect(try read(#"{"_id":"a","_rev":"zero"}"#) == nil)
    }

    @Test func `ancestors that do not fit the revision are not believed`() throws {
        let text = #"{"_id":"a","_rev":"2-b","_revisions":{"start":7,"ids":["z","y"]}}"#
        #expect(try read(text)?.path == [Revision("2-b")].compactMap { $0 })
        let long = #"{"_id":"a","_rev":"1-b","_revisions":{"start":1,"ids":["b","y"]}}"#
        #expect(try read(long)?.path == [Revision("1-b")].compactMap { $0 })
    }

    @Test func `a document that nests too deep is refused under its name, and the next is read`() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1)
        }
        let limit = DocumentText.depthLimit
        let text = """
            [{"_id":"a","_rev":"1-a","x":\(nested(limit))},{"x":\(nested(100_000)),"_id":"b","_rev":"1-b"},
            {"_id":"c","_rev":"1-c","x":1,"x":2},{"_id":"d","_rev":"1-d"}]
            """
        let read = try Array(text.utf8).withUnsafeBytes { bytes in
            var reader = JSONReader(bytes, depthLimit: 4)
            var revisions: [ReplicatedRevision?] = []
            try reader.beginArray()
            while try reader.nextElement() { revisions.append(try DocumentText.readOne(of: &reader)) }
            try reader.finish()
            return revisions.compactMap(\.self)
        }
        #expect(read.map(\.id) == ["a", "b", "c", "d"])
        #expect(read.map { $0.refusal?.error } == [nil, "forbidden", "forbidden", nil])
        #expect(read.map(\.revision) == ["1-a", "1-b", "1-c", "1-d"].compactMap { Revision($0) })
    }

    @Test func `a digest goes with bytes that it is known to be of, and with no others`() throws {
        let revision = try #require(Revision("1-a"))
        var attachment = ReplicatedAttachment(
            name: "note.txt", contentType: "text/plain", digest: "md5-xyz", length: 5, revisionPosition: 1)
        for isKnown in [false, true] {
            attachment.isDigestOfBytes = isKnown
            let document = ReplicatedRevision(
                id: "a", path: [revision], json: Array("{}".utf8), attachments: [attachment])
            var bytes: [UInt8] = []
            DocumentText.append(document, to: &bytes, attachments: .following)
            #expect(String(decoding: bytes, as: UTF8.self).contains("md5-xyz") == isKnown)
        }
    }

    @Test func `addresses keep what they must and hide who asks`() throws {
        let address = try #require(DatabaseAddress("http://ann:s%40cret@host:5984/couch/lt_locations_user_a%2540b"))
        #expect(address.root == "http://host:5984/couch/")
        #expect(address.segment == "lt_locations_user_a%2540b")
        #expect(address.credentials == .basic(name: "ann", password: "s@cret"))
        #expect(address.description == "http://host:5984/couch/lt_locations_user_a%2540b")
        let named = try #require(DatabaseAddress(server: "https://host", database: "lt_locations_user_a%40b"))
        #expect(named.segment == "lt_locations_user_a%2540b")
        for text in ["", "ftp://host/db", "http://host", "http://host/db?x=1", "host/db", "http:///db"] {
            #expect(DatabaseAddress(text) == nil, "\(text)")
        }
    }

    private func read(_ text: String) throws -> ReplicatedRevision? {
        try Array(text.utf8).withUnsafeBytes { bytes in
            var reader = JSONReader(bytes, depthLimit: DocumentText.depthLimit)
            return try DocumentText.read(&reader)
        }
    }
}

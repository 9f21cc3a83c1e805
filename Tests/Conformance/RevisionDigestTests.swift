import MusterCore
import MusterDocuments
import Testing

/// Revisions as CouchDB computes them.
@Suite struct RevisionDigestTests {
    private func check(_ json: String, _ expected: String, on parent: String? = nil, isDeleted: Bool = false) {
        let parent = parent.flatMap { Revision($0) }
        let edit = DocumentEdit.test("a", json, on: parent, isDeleted: isDeleted)
        #expect(RevisionDigest.revision(of: edit, on: parent).text == expected, "\(json)")
    }

    @Test func `a revision is the one that CouchDB makes`() {
        check("{}", "1-967a00dff5e02add41819138abb3284d")
        check("{\"v\":1}", "1-7a7e4b29f3af401e69b6f86e4c26b727")
    }

    // What follows was computed by another encoder of the same term, which gives the two above.

    @Test func `every kind of JSON value is the term that Erlang has for it`() {
        check(
            #"{"a":[],"b":[1,2,255],"c":[1,256],"d":[0,"x"],"e":[[1],[2]]}"#, "1-d008515e3e7a9920477b798290162f2a")
        check(#"{"a":{"b":{"c":[{}]}},"t":true,"f":false,"n":null}"#, "1-548d84349cf1a99f5a51798706670d70")
        check(#"{"s":"\u00e9\ud83e\udded\n\"\\/","é":"é"}"#, "1-816428668fc5d36764aa9b10d135835c")
        check(
            """
            {"type":"Feature","geometry":{"type":"Point","coordinates":[-122.30464079,37.49453457]},\
            "properties":{"username":"ann","timestamp":1795240800000,"background":false},"created_at":1795240800000}
            """, "1-1d42e04198cd7725ad8b0ffeccfe27d4")
    }

    @Test func `numbers keep their kind: integers of any size, floats with every bit`() {
        check(
            #"{"i":[255,256,-1,2147483647,2147483648,-2147483648,-2147483649,9007199254740993]}"#,
            "1-82d0f7310ff9b90840ef4a46bb11dabd")
        check(
            """
            {"big":[9223372036854775807,9223372036854775808,-9223372036854775808,-9223372036854775809,\
            123456789012345678901234567890]}
            """, "1-a4d1a5f5b8433aa17b7382efceb52622")
        check(
            #"{"f":[1.0,1e3,-0.0,-0,0.1,1E-7,3.141592653589793,1.7976931348623157e308]}"#,
            "1-6b2fea55d6c8b79a7368244d0de0c903")
        check("{\"long\":\(String(repeating: "9", count: 700))}", "1-7410f24e7156223ba292971db6d575a4")
    }

    @Test func `a list of up to 65,535 bytes is encoded as a string, a longer one as a list`() {
        func list(_ count: Int) -> String { "{\"l\":[\((0..<count).map { "\($0 % 256)" }.joined(separator: ","))]}" }
        check(list(65_535), "1-64468d79a4c0e49df341103dc2de20b8")
        check(list(65_536), "1-9f725e3822144efc7cfcb59ce032d7ea")
    }

    @Test func `parent, deletion and attachments change a revision's digest`() {
        let first = "1-7a7e4b29f3af401e69b6f86e4c26b727"
        check("{\"v\":2}", "2-d0df861eb528e79690cd2ff3c4d394f3", on: first)
        check("{}", "3-a05054bba8fc0b53078e1066ee724c25", on: "2-7a7e4b29f3af401e69b6f86e4c26b727", isDeleted: true)
        // A hash that is no digest goes in as its text.
        check("{}", "4-dbe321336bf460173707b4a9d58eda1b", on: "3-abc")
        let attachments = [
            Attachment.test("a.txt", type: "application/octet-stream", md5: [UInt8](repeating: 7, count: 16)),
            Attachment.test("b/c.png", type: "image/png", md5: Array(0..<16)),
        ]
        #expect(
            RevisionDigest.revision(of: .test("a", "{}", attachments), on: nil).text
                == "1-e6d360921d67298821592dfeec7aa2ad")
    }

    @Test func `text that is not JSON has a revision too, and no text traps`() {
        var generator = SeededGenerator(seed: 5)
        let letters = Array(#"{}[]",:\\-+.eE0123456789truefalsn "#.utf8)
        var seen: Set<Revision> = []
        for _ in 0..<20_000 {
            let json = (0..<Int.random(in: 0...24, using: &generator)).map { _ in
                letters.randomElement(using: &generator) ?? 0
            }
            let edit = DocumentEdit(id: "a", body: DocumentBody(json: json), isDeleted: false, place: .on(nil))
            seen.insert(RevisionDigest.revision(of: edit, on: nil))
        }
        #expect(seen.count > 10_000)
    }
}

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
}

import Testing

@testable import MusterServer

struct CompactTokenTests {
    @Test(arguments: ["e30.e30.AAAA", "e30.e30.AAA", "e30.e30.AA"])
    func `three parts in base64url without padding are a token`(text: String) {
        #expect(CompactToken.isWellFormed(text))
    }

    /// RFC 7515, section 2: "with all trailing '=' characters omitted".
    @Test(arguments: [
        "e30.e30.AA==", "e30.e30.AAA=", "e30=.e30.AAAA", "e30.e30=.AAAA", "e30.e30.AAAA=", "e30.e30.AAAA====",
        // The bits that no byte takes are not 0, so it is another text of the same bytes.
        "e30.e30.AB", "e30.e30.AA+A", "e30.e30.AA/A", "e30.e30.AA A", "e30.e30", "e30.e30.AA.AA", "", "e30.e30.A",
    ])
    func `another text is not`(text: String) { #expect(!CompactToken.isWellFormed(text)) }
}

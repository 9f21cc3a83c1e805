import Testing

@testable import MusterTiles

@Suite struct TileMetadataTests {
    @Test func `an attribution has no markup, also where a bracket is joined to what is beside it`() throws {
        let texts = [
            #"<a href=\"https://example.org\">Doors &amp; co</a>"#: "Doors &amp; co",
            // U+0600 joins the bracket behind it, and U+0301 the one before it, to one Character of Swift.
            #"\u0600<img src=x onerror=alert(1) \u0600>Hi"#: "\u{0600}Hi",
            #"<b>\u0301Doors</b>"#: "\u{0301}Doors",
        ]
        for (text, plain) in texts {
            let metadata = try TileMetadata(parsing: Array(#"{"attribution":"\#(text)"}"#.utf8))
            #expect(metadata.attribution.map { Array($0.unicodeScalars) } == Array(plain.unicodeScalars), "\(text)")
        }
    }

    @Test func `an attribution of one endless character is cut off`() throws {
        let text = "a" + String(repeating: "\u{0301}", count: 100_000)
        let metadata = try TileMetadata(parsing: Array(#"{"attribution":"\#(text)"}"#.utf8))
        #expect(metadata.attribution?.unicodeScalars.count == 1_000)
    }

    @Test func `a layer that a file lists twice is listed once`() throws {
        let json = #"{"vector_layers":[{"id":"doors","fields":{"name":"String"}},{"id":"doors"},{"id":"walls"}]}"#
        let metadata = try TileMetadata(parsing: Array(json.utf8))
        #expect(metadata.layers.map(\.id) == ["doors", "walls"])
        #expect(metadata.layers.first?.fields == ["name"])
    }
}

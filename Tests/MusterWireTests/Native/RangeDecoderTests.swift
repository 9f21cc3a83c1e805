import MusterCore
import MusterWire
import Testing

/// Ranges as devices report them.
@Suite struct RangeDecoderTests {
    private static let tag = "00112233445566778899aabbccddeeff"
    private static let range =
        #"{"peer":"\#(tag)","sampleTime":"2026-11-21T06:00:00Z","metres":2.9,"deviationMetres":0.3,"source":"uwb"}"#

    private func decode(_ text: String) throws -> ReportedRanges {
        try Array(text.utf8).withUnsafeBytes { try RangeDecoder.decode($0) }
    }

    /// The faults of a body, as "/0/metres must be…".
    private func faults(_ text: String) -> [String] {
        do {
            _ = try decode(text)
            return []
        } catch {
            return (error as? BodyFaults)?.faults.map { "\($0.pointer) \($0.words)" } ?? ["\(error)"]
        }
    }

    @Test func `one range, or several, each with or without its device`() throws {
        let one = try decode(Self.range)
        #expect(one.isSingle && one.items.count == 1)
        let item = try #require(one.items.first)
        #expect(item.tag == RangeTag(Self.tag) && item.deviceName == nil)
        #expect((item.metres, item.deviationMetres) == (2.9, 0.3) && item.source == .ultraWideband)
        let named = Self.range.replacing("{", with: #"{"device":"phone","#)
        let several = try decode("[\(Self.range),\(named)]")
        #expect(!several.isSingle && several.items.map(\.deviceName) == [nil, "phone"])
        #expect(try decode("[]").items.isEmpty)
    }

    @Test func `every fault is reported with its place`() {
        #expect(faults("7") == [" must be an object"])
        let found = faults(#"[{"peer":7,"metres":-0.5,"deviationMetres":0,"source":"uwb2","device":1,"more":0}]"#)
        let places = ["more", "device", "peer", "sampleTime", "metres", "deviationMetres", "source"]
        #expect(found.map { String($0.prefix { $0 != " " }) } == places.map { "/0/\($0)" })
        #expect(found[4] == "/0/metres must be a number from 0 to 10000")
    }

    @Test(arguments: ["NaN", "Infinity", "-Infinity", "1e400", "\"2\"", "null", "10000.001", "-0.001"])
    func `an invalid distance is an error`(number: String) {
        #expect(!faults(Self.range.replacing("2.9", with: number)).isEmpty)
        #expect(!faults(Self.range.replacing("0.3", with: number)).isEmpty)
    }

    @Test func `a body has its limit`() {
        let many = Array(repeating: Self.range, count: RangeDecoder.limit + 1).joined(separator: ",")
        #expect(faults("[\(many)]") == [" has more than \(RangeDecoder.limit) elements"])
    }
}

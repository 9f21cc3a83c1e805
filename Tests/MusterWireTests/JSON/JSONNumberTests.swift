import Testing

@testable import MusterWire

struct JSONNumberTests {
    private func check(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let bytes = text.bytes
        let value = try bytes.withUnsafeBytes {
            var reader = JSONReader($0)
            return try reader.decimal().double
        }
        #expect(value.bitPattern == Double(text)?.bitPattern, "\(text)", sourceLocation: sourceLocation)
    }

    @Test func `a number becomes the nearest double`() throws {
        for text in [
            "0", "-0", "0.1", "-122.08383820000001", "37.389916000000003", "9007199254740993", "9007199254740992.5",
            "9007199254740993.5", "1e22", "1e23", "123456789012345678e-19", "0.30000000000000004",
            "9999999999999999999e-19", "18446744073709551615", "2.2250738585072011e-308", "4.9e-324", "2e-324",
            "1.7976931348623157e308", "8.5e-1", "0.000000000000000000000000000001", "1152921504606846976.125",
            "9007199254740993e-1", "0.500000000000000166533453693773481063544750213623046875",
        ] { try check(text) }
    }

    @Test func `numbers of seventeen to nineteen digits round as the standard library rounds`() throws {
        var random = Seeded(seed: 2)
        for _ in 0..<100_000 {
            let digits = UInt64.random(in: 1 << 53...9_999_999_999_999_999_999, using: &random)
            try check("\(digits)e-\(Int.random(in: 0...22, using: &random))")
        }
    }

    @Test func `quotients that lie on a tie round to even`() throws {
        // Halves of neighbours: odd multiples of 2^-1 beyond 2^53, written exactly.
        var random = Seeded(seed: 3)
        for _ in 0..<20_000 {
            let half = UInt64.random(in: 1 << 52..<1 << 53, using: &random) << 1 | 1
            try check("\(half)")
            try check("\(half)5e-1")
            try check("\(half).5")
        }
    }

    @Test func `any double survives being written and read`() throws {
        var random = Seeded(seed: 4)
        for _ in 0..<100_000 {
            let value = Double(bitPattern: random.next())
            guard value.isFinite else { continue }
            let read = try JSONValue(parsing: JSONWriter.text(value).bytes).number
            #expect(read?.bitPattern == value.bitPattern || (value == 0 && read == 0))
        }
    }

    @Test func `coordinates are written as short as can be`() {
        var random = Seeded(seed: 5)
        for _ in 0..<50_000 {
            let decimals = [1.0, 1e3, 1e5, 1e6, 1e7, 1e8, 1e14].randomElement(using: &random)!
            let value = (Double.random(in: -180...180, using: &random) * decimals).rounded() / decimals
            let text = JSONWriter.text(value)
            let shortest = value.description.hasSuffix(".0") ? String(value.description.dropLast(2)) : value.description
            #expect(text.utf8.count <= shortest.utf8.count && Double(text) == value, "\(text) \(shortest)")
        }
        #expect(JSONWriter.text(-0.0000001) == "-0.0000001")
        #expect(JSONWriter.text(100) == "100")
        #expect(JSONWriter.text(.nan) == "null")
        #expect(JSONWriter.text(9_007_199_254_740_991) == "9007199254740991")
        #expect(JSONWriter.text(-0.0) == "-0")
    }
}

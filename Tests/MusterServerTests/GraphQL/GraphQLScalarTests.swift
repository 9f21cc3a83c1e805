import MusterCore
import MusterWire
import Testing

@testable import MusterGraphQL

/// The values that AppSync's scalars take.
@Suite struct GraphQLScalarTests {
    private func check(_ name: String, takes: [String], refuses: [String]) throws {
        let scalar = try #require(ServedScalars.all[name])
        for text in takes {
            #expect((try? scalar.coerceInput(.string(text))) == .string(text), "\(name) \(text)")
        }
        for text in refuses {
            #expect(throws: GraphQLScalarFault.self, "\(name) \(text)") { try scalar.coerceInput(.string(text)) }
        }
        for value in [JSONValue.integer(7), .boolean(true), .array([]), .object([])] {
            #expect(throws: GraphQLScalarFault.self, "\(name)") { try scalar.coerceInput(value) }
        }
    }

    @Test func `a date is one of ISO 8601`() throws {
        try check(
            "AWSDate", takes: ["2026-11-21", "2024-02-29", "2026-11-21Z", "2026-11-21-07:00", "2026-11-21+05:30"],
            refuses: [
                "", "2026-11-31", "2026-02-29", "26-11-21", "2026-1-21", "2026-11-21T06:00:00Z", "2026-11-21z",
                "2026-11-21+5", " 2026-11-21", "2026-11-é1",
            ])
    }

    @Test func `a time of day is one of ISO 8601`() throws {
        try check(
            "AWSTime", takes: ["09:30:00", "23:59:59.999", "00:00:00Z", "12:00:00.5+05:30", "12:00:00-07:00"],
            refuses: ["", "24:00:00", "9:30:00", "09:30", "09:60:00", "09:30:00z", "T09:30:00", "Z", "-09:30:00"])
    }

    @Test func `a URL has a scheme`() throws {
        try check(
            "AWSURL",
            takes: [
                "https://muster.example.org", "http://127.0.0.1:8080/a/b?c=//d#e", "mailto:mia@example.org",
                "ftp://x/%20y", "https://[::1]/", "tel:+1-555-0100",
            ],
            refuses: [
                "", "muster.example.org", "//muster.example.org", "https:", "https://", "https:///a", "https://x/a//b",
                "https://x/a b", "https://x/\u{e9}", "1a://x", "https://x/\"", "https://x/\n",
            ])
    }

    @Test func `an address is one of IPv4 or IPv6`() throws {
        try check(
            "AWSIPAddress",
            takes: ["127.0.0.1", "10.0.0.0/8", "0.0.0.0/0", "::1", "2001:db8::/32", "2001:db8::8a2e:370:7334/128"],
            refuses: [
                "", "127.0.0", "127.0.0.256", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/08", "::1/129", "::1/-1", ":::",
                "fe80::1%eth0", "localhost", "127.0.0.1\u{0}", " ::1",
            ])
    }

    @Test func `the schema has AppSync's scalars, and a check for each`() {
        let names = ServedSchema.source.split(separator: "\n").filter { $0.hasPrefix("scalar ") }
            .compactMap { $0.split(separator: " ").dropFirst().first.map(String.init) }
        #expect(Set(names) == Set(ServedScalars.all.keys))
        #expect(
            Set(names) == [
                "AWSDate", "AWSTime", "AWSDateTime", "AWSTimestamp", "AWSEmail", "AWSJSON", "AWSPhone", "AWSURL",
                "AWSIPAddress",
            ])
    }
}

import Testing

@testable import MusterHTTP
@testable import MusterServer

@Suite struct AddressTests {
    @Test func `an IPv4 address counts as one, an IPv6 household as one`() {
        #expect(AddressPrefix.of("192.0.2.1") != AddressPrefix.of("192.0.2.2"))
        #expect(AddressPrefix.of("::ffff:192.0.2.1") == AddressPrefix.of("192.0.2.1"))
        #expect(AddressPrefix.of("2001:db8:1:2:3::4") == AddressPrefix.of("2001:db8:1:2:ffff::1"))
        #expect(AddressPrefix.of("2001:db8:1:2::4") != AddressPrefix.of("2001:db8:1:3::4"))
        #expect(AddressPrefix.of("no address") == "no address")
    }

    @Test(arguments: [
        ("10.0.0.0/8", "10.1.2.3", true), ("10.0.0.0/8", "11.0.0.1", false), ("192.0.2.128/25", "192.0.2.200", true),
        ("192.0.2.128/25", "192.0.2.1", false), ("127.0.0.1", "127.0.0.1", true), ("127.0.0.1", "127.0.0.2", false),
        ("2001:db8::/33", "2001:db8:7fff::1", true), ("2001:db8::/33", "2001:db8:8000::1", false),
        ("0.0.0.0/0", "203.0.113.9", true), ("0.0.0.0/0", "::1", false),
    ])
    func `a range has the addresses that begin as it does`(range: String, address: String, isIn: Bool) throws {
        let range = try #require(AddressRange(range))
        #expect(range.contains(try #require(InternetAddress(address))) == isIn)
    }

    @Test(arguments: ["", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0/8", "::/129", "localhost", "10.0.0.0/"])
    func `an invalid address range is refused`(_ text: String) { #expect(AddressRange(text) == nil) }

    private func client(_ peer: String, for chain: [String] = [], forwarded: [String] = []) throws -> String {
        let ranges = ["10.0.0.0/8", "::1"].compactMap { AddressRange($0) }
        return TrustedProxies(ranges).client(peer: peer, forwardedFor: chain, forwarded: forwarded)
    }

    @Test func `only a trusted proxy says where a request comes from`() throws {
        #expect(try client("203.0.113.9", for: ["192.0.2.1"]) == "203.0.113.9")
        #expect(try client("10.0.0.1", for: ["192.0.2.1"]) == "192.0.2.1")
        #expect(try client("10.0.0.1") == "10.0.0.1")
        #expect(TrustedProxies().client(peer: "10.0.0.1", forwardedFor: ["192.0.2.1"], forwarded: []) == "10.0.0.1")
    }

    @Test func `the last address of a chain that is not a trusted proxy counts`() throws {
        #expect(try client("10.0.0.1", for: ["198.51.100.1, 192.0.2.1, 10.2.2.2"]) == "192.0.2.1")
        #expect(try client("10.0.0.1", for: ["198.51.100.1", "192.0.2.1:8080"]) == "192.0.2.1")
        #expect(try client("10.0.0.1", for: ["192.0.2.1, unknown, 10.2.2.2"]) == "10.2.2.2")
    }

    @Test func `the standard's field counts before the older one`() throws {
        let field = #"for=198.51.100.1, for="[2001:db8::9]:4711";proto=https;by=10.0.0.1"#
        let found = try client("10.0.0.1", for: ["192.0.2.1"], forwarded: [field])
        #expect(AddressPrefix.of(found) == AddressPrefix.of("2001:db8::9"))
    }
}

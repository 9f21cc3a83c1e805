import NIOCore
import Testing

@testable import MusterHTTP
@testable import MusterServer

/// Which addresses a target may have.
@Suite struct AddressPolicyTests {
    private static func refusal(_ address: String, allowsPrivate: Bool) throws -> String? {
        AddressPolicy(allowsPrivate: allowsPrivate).refusal(of: try SocketAddress(ipAddress: address, port: 80))
    }

    @Test(arguments: [
        "8.8.8.8", "1.1.1.1", "172.15.255.255", "172.32.0.0", "192.167.255.255", "192.169.0.0", "11.0.0.0",
        "169.253.255.255", "169.255.0.0", "100.63.255.255", "100.128.0.0", "223.255.255.255", "198.17.255.255",
        "198.20.0.0", "192.0.1.0", "2606:4700:4700::1111", "2a00:1450:4001::1", "::ffff:8.8.8.8", "64:ff9b::808:808",
        "2002:808:808::1", "2001:4860:4860::8888",
    ])
    func `a public address may always be called`(address: String) throws {
        #expect(try Self.refusal(address, allowsPrivate: false) == nil)
        #expect(try Self.refusal(address, allowsPrivate: true) == nil)
    }

    @Test(arguments: [
        "10.0.0.0", "10.255.255.255", "127.0.0.1", "127.255.255.255", "172.16.0.0", "172.31.255.255", "192.168.0.0",
        "192.168.255.255", "100.64.0.0", "100.127.255.255", "198.18.0.1", "198.19.255.255", "192.0.2.1", "::1",
        "fc00::1", "fdff::1", "fec0::1", "::ffff:127.0.0.1", "::ffff:10.1.2.3", "64:ff9b::a00:1", "2002:7f00:1::1",
        "2001:db8::1",
    ])
    func `a private address may be called only where the operator says so`(address: String) throws {
        #expect(try Self.refusal(address, allowsPrivate: false) != nil)
        #expect(try Self.refusal(address, allowsPrivate: true) == nil)
    }

    @Test(arguments: [
        "0.0.0.0", "0.1.2.3", "169.254.0.1", "169.254.169.254", "169.254.255.255", "100.100.100.200", "168.63.129.16",
        "192.0.0.192", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "::", "::2", "::7f00:1",
        "fe80::1", "febf::1", "ff02::1", "fd00:ec2::254", "fd20:ce::254", "2001::1", "::ffff:169.254.169.254",
        "::ffff:0.0.0.0", "64:ff9b::a9fe:a9fe", "64:ff9b:1::a9fe:a9fe", "2002:a9fe:a9fe::1",
    ])
    func `link-local, multicast, reserved and metadata addresses are never called`(address: String) throws {
        #expect(try Self.refusal(address, allowsPrivate: false) != nil)
        #expect(try Self.refusal(address, allowsPrivate: true) != nil)
    }

    @Test(arguments: [
        ("2852039166", true), ("0251.0376.0251.0376", true), ("0xa9fea9fe", true), ("169.16689662", true),
        ("127.1", true), ("0x7f.1", true), ("93.184.215.14", false),
    ])
    func `however an address is spelt, it is judged by what it is`(host: String, isRefused: Bool) throws {
        let client = try CheckedHTTPClient(policy: AddressPolicy())
        #expect((client.refusal(of: try HTTPAddress("http://\(host)/")) != nil) == isRefused)
    }

    @Test func `a URL is taken apart as it will be sent`() throws {
        let address = try HTTPAddress("https://Hooks.Example.org:8443/a%20b/c?d=e&f=%2F")
        #expect(address.host == "hooks.example.org" && address.port == 8443 && address.isEncrypted)
        #expect(address.requestTarget == "/a%20b/c?d=e&f=%2F" && address.hostField == "hooks.example.org:8443")
        let bare = try HTTPAddress("http://[2001:db8::1]")
        #expect(bare.host == "2001:db8::1" && bare.hostField == "[2001:db8::1]" && bare.requestTarget == "/")
        #expect(bare.port == 80 && !bare.isEncrypted && bare.shown == "http://[2001:db8::1]")
    }

    @Test(arguments: [
        "", "nonsense", "ftp://example.org/", "http://", "http:///path", "http://user@example.org/",
        "http://user:word@example.org/", "http://example.org/#x", "http://exa mple.org/", "http://exämple.org/",
        "http://example.org:0/", "http://example.org:65536/", "http://example.org\\@evil.org/", "http://a%2eb/",
        "http://example.org/\r\nHost: x", "//example.org/", "http://" + String(repeating: "a", count: 2048),
    ])
    func `an invalid target address is refused`(text: String) {
        #expect(throws: HTTPAddress.ParsingError.self) { try HTTPAddress(text) }
    }
}

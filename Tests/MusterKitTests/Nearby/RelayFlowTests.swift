import MusterWire
import Testing

@testable import MusterKit

@Suite struct RelayFlowTests {
    @Test func `a relay stream sends no more than the credit given`() throws {
        var flow = RelayFlow(windowBytes: 40_000)
        flow.send([UInt8](repeating: 1, count: 50_000))
        #expect(flow.takePieces().isEmpty)
        flow.accept()
        #expect(flow.takePieces().map(\.count) == [16_384, 16_384, 7_232])
        #expect(flow.waitingBytes == 10_000)
        try flow.credit(9_000)
        #expect(flow.takePieces().map(\.count) == [9_000])
        flow.close()
        flow.send([1])
        #expect(!flow.isDone && flow.waitingBytes == 1_000)
        try flow.credit(31_000)
        #expect(flow.takePieces().map(\.count) == [1_000])
        #expect(flow.isDone)
        #expect(throws: RelayError.overCredit) { try flow.credit(10_001) }
    }

    @Test func `the order of bytes is kept`() throws {
        var flow = RelayFlow(windowBytes: 3)
        flow.accept()
        var sent: [UInt8] = []
        for number in UInt8(0)..<10 {
            flow.send([number])
            let bytes = flow.takePieces().flatMap { $0 }
            sent += bytes
            if !bytes.isEmpty { try flow.credit(bytes.count) }
        }
        #expect(sent == Array(0..<10))
    }

    @Test func `credit is returned in portions, and sending beyond the credit is an error`() throws {
        var flow = RelayFlow(windowBytes: 1_000)
        #expect(throws: RelayError.overCredit) { try flow.receive(1) }
        flow.accept()
        try flow.receive(600)
        #expect(flow.returnCredit(100) == nil)
        #expect(flow.returnCredit(150) == 250)
        try flow.receive(650)
        #expect(throws: RelayError.overCredit) { try flow.receive(1) }
        // No more is taken than arrived.
        #expect(flow.returnCredit(5_000) == 1_000)
    }

    @Test func `the address of a relay is the server's, with its path`() throws {
        let cases: [(String, String?, Int, Bool, String)] = [
            ("https://muster.example", "muster.example", 443, true, "/api/v1/nearby/relay"),
            ("http://127.0.0.1:8080/", "127.0.0.1:8080", 8080, false, "/api/v1/nearby/relay"),
            ("https://a.example:8443/team", "a.example:8443", 8443, true, "/team/api/v1/nearby/relay"),
            ("http://[::1]:81", "[::1]:81", 81, false, "/api/v1/nearby/relay"),
            ("ftp://a.example", nil, 0, false, ""), ("https://ana:secret@a.example", nil, 0, false, ""),
            ("https://a.example?x", nil, 0, false, ""), ("a.example", nil, 0, false, ""), ("", nil, 0, false, ""),
        ]
        for (text, authority, port, isEncrypted, path) in cases {
            let address = RelayAddress(text)
            #expect(address?.authority == authority, "\(text)")
            guard let address else { continue }
            #expect(address.port == port && address.isEncrypted == isEncrypted && address.path == path, "\(text)")
            #expect(!address.host.contains("["))
        }
    }
}

import Crypto
import Foundation
import MusterCoding
import MusterCore
import MusterStore
import MusterWire
import Testing

@testable import MusterHTTP
@testable import MusterServer

@Suite struct SignatureTests {
    /// A request as botocore's own signer signed it; made by Tests/Oracles/amazon_signatures.py.
    struct Signed: Decodable, Sendable, CustomTestStringConvertible {
        var name: String
        var method: String
        var path: String
        var query: String
        var body: String
        var headers: [String: String]
        var canonicalRequest: String

        var testDescription: String { name }
    }

    private struct Golden: Decodable {
        var secret: String
        var requests: [Signed]
    }

    private static let golden: Golden = {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Golden/amazon-signatures.json")
        do {
            return try JSONDecoder().decode(Golden.self, from: Data(contentsOf: file))
        } catch {
            fatalError("\(file.path) is part of this test: \(error)")
        }
    }()

    @Test(arguments: golden.requests)
    func `a request signed by botocore has the same signature here`(_ signed: Signed) throws {
        let shown = try SignatureV4(authorization: try #require(signed.headers["Authorization"]))
        let headers = Dictionary(uniqueKeysWithValues: signed.headers.map { ($0.key.lowercased(), $0.value) })
        let canonical = try #require(
            SignatureV4.canonicalRequest(
                method: signed.method, path: signed.path, query: signed.query, signedHeaders: shown.signedHeaders,
                bodyDigest: SHA256.hash(data: Array(signed.body.utf8)).hexadecimal
            ) { headers[$0].map { [$0] } })
        #expect(String(decoding: canonical, as: UTF8.self) == signed.canonicalRequest)
        let time = try #require(signed.headers["X-Amz-Date"])
        let text = SignatureV4.stringToSign(
            at: time, scope: shown.scope, digest: SHA256.hash(data: canonical).hexadecimal)
        let key = SigningKey(secret: Self.golden.secret, scope: shown.scope)
        #expect(key.signature(of: text) == shown.signature)
        #expect(key.accepts(shown.signature, of: text))
        #expect(!key.accepts(String(shown.signature.dropLast()) + "g", of: text))
    }

    @Test func `an Authorization header is read with or without blanks, and written as clients write it`() throws {
        let text = """
            AWS4-HMAC-SHA256 Credential=AKID/20261121/eu-west-2/geo/aws4_request, SignedHeaders=host;x-amz-date, \
            Signature=abc
            """
        let shown = try SignatureV4(authorization: text)
        #expect(shown.accessKeyID == "AKID")
        #expect(shown.scope == .init(date: "20261121", region: "eu-west-2", service: "geo"))
        #expect(shown.signedHeaders == ["host", "x-amz-date"])
        #expect(shown.authorization == text)
        #expect(try SignatureV4(authorization: text.replacing(", ", with: ",")) == shown)
    }

    @Test(arguments: [
        "AWS4-HMAC-SHA256 Credential=A/20261121/r/geo/aws4_request,SignedHeaders=host",
        "AWS4-HMAC-SHA256 Credential=A/20261121/r/geo,SignedHeaders=host,Signature=a",
        "AWS4-HMAC-SHA256 Credential=A/20261121/r/geo/aws5_request,SignedHeaders=host,Signature=a",
        "AWS4-HMAC-SHA256 Credential=A/2026-11-21/r/geo/aws4_request,SignedHeaders=host,Signature=a",
        "AWS4-HMAC-SHA256 Credential=A/20261121/r/geo/aws4_request,SignedHeaders=Host,Signature=a",
        "AWS4-HMAC-SHA256 Credential=A/20261121//geo/aws4_request,SignedHeaders=host,Signature=a",
        "AWS4-HMAC-SHA256 ",
    ])
    func `a header that leaves something out is malformed`(_ text: String) {
        #expect {
            try SignatureV4(authorization: text)
        } throws: { error in
            if case .malformed = error as? SignatureV4.ParsingError { true } else { false }
        }
    }

    @Test func `an Authorization header of another scheme is refused`() {
        #expect(throws: SignatureV4.ParsingError.otherScheme) { try SignatureV4(authorization: "Bearer mk_x") }
    }

    @Test(arguments: ["20260230T000000Z", "20261121T123456", "2026-11-21T12:34:56Z", ""])
    func `a malformed X-Amz-Date is refused`(_ text: String) {
        #expect(Instant(amazonDate: text) == nil)
    }

    @Test func `a time is read as it is written`() throws {
        let time = try #require(Instant(amazonDate: "20261121T123456Z"))
        #expect(time.rfc3339 == "2026-11-21T12:34:56.000Z")
        #expect(time.amazonDate == "20261121T123456Z")
    }
}

extension SignatureTests {
    /// A request that is signed as a client would, now or so many seconds ago.
    static func request(
        _ key: AmazonKey, secret: String? = nil, service: String = "geo", at time: Instant, token: String? = nil
    ) -> SignedRequest {
        let scope = SignatureV4.Scope(date: String(time.amazonDate.prefix(8)), region: "r", service: service)
        let text = SignatureV4.stringToSign(at: time.amazonDate, scope: scope, digest: "0")
        let signature = SigningKey(secret: secret ?? key.secretAccessKey, scope: scope).signature(of: text)
        let shown = SignatureV4(
            accessKeyID: key.key.id, scope: scope, signedHeaders: ["host"], signature: signature)
        return SignedRequest(
            shown: shown, stringToSign: text, time: time.amazonDate, sessionToken: token ?? key.sessionToken)
    }

    @Test func `an AWS key signs for its user until it is revoked`() async throws {
        let office = try await Office()
        let mia = try office.user("mia")
        let made = try await office.identity.makeAmazonKey(label: "phone", for: mia.number)
        for _ in 0..<2 {
            let request = Self.request(made, at: office.clock.now)
            let principal = try await office.identity.authenticate(request, for: "geo")
            #expect(principal.name == "mia" && principal.role == .member && principal.proof == .amazonKey)
        }
        #expect(try await office.identity.keys(of: mia.number).contains(made.key))
        try await office.identity.removeKey(made.key, by: nil)
        await #expect(throws: SignatureError.unknownKey) {
            try await office.identity.authenticate(Self.request(made, at: office.clock.now), for: "geo")
        }
        try await office.coordinator.close()
    }

    @Test func `a signature is refused when secret, service, day, time or token is another`() async throws {
        let office = try await Office()
        let now = office.clock.now
        let made = try await office.identity.makeAmazonKey(label: "", for: try office.user("mia").number)
        func fault(_ request: SignedRequest) async -> SignatureError? {
            do {
                _ = try await office.identity.authenticate(request, for: "geo")
                return nil
            } catch { return error as? SignatureError }
        }
        #expect(await fault(Self.request(made, secret: "wrong", at: now)) == .mismatch)
        #expect(await fault(Self.request(made, at: now, token: "none asked for")) == .unknownKey)
        if case .otherScope = await fault(Self.request(made, service: "events", at: now)) {
        } else {
            Issue.record("another service's signature was taken")
        }
        for seconds in [-301.0, 301] {
            if case .otherTime = await fault(Self.request(made, at: now.advanced(bySeconds: seconds))) {
            } else {
                Issue.record("a signature \(seconds) s off was taken")
            }
        }
        for seconds in [-299.0, 299] {
            #expect(await fault(Self.request(made, at: now.advanced(bySeconds: seconds))) == nil)
        }
        try await office.coordinator.close()
    }

    @Test func `temporary credentials need their token and end in time`() async throws {
        let office = try await Office()
        let made = try await office.identity.makeAmazonKey(
            label: "", for: try office.user("mia").number, lastingSeconds: 60)
        #expect(made.key.id.hasPrefix("ASIA"))
        _ = try await office.identity.authenticate(Self.request(made, at: office.clock.now), for: "geo")
        await #expect(throws: SignatureError.unknownKey) {
            try await office.identity.authenticate(Self.request(made, at: office.clock.now, token: "x"), for: "geo")
        }
        office.clock.advance(bySeconds: 61)
        await #expect(throws: SignatureError.expiredToken) {
            try await office.identity.authenticate(Self.request(made, at: office.clock.now), for: "geo")
        }
        #expect(try await office.identity.removeExpiredCredentials() == 0)
        office.clock.advance(bySeconds: 86_400)
        #expect(try await office.identity.removeExpiredCredentials() == 1)
        try await office.coordinator.close()
    }
}

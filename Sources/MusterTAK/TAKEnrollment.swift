import HTTPTypes
import Hummingbird
import MusterServer
import MusterWire

/// How a TAK client gets a certificate for a key that it made itself: with the token of a QR code, by the API that TAK
/// servers have for it (`/Marti/api/tls`). Clients ask at port 8446, over HTTPS.
///
/// The answers are those that ATAK, iTAK and PyTAK read, after `certificate_enrollment_api.py` of
/// https://github.com/brian7704/OpenTAKServer and `crypto_classes.py` of https://github.com/snstac/pytak.
struct TAKEnrollment {
    let parts: ServerParts

    private static let root = "/Marti/api/tls"

    func register(in routes: inout RouteTable) {
        routes.add(
            Route(
                .get, "\(Self.root)/config", admits: .anyone, over: TAKEnrollmentProtocol(),
                .init(
                    "Devices", "Read the names for a TAK client's request for a certificate, with the token of a code.",
                    answers: [
                        .init(200, "The names.", body: ["application/xml": "XMLText"]),
                        .init(401, "The token is wrong or over.", body: ["application/problem+json": "Problem"]),
                    ]),
                handler: readConfiguration))
        routes.add(
            Route(
                .post, "\(Self.root)/signClient/v2", admits: .anyone, over: TAKEnrollmentProtocol(),
                .init(
                    "Devices", "Get the certificate of a TAK client, with the token of a code, which is then used up.",
                    body: ["application/pkcs10": "CertificateRequest"],
                    answers: [
                        .init(
                            200, "The certificate and its authority.",
                            body: ["application/json": "TAKCertificate", "application/xml": "XMLText"])
                    ]),
                handler: sign))
    }

    private func readConfiguration(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        try await parts.identity.checkEnrollment(request.headers[.authorization], from: context.remoteAddress)
        return Response(
            status: .ok, headers: [.contentType: "application/xml"],
            body: .init(byteBuffer: .init(string: Self.configuration)))
    }

    /// The organisation is the one that certificates have; the server takes nothing but the key from a request.
    private static let configuration = """
        <?xml version="1.0" encoding="UTF-8"?>
        <ns2:certificateConfig xmlns="http://bbn.com/marti/xml/config" xmlns:ns2="com.bbn.marti.config">\
        <nameEntries><nameEntry name="O" value="Muster"/></nameEntries></ns2:certificateConfig>
        """

    private func sign(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let key = try await parts.identity.checkEnrollment(
            request.headers[.authorization], from: context.remoteAddress)
        let body = String(buffer: try await request.collectBody(.small))
        let made: DeviceCertificate
        do {
            made = try await parts.identity.enroll(by: key, request: Self.armored(body))
        } catch is UnusableCertificateRequest {
            throw Problem.malformed(
                "The body must be a signed request for a certificate (PKCS #10) with a key of RSA or P-256.")
        }
        let (certificate, authority) = (Self.bare(made.pem), Self.bare(made.authorityPEM))
        // iTAK asks for text and reads JSON, ATAK asks for XML.
        let accepted = request.headers[.accept] ?? "*/*"
        guard accepted.contains("xml"), !accepted.contains("json") else {
            return .json { writer in
                writer.beginObject()
                writer.member("signedCert", certificate)
                writer.member("ca0", authority)
                writer.endObject()
            }
        }
        let xml = """
            <?xml version="1.0" encoding="UTF-8"?>
            <enrollment><signedCert>\(certificate)</signedCert><ca>\(authority)</ca></enrollment>
            """
        return Response(
            status: .ok, headers: [.contentType: "application/xml"], body: .init(byteBuffer: .init(string: xml)))
    }

    /// A request for a certificate as PEM (RFC 7468): clients leave out the first and last line, or break lines
    /// elsewhere.
    private static func armored(_ request: String) -> String {
        let text = Array(bare(request).filter { !$0.isWhitespace })
        let lines = stride(from: 0, to: text.count, by: 64).map { String(text[$0..<min($0 + 64, text.count)]) }
        let (opening, closing) = ("-----BEGIN CERTIFICATE REQUEST-----", "-----END CERTIFICATE REQUEST-----")
        return ([opening] + lines + [closing, ""]).joined(separator: "\n")
    }

    /// PEM without its first and last line: clients add those of a certificate.
    private static func bare(_ pem: String) -> String {
        pem.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("-----") }.joined(separator: "\n")
    }
}

/// Enrolling clients prove themselves by a token in the password of Basic, which the handler checks.
struct TAKEnrollmentProtocol: RouteProtocol {
    func proof(in request: inout Request, _ context: AppRequestContext) -> (any RequestProof)? { nil }

    func response(to error: any Error, _ context: AppRequestContext) -> Response? {
        switch error {
        case IdentityError.missing, IdentityError.refused:
            var problem = Problem.unauthorized
            problem.headers[.wwwAuthenticate] = #"Basic realm="muster", charset="UTF-8""#
            return problem.response
        default: return nil
        }
    }
}

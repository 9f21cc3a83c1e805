import Crypto
import HTTPTypes
import Hummingbird
import Logging
import MusterCoding
import MusterCore
import MusterServer
import MusterWire
import NIOCore

/// How gateways of texts prove who they are: Twilio by its signature, all others by the gateway user's key in
/// `Authorization`.
struct SMSProtocol: RouteProtocol {
    let parts: ServerParts

    var proofFields: [HTTPField.Name] { [.twilioSignature] }

    func proof(in request: inout Request, _ context: AppRequestContext) async throws -> (any RequestProof)? {
        guard let signature = request.headers[.twilioSignature] else {
            return StandardProtocol().proof(in: &request, context)
        }
        let body = try await request.body.collect(upTo: BodyLimits.small.bytes)
        request.body = RequestBody(buffer: body)
        let settings = parts.configuration.sms
        let url = request.serverAddress(in: parts.configuration) + request.uri.string
        let isSigned = settings.twilioToken.map {
            TwilioSignature(url: url, form: FormFields(String(buffer: body))).isMade(as: signature, with: $0)
        }
        guard isSigned == true else {
            parts.metrics.count(event: "sms_signature_refused")
            parts.occasionalLog.warn(
                "sms_signature_refused",
                "A signature of Twilio's is wrong: see to --public-url, --twilio-auth-token and the address in Twilio"
            ) { [:] }
            return TwilioProof(gateway: nil)
        }
        if let gateway = settings.gateway, !parts.hasGateway(named: gateway) {
            parts.metrics.count(event: "sms_gateway_missing")
            parts.occasionalLog.warn(
                "sms_gateway_missing", "The user of --sms-gateway is missing, or has another role than gateway"
            ) { ["user": "\(gateway)"] }
        }
        return TwilioProof(gateway: settings.gateway)
    }

    func response(to error: any Error, _ context: AppRequestContext) -> Response? { nil }
}

extension ServerParts {
    /// Whether a gateway user has this name.
    func hasGateway(named name: String) -> Bool { coordinator.directory.users[name]?.role == .gateway }
}

/// The proof of a post that Twilio signed: it acts for the gateway user whom the operator named.
struct TwilioProof: RequestProof {
    /// The name of the gateway user; nil where the signature is wrong.
    let gateway: String?

    func verify(by identity: Identity, atOpening isOpening: Bool) async throws -> Principal {
        guard let gateway, let user = identity.coordinator.directory.users[gateway], user.role == .gateway else {
            throw IdentityError.refused
        }
        return Principal(user, proof: .apiKey)
    }
}

/// Twilio's signature of a post: HMAC-SHA1 over the URL and the fields of the form, each as its name and its value, in
/// the order of the names (https://www.twilio.com/docs/usage/webhooks/webhooks-security).
struct TwilioSignature {
    private let signed: [UInt8]

    /// - Parameters:
    ///   - url: the whole URL that Twilio was told to post to, with its query.
    ///   - form: the fields of the form; a value that a field has twice is signed once.
    init(url: String, form: FormFields) {
        let fields = Set(form.pairs.map { Field(name: Array($0.name.utf8), value: Array($0.value.utf8)) })
        signed = Array(url.utf8) + fields.sorted().flatMap { $0.name + $0.value }
    }

    private struct Field: Hashable, Comparable {
        let name: [UInt8]
        let value: [UInt8]

        static func < (left: Field, right: Field) -> Bool {
            left.name == right.name
                ? left.value.lexicographicallyPrecedes(right.value)
                : left.name.lexicographicallyPrecedes(right.name)
        }
    }

    /// Whether a header's value is the signature that the token makes. The comparison takes the same time for every
    /// wrong one.
    func isMade(as header: String, with token: String) -> Bool {
        guard let code = Base64.decode(header) else { return false }
        return HMAC<Insecure.SHA1>.isValidAuthenticationCode(
            code, authenticating: signed, using: SymmetricKey(data: Array(token.utf8)))
    }
}

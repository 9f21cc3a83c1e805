import HTTPTypes
import Hummingbird
import Logging
import MusterCore
package import MusterServer
import MusterWire
import NIOCore

/// Receives the texts that phones send by SMS, as Twilio, Kannel and the script behind Gammu post them
/// (`docs/sms.md`).
///
/// The answer to the post is the answer to the person: TwiML for Twilio, plain text for the others. It is empty where
/// nobody is answered.
package struct SMSEndpoint: Endpoint {
    private let parts: ServerParts
    private let intake: TextIntake

    package init(_ parts: ServerParts) {
        self.parts = parts
        intake = TextIntake(parts)
        guard let gateway = parts.configuration.sms.gateway else { return }
        if !parts.hasGateway(named: gateway) {
            parts.logger.warning(
                "No texts are taken: the user of --sms-gateway is missing, or has another role than gateway",
                metadata: ["user": "\(gateway)"])
        }
        warnOfNumbers()
    }

    /// The number of people of whose numbers the log says at the start what is wrong.
    private static let warningLimit = 10

    /// Warns of people whose texts would not count as theirs.
    private func warnOfNumbers() {
        let faults = parts.coordinator.directory.senderFaults(country: parts.configuration.sms.country)
        for (user, fault) in faults.prefix(Self.warningLimit) { parts.logger.warning("\(fault.words(of: user))") }
        if faults.count > Self.warningLimit {
            parts.logger.warning(
                "More people have such numbers", metadata: ["count": "\(faults.count - Self.warningLimit)"])
        }
    }

    package func register(in routes: inout RouteTable) {
        routes.add(
            Route(
                .post, "/sms", admits: .roles([.gateway], devices: false),
                over: SMSProtocol(parts: parts),
                .init(
                    "Gateways",
                    "Receive a text that a person sent by SMS. Twilio posts its own form and signs it; Kannel posts "
                        + "the text with the sender in the query; others post a form. The answer is for the person.",
                    query: [
                        .init("from", "The sender's number, from Kannel.", schema: Self.text),
                        .init("id", "The gateway's id of the text, from Kannel.", schema: Self.text),
                        .init("time", "When the text was sent, in UTC, from Kannel.", schema: Self.text),
                    ], body: ["application/x-www-form-urlencoded": "TextPost", "text/plain": "TextBody"],
                    answers: [
                        .init(200, "Stored durably.", body: ["text/plain": "TextBody", "text/xml": "TextBody"])
                    ]), handler: receive))
    }

    private static let text = #"{"type":"string"}"#

    private func receive(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        guard let principal = context.principal else { throw IdentityError.missing }
        guard let gateway = parts.configuration.sms.gateway, principal.name == gateway else {
            parts.metrics.count(event: "sms_gateway_other")
            parts.occasionalLog.warn("sms_gateway_other", "A gateway posts texts that --sms-gateway does not name") {
                ["user": "\(principal.name)"]
            }
            throw Problem.forbidden("Only the gateway that `muster serve --sms-gateway` names posts texts.")
        }
        let isFromTwilio = request.headers[.twilioSignature] != nil
        guard let received = try await received(request, isFromTwilio: isFromTwilio) else {
            throw Problem.invalid(isFromTwilio ? "/From" : "/from", "must be the sender's number, once")
        }
        let answer = try await intake.answer(to: received, by: principal)
        return isFromTwilio ? Self.markup(answer) : Self.plain(answer)
    }

    private func received(_ request: Request, isFromTwilio: Bool) async throws -> ReceivedText? {
        let body = try await request.collectBody(.small)
        if isFromTwilio { return ReceivedText(twilio: FormFields(anyForm: String(buffer: body))) }
        if request.mediaType == "application/x-www-form-urlencoded" {
            return ReceivedText(form: FormFields(anyForm: String(buffer: body)))
        }
        let type = request.mediaType
        guard type == nil || type?.hasPrefix("text/") == true || type == "application/octet-stream" else {
            throw Problem.unsupportedMediaType("A text comes as a form, or as Kannel posts it.")
        }
        let query = FormFields(anyForm: request.uri.query ?? "")
        // A person at a command line, or a small program, puts all of it into the address.
        if body.readableBytes == 0, !query.texts("text").isEmpty { return ReceivedText(form: query) }
        return ReceivedText(
            kannel: query, sender: request.headers[.kannelFrom],
            time: request.headers[.kannelTime], body: Array(buffer: body), contentType: request.headers[.contentType])
    }

    /// The answer in Twilio's markup (https://www.twilio.com/docs/messaging/twiml).
    private static func markup(_ answer: String?) -> Response {
        var elements = XMLElements()
        elements.begin("Response", [])
        if let answer { elements.add("Message", [], text: answer) }
        elements.end("Response")
        return response(elements.text, as: "text/xml; charset=utf-8")
    }

    private static func plain(_ answer: String?) -> Response {
        response(answer ?? "", as: "text/plain; charset=utf-8")
    }

    private static func response(_ text: String, as type: String) -> Response {
        Response(
            status: .ok, headers: [.contentType: type], body: .init(byteBuffer: ByteBuffer(string: text)))
    }
}

extension HTTPField.Name {
    static let twilioSignature = HTTPField.Name("X-Twilio-Signature")!
    fileprivate static let kannelFrom = HTTPField.Name("X-Kannel-From")!
    fileprivate static let kannelTime = HTTPField.Name("X-Kannel-Time")!
}

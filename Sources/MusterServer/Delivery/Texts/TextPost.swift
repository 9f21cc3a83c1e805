import MusterCoding
import MusterWire

/// One text as a gateway takes it.
struct TextPost: Hashable {
    var body: [UInt8]
    private var fields: [[String]]

    /// The header fields of the post, beside those of the target.
    var headers: [(name: String, value: String)] { fields.map { (name: $0[0], value: $0[1]) } }

    /// - Parameters:
    ///   - number: in international form, with `+`.
    ///   - id: the same for every attempt; a program of the operator's own knows a repeat by it.
    init(_ text: String, to number: String, id: String, by settings: TextSettings) {
        switch settings.gateway {
        case .twilio:
            // A messaging service has an id instead of a number.
            let isService = settings.sender?.hasPrefix("MG") ?? false
            (body, fields) = Self.form([
                ("To", number), (isService ? "MessagingServiceSid" : "From", settings.sender), ("Body", text),
            ])
        case .form:
            (body, fields) = Self.form([("to", number), ("from", settings.sender), ("text", text), ("id", id)])
        case .kannel:
            body = Array(text.utf8)
            fields = [
                ["Content-Type", "text/plain; charset=utf-8"], ["X-Kannel-To", number],
                // Kannel writes a text of coding 2 in UCS-2, and one of coding 0 in GSM's alphabet.
                ["X-Kannel-Coding", TextParts.isGSM(text) ? "0" : "2"], ["X-Kannel-Charset", "UTF-8"],
            ]
            if let sender = settings.sender { fields.append(["X-Kannel-From", sender]) }
        }
    }

    private static func form(_ fields: [(name: String, value: String?)]) -> (body: [UInt8], fields: [[String]]) {
        let pairs = fields.compactMap { field in field.value.map { "\(field.name)=\(PercentEncoding.encode($0))" } }
        return (Array(pairs.joined(separator: "&").utf8), [["Content-Type", "application/x-www-form-urlencoded"]])
    }
}

import MusterCore
import MusterStore
import MusterWire

/// The body of a delivery that is a text to one person or number, or the rest of a call that is still to be divided
/// into such texts.
///
/// A rule stores one delivery for a target, however many people it texts. The first attempt divides it in a transaction
/// into a delivery a person, each with attempts of its own: what arrived is not sent again, and what did not is a dead
/// letter of its own.
struct OutgoingText: Hashable {
    enum Recipient: Hashable {
        /// The person that the delivery is about; their number is looked up at each attempt.
        case subject
        case number(String)
        /// Everyone after this person, in the order of their numbers.
        case everyone(after: UserNumber)
    }

    var recipient: Recipient
    var text: String
    var origin: TextOrigin

    /// The type of a body of this form. No rule makes one.
    static let contentType = "application/vnd.muster.text+json"

    var json: [UInt8] {
        JSONWriter.object { writer in
            switch recipient {
            case .subject: break
            case .number(let number): writer.member("to", number)
            case .everyone(let user): writer.member("after", Int64(user.rawValue))
            }
            writer.member("text", text)
            if origin.subject != .nobody { writer.member("about", Int64(origin.subject.code)) }
            if let incident = origin.incident {
                writer.member(origin.isEnd ? "ended" : "incident", Int64(incident.rawValue))
            }
        }
    }

    init(_ recipient: Recipient, _ text: String, _ origin: TextOrigin) {
        self.recipient = recipient
        self.text = text
        self.origin = origin
    }

    /// Reads the content of a delivery; nil where it is what a rule made.
    init?(_ content: NewDelivery) {
        guard content.contentType == Self.contentType, let value = try? JSONValue(parsing: content.body),
            let text = value["text"]?.string
        else { return nil }
        self.text = text
        let number = { (key: String) in value[key]?.integer.flatMap { Int32(exactly: $0) } }
        origin = TextOrigin(
            subject: number("about").map { DeliverySubject(code: $0) } ?? .nobody,
            incident: (number("incident") ?? number("ended")).map { IncidentNumber($0) },
            isEnd: number("ended") != nil)
        if let number = value["to"]?.string {
            recipient = .number(number)
        } else if let after = number("after") {
            recipient = .everyone(after: UserNumber(after))
        } else {
            recipient = .subject
        }
    }
}

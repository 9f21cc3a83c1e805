import MusterCore
import MusterStore

/// What a rule's delivery to a target of texts is about. Parameters of its content type say it, so that such a delivery
/// waits behind no text to the same person, and so that a call to evacuate leaves only while its incident is open, and
/// its end only while it is closed, whatever a template made of the event.
struct TextOrigin: Hashable {
    /// The person or device that the event is about.
    var subject = DeliverySubject.nobody
    /// The incident that the event calls people to, or says to be over; nil for any other event.
    var incident: IncidentNumber?
    /// Whether the event says that the incident is over.
    var isEnd = false

    init(subject: DeliverySubject = .nobody, incident: IncidentNumber? = nil, isEnd: Bool = false) {
        self.subject = subject
        self.incident = incident
        self.isEnd = isEnd
    }

    /// The origin of an event.
    init(_ change: Change, subject: DeliverySubject) {
        self.subject = subject
        if case .incident(let incident) = change, [.started, .reopened, .closed].contains(incident.turn) {
            self.incident = incident.number
            isEnd = incident.turn == .closed
        }
    }

    /// Reads the parameters of a content type.
    init(contentType: String) {
        for parameter in contentType.split(separator: ";").dropFirst() {
            let parts = parameter.split(separator: "=").map { $0.trimmingPrefix(" ") }
            guard parts.count == 2, let number = Int32(parts[1]) else { continue }
            switch parts[0] {
            case "subject": subject = DeliverySubject(code: number)
            case "incident": incident = IncidentNumber(number)
            case "ended": (incident, isEnd) = (IncidentNumber(number), true)
            default: break
            }
        }
    }

    /// The parameters that say it.
    var parameters: String {
        (subject == .nobody ? "" : "; subject=\(subject.code)")
            + (incident.map { "; \(isEnd ? "ended" : "incident")=\($0.rawValue)" } ?? "")
    }
}

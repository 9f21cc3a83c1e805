import MusterCore
import MusterStore

/// What a rule's delivery to a target of texts is about. Parameters of its content type say it, so that such a delivery
/// waits behind no text to the same person, and so that a call to evacuate ends with its incident, whatever a template
/// made of the event.
struct TextOrigin: Hashable {
    /// The person or device that the event is about.
    var subject = DeliverySubject.nobody
    /// The incident that calls people to evacuate; nil for any other event.
    var incident: IncidentNumber?

    init(subject: DeliverySubject = .nobody, incident: IncidentNumber? = nil) {
        self.subject = subject
        self.incident = incident
    }

    /// The origin of an event.
    init(_ change: Change, subject: DeliverySubject) {
        self.subject = subject
        if case .incident(let incident) = change, [.started, .reopened].contains(incident.turn) {
            self.incident = incident.number
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
            default: break
            }
        }
    }

    /// The parameters that say it.
    var parameters: String {
        (subject == .nobody ? "" : "; subject=\(subject.code)") + (incident.map { "; incident=\($0.rawValue)" } ?? "")
    }
}

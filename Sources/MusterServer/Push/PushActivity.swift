package import MusterCore
import MusterStore

/// The use of a token of ActivityKit. Messages to such tokens begin and end an app's Live Activities of incidents.
package enum PushActivity: Hashable, Sendable {
    /// Begins a Live Activity: an app has one such token (`pushToStartTokenUpdates`).
    case start
    /// Ends the Live Activity of this incident: each activity has a token of its own (`pushTokenUpdates`).
    case incident(IncidentNumber)

    /// The text after the platform in the label of a push device.
    var label: String {
        switch self {
        case .start: "start"
        case .incident(let number): "incident \(number.rawValue)"
        }
    }

    /// Reads the text after the platform in the label of a push device; nil for another text.
    init?(label: String) {
        if label == "start" {
            self = .start
        } else if label.hasPrefix("incident "),
            let number = Int32(label.dropFirst("incident ".count))
        {
            self = .incident(IncidentNumber(number))
        } else {
            return nil
        }
    }

    /// Whether both begin activities, or both end one.
    func isAlike(_ other: PushActivity?) -> Bool {
        switch (self, other) {
        case (.start, .start?), (.incident, .incident?): true
        default: false
        }
    }
}

extension PushPlatform {
    /// Whether apps of the platform have Live Activities.
    var hasActivities: Bool { self == .apns || self == .apnsSandbox }
}

extension PushMessage {
    /// How a message changes Live Activities.
    enum ActivityEvent: String, Hashable, Sendable {
        case start, end
    }

    /// The incident that a message about a Live Activity names.
    private var incident: IncidentNumber? {
        guard case .number(let number)? = data.first(where: { $0.key == "incident" })?.value else { return nil }
        return Int32(exactly: number).map { IncidentNumber($0) }
    }

    /// Whether the server removes the token's registration once it has sent this message, or given it up: the activity
    /// is over.
    var endsRegistration: Bool { activity == .end }

    /// Whether this message may go to a device: messages about Live Activities go to tokens of ActivityKit, and all
    /// others to devices.
    func isMeant(for device: PushDevice?) -> Bool {
        switch (activity, device?.activity) {
        case (nil, nil), (.start?, .start?): true
        case (.end?, .incident(let number)?): number == incident
        default: false
        }
    }

    /// Whether the message must not be sent to this device any more: it would begin an activity for a call that is
    /// over, which nothing could end before its app runs, or end one that was registered since, of a later call.
    func isObsolete(for device: PushDevice?, in store: any Store) throws -> Bool {
        guard isMeant(for: device) else { return true }
        if activity == .end, let device, device.createdAt > createdAt { return true }
        guard activity == .start else { return false }
        guard let number = incident, let incident = try store.incident(number), incident.isOpen else { return true }
        return !data.contains(Member("since", .number(incident.calledAt.milliseconds)))
    }
}

extension Incident {
    /// When the incident last called its people.
    var calledAt: Instant { reopening?.at ?? startedAt }
}

extension PushRecipients {
    /// Returns the messages of a change to Live Activities: an incident's call begins one for its team, and its end
    /// ends all that were registered.
    func activityNotification(of logged: LoggedChange) -> Notification? {
        guard case .incident(let incident) = logged.change else { return nil }
        let isCall = incident.turn == .started || incident.turn == .reopened
        guard isCall || incident.turn == .closed, isCall == incident.isOpen else { return nil }
        let team = directory.teams[incident.team]?.name ?? ""
        var data: [PushMessage.Member] = [
            .init("incident", .number(Int64(incident.number.rawValue))),
            .init("since", .number(incident.calledAt.milliseconds)), .init("team", .text(team)),
            .init("drill", .text(incident.kind == .drill ? "true" : "false")),
        ]
        if isCall, let note = incident.note { data.append(.init("note", .text(note))) }
        var message = PushMessage(
            topic: Self.topic(of: incident), createdAt: logged.committedAt, lastingSeconds: Self.incidentSeconds,
            data: data, notice: isCall ? notice(of: incident, team: team) : nil)
        message.activity = isCall ? .start : .end
        let recipients: Recipients =
            isCall
            ? .starting(people(of: incident))
            // Also to people who left the team since: their activity must end, and the message tells them nothing new.
            : .running(incident.number, of: directory.users.all.map(\.number))
        return Notification(message: message, recipients: recipients, writer: nil)
    }
}

import MusterCore
import MusterWire

/// Decides which changes of the log are pushed, and to whom. Other changes are not pushed.
struct PushRecipients {
    let directory: Directory
    let origin: EventOrigin

    /// The message about a change, and its recipients.
    struct Notification: Sendable {
        var message: PushMessage
        var recipients: Recipients
        /// The device that made the change, which does not receive the message.
        var writer: String?
    }

    enum Recipients: Hashable, Sendable {
        /// The devices that subscribed to a dataset of its owner.
        case subscribers(of: String, owner: UserNumber)
        /// Every device of these people.
        case people([UserNumber])
        /// The tokens of these people that begin Live Activities.
        case starting([UserNumber])
        /// The tokens of these people's Live Activities of an incident.
        case running(IncidentNumber, of: [UserNumber])
    }

    /// The lifetime of a message about an incident, in seconds.
    static let incidentSeconds: Double = 4 * 3600
    /// The lifetime of a message about a call for help, a check-in or a rule's report, in seconds. Reminders follow a
    /// call.
    static let callSeconds: Double = 1800
    /// The push topic of the question "where are you now?".
    static let locateTopic = "locate"
    /// The lifetime of the question "where are you now?", in seconds.
    static let locateSeconds: Double = 600
    /// The lifetime of the message that a dataset changed, in seconds: as long as `PushPolicy` tries by default.
    static let datasetSeconds: Double = 86_400

    /// Returns the notifications of a change: to devices, and to the tokens of Live Activities.
    func notifications(of logged: LoggedChange) -> [Notification] {
        [notification(of: logged), activityNotification(of: logged)].compactMap(\.self)
    }

    /// Returns the notification of a change to devices; nil for a change that is not pushed.
    func notification(of logged: LoggedChange) -> Notification? {
        switch logged.change {
        case .dataset(let touch): notification(of: touch, at: logged.committedAt)
        case .incident(let incident): notification(of: incident, at: logged.committedAt)
        case .safety(let safety, of: let user): notification(ofCall: safety, by: user, at: logged.committedAt)
        case .reminder(let safety, of: let user, count: _):
            notification(ofCall: safety, by: user, at: logged.committedAt)
        case .checkInTimer(let timer, of: let user): notification(of: timer, of: user, at: logged.committedAt)
        case .attendance(let report): notification(of: report, at: logged.committedAt)
        case .proximity(let report): notification(of: report, at: logged.committedAt)
        case .action(let action) where action.kind == .locationAsked: notification(of: action, at: logged.committedAt)
        default: nil
        }
    }

    private func notification(of touch: DatasetTouch, at moment: Instant) -> Notification? {
        guard let owner = directory.users[touch.owner] else { return nil }
        let message = PushMessage(
            topic: "dataset \(touch.name)", createdAt: moment, lastingSeconds: Self.datasetSeconds,
            data: Self.syncData(of: touch.name, syncCount: touch.syncCount, owner: owner, origin))
        return Notification(
            message: message, recipients: .subscribers(of: touch.name, owner: touch.owner), writer: touch.device)
    }

    /// The data that notifies an app of a dataset's change, with the names that Cognito's clients read.
    static func syncData(
        of dataset: String, syncCount: Int64, owner: User, _ origin: EventOrigin
    ) -> [PushMessage.Member] {
        [
            .init("source", .text("cognito-sync")),
            .init("identityPoolId", .text(origin.text(of: .pool(owner.team)))),
            .init("identityId", .text(origin.text(of: .identity(owner.number)))),
            .init("datasetName", .text(dataset)), .init("syncCount", .number(syncCount)),
        ]
    }

    /// Notifies everyone in the team, except the person who started, reopened or closed the incident; of PAR and
    /// handovers the people whom they concern.
    private func notification(of incident: Incident, at moment: Instant) -> Notification? {
        switch incident.turn {
        case .started, .reopened, .closed: break
        case .allAccounted, .notAllAccounted, .parReported, .parComplete, .parTimerSet: return nil
        case .parRequested, .parOverdue, .handedOver: return notification(ofPARIn: incident, at: moment)
        }
        guard let team = directory.teams[incident.team] else { return nil }
        let message = PushMessage(
            topic: Self.topic(of: incident), createdAt: moment, lastingSeconds: Self.incidentSeconds,
            data: [
                .init("source", .text("muster")), .init("kind", .text("incident")),
                .init("incident", .number(Int64(incident.number.rawValue))), .init("team", .text(team.name)),
                .init("drill", .text(incident.kind == .drill ? "true" : "false")),
                .init("state", .text(incident.isOpen ? "open" : "closed")),
            ], notice: notice(of: incident, team: team.name))
        return Notification(message: message, recipients: .people(people(of: incident)), writer: nil)
    }

    /// The push topic of an incident.
    static func topic(of incident: Incident) -> String { "incident \(incident.number.rawValue)" }

    /// The people of an incident's team, without the one who started, reopened or closed it.
    func people(of incident: Incident) -> [UserNumber] {
        let author: UserNumber?
        switch incident.turn {
        case .started: author = incident.startedBy
        case .reopened: author = incident.reopening?.by
        default: if case .byHand(let user, _)? = incident.closing?.how { author = user } else { author = nil }
        }
        return directory.users.all.filter { $0.team == incident.team && $0.number != author }.map(\.number)
    }

    /// The title and the text of a notification about an incident that was started, reopened or closed.
    func notice(of incident: Incident, team: String) -> PushMessage.Notice {
        let isDrill = incident.kind == .drill
        guard incident.isOpen else { return .init(title: isDrill ? "The drill is over" : "All clear", body: team) }
        return .init(
            title: isDrill ? "Drill: evacuate" : "Evacuate", body: incident.note.map { "\(team): \($0)" } ?? team)
    }

    /// Notifies the leaders of the caller's team of a call for help; the admins where the team has no other leader.
    private func notification(ofCall safety: Safety, by user: UserNumber, at moment: Instant) -> Notification? {
        guard safety.state.isCall, safety.acknowledgedBy == nil, let caller = directory.users[user] else { return nil }
        let isSOS = safety.state == .sos
        let spoken = directory.spokenName(of: user)
        let message = PushMessage(
            topic: "call \(user.rawValue)", createdAt: moment, lastingSeconds: Self.callSeconds,
            data: [
                .init("source", .text("muster")), .init("kind", .text("call")), .init("user", .text(caller.name)),
                .init("state", .text(isSOS ? "sos" : "needs-help")),
            ] + Self.displayName(of: caller),
            notice: .init(
                title: isSOS ? "SOS: \(spoken)" : "\(spoken) needs help",
                body: "Nobody has answered yet. Open Muster to see where they are."))
        return Notification(message: message, recipients: .people(leaders(of: caller)), writer: nil)
    }

    /// The leaders of a person's team without the person; the admins where there are none.
    private func leaders(of person: User) -> [UserNumber] {
        let others = directory.users.all.filter { $0.number != person.number }
        let leaders = others.filter { $0.role == .leader && $0.team == person.team && person.team != nil }
        return (leaders.isEmpty ? others.filter { $0.role == .admin } : leaders).map(\.number)
    }

    /// Notifies the person whose check-in is due, and the leaders once it is overdue. The SOS after that is a call for
    /// help.
    private func notification(of timer: CheckInTimer, of user: UserNumber, at moment: Instant) -> Notification? {
        guard timer.turn == .reminded || timer.turn == .overdue, let person = directory.users[user] else { return nil }
        let isDue = timer.turn == .reminded
        let notice: PushMessage.Notice =
            isDue
            ? .init(
                title: "Check in",
                body: "Your check-in is due. Open Muster and check in, or your leaders are notified.")
            : .init(
                title: "No word from \(directory.spokenName(of: user))", body: "The check-in is overdue.",
                // The note may say where a person works alone and at what, so the push service must not read it.
                confidential: timer.note)
        let message = PushMessage(
            topic: "check-in \(user.rawValue)", createdAt: moment, lastingSeconds: Self.callSeconds,
            data: [
                .init("source", .text("muster")), .init("kind", .text("check-in")), .init("user", .text(person.name)),
                .init("state", .text(isDue ? "due" : "overdue")),
            ] + Self.displayName(of: person), notice: notice)
        return Notification(message: message, recipients: .people(isDue ? [user] : leaders(of: person)), writer: nil)
    }

    /// The display name of the user whom a message names, for an app that words it anew.
    private static func displayName(of user: User?) -> [PushMessage.Member] {
        user?.displayName.map { [.init("displayName", .text($0))] } ?? []
    }

    private func notification(of action: Action, at moment: Instant) -> Notification? {
        guard let user = action.user else { return nil }
        let author = directory.users[action.author]?.name ?? "Your team's leader"
        let spoken = directory.users[action.author] == nil ? author : directory.spokenName(of: action.author)
        let message = PushMessage(
            topic: Self.locateTopic, createdAt: moment, lastingSeconds: Self.locateSeconds,
            data: [
                .init("source", .text("muster")), .init("kind", .text("locate")), .init("by", .text(author)),
            ] + Self.displayName(of: directory.users[action.author]),
            notice: .init(title: "Where are you now?", body: "\(spoken) asks. Open Muster to tell."))
        return Notification(message: message, recipients: .people([user]), writer: nil)
    }
}

extension PushMessage {
    /// The test message to a device.
    static func test(at moment: Instant) -> PushMessage {
        PushMessage(
            topic: "test", createdAt: moment, lastingSeconds: 60,
            data: [.init("source", .text("muster")), .init("kind", .text("test"))],
            notice: .init(title: "Muster reaches this device", body: "This is a test."))
    }
}

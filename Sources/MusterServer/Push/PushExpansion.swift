import MusterCore
import MusterStore

/// A notification that is queued for its recipients' devices in steps, a few recipients at a time.
struct PushExpansion: Sendable {
    let notification: PushRecipients.Notification
    let sequence: Int64
    /// The number of people whose devices were looked up.
    private var done = 0

    init(notification: PushRecipients.Notification, sequence: Int64) {
        self.notification = notification
        self.sequence = sequence
    }

    /// The next devices, each with its service. Only those that the message is meant for: the tokens of Live Activities
    /// get no others.
    func devices(in store: any Store) throws -> [(id: String, service: String)] {
        let credentials: [Credential]
        switch notification.recipients {
        case .subscribers(let dataset, let owner):
            credentials = try store.pushSubscribers(to: dataset, of: owner).compactMap { id in
                let credential = try store.credential(.pushDevice, key: Array(id.utf8))
                return credential?.user == owner ? credential : nil
            }
        case .people(let people), .starting(let people), .running(_, of: let people):
            credentials = try people.dropFirst(done).prefix(PushDispatcher.lookupLimit).flatMap { user in
                try store.credentials(.pushDevice, of: user)
            }
        }
        return credentials.compactMap { PushDevice($0) }.filter { notification.message.isMeant(for: $0) }
            .map { ($0.id, $0.scheduleService) }
    }

    /// The expansion after the next devices; nil at the end.
    var rest: PushExpansion? {
        guard let people = notification.recipients.people, done + PushDispatcher.lookupLimit < people.count else {
            return nil
        }
        var rest = self
        rest.done += PushDispatcher.lookupLimit
        return rest
    }
}

extension PushRecipients.Recipients {
    /// The people whose devices are looked up; nil where the devices are known by themselves.
    fileprivate var people: [UserNumber]? {
        switch self {
        case .subscribers: nil
        case .people(let people), .starting(let people), .running(_, of: let people): people
        }
    }
}

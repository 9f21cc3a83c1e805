package import MusterCore

extension OwnTracksMessage {
    /// What the message says of its device that is no place, as notes; empty for a message that says nothing such.
    ///
    /// A waypoint that names itself by nothing that a key may hold is left out.
    package func notes(receivedAt: Instant) -> [DeviceNote] {
        func note(_ kind: DeviceNote.Kind, _ sampleTime: Instant?, _ body: String) -> DeviceNote {
            DeviceNote(DeviceNote.Name(kind), sampleTime: sampleTime, receivedTime: receivedAt, body: body)
        }
        switch self {
        case .waypoint(let waypoint): return [waypoint].compactMap { $0.note(receivedAt: receivedAt) }
        case .waypoints(let waypoints): return waypoints.compactMap { $0.note(receivedAt: receivedAt) }
        case .card(let card): return [note(.card, nil, card.body)]
        case .steps(let steps): return [note(.steps, steps.sampleTime, steps.body)]
        case .status(let body): return [note(.status, nil, body)]
        case .lastWill(let will): return [note(.lastWill, will.sampleTime, will.body)]
        case .location, .transition, .beacon, .command, .request, .encrypted, .other: return []
        }
    }
}

extension OwnTracksWaypoint {
    /// The waypoint as a note under its id: `rid`, or `tst`, which is the id to older phones, or else its name.
    fileprivate func note(receivedAt: Instant) -> DeviceNote? {
        let ids = [regionID, createdAt.map { "\($0.milliseconds / 1000)" }, name]
        let key = ids.lazy.compactMap { $0 }.first { (1...DeviceNote.Name.keyLimitBytes).contains($0.utf8.count) }
        return key.map { key in
            DeviceNote(
                DeviceNote.Name(.waypoint, key: key), sampleTime: createdAt, receivedTime: receivedAt, body: body)
        }
    }
}

extension OwnTracksCard {
    /// The card that a note holds; nil when it holds none.
    package init?(_ note: DeviceNote) {
        guard note.name.kind == .card, let value = try? JSONValue(parsing: Array(note.body.utf8)),
            let members = value.members
        else { return nil }
        self.init(OwnTracksMembers(members: members, pointer: ""))
    }
}

extension OwnTracksBeacon {
    /// The beacon as a sighting of it.
    package func sighting(receivedAt: Instant) -> Sighting {
        Sighting(
            of: Beacon(uuid: uuid, major: major, minor: minor), sampleTime: sampleTime, receivedTime: receivedAt,
            distance: distance, signalStrength: signalStrength,
            proximity: proximity.flatMap { Sighting.Proximity(rawValue: $0) } ?? .unknown)
    }
}

extension OwnTracksMembers {
    /// What differs between two sendings of one message, or says nothing beside the kind of a note.
    private static let ofSending: Set<String> = ["_type", "_id", "created_at", "topic"]

    /// What the message says, as the text of one object in the order of its keys: the same said twice is the same text.
    /// What does not fit into `limitBytes` is left out.
    ///
    /// - Parameter large: the key of what comes last, so that it is the first to be left out.
    func body(limitBytes: Int, lastly large: String? = nil) -> String {
        let ordered = members.sorted { left, right in
            if (left.key == large) != (right.key == large) { return right.key == large }
            return left.key < right.key
        }
        let body = OwnTracksMembers(members: ordered, pointer: pointer)
            .rest(without: Self.ofSending, limitBytes: limitBytes)
        return body ?? "{}"
    }
}

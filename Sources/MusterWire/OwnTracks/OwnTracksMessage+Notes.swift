package import MusterCore

/// The notes of an OwnTracks app, beside positions and beacons: waypoints, its card, steps, its status, its last will.
extension OwnTracksMessage {
    /// Returns the message's content beside positions, beacons and commands, as notes; empty when there is none.
    ///
    /// It leaves out a waypoint whose ids and name are all no keys of a note.
    package func notes(receivedAt: Instant) -> [DeviceNote] {
        func makeNote(_ kind: DeviceNote.Kind, _ sampleTime: Instant?, _ body: String) -> DeviceNote {
            DeviceNote(DeviceNote.Name(kind), sampleTime: sampleTime, receivedTime: receivedAt, body: body)
        }
        switch self {
        case .waypoint(let waypoint): return [waypoint].compactMap { $0.deviceNote(receivedAt: receivedAt) }
        case .waypoints(let waypoints): return waypoints.compactMap { $0.deviceNote(receivedAt: receivedAt) }
        case .card(let card): return [makeNote(.card, nil, card.body)]
        case .steps(let steps): return [makeNote(.steps, steps.sampleTime, steps.body)]
        case .status(let body): return [makeNote(.status, nil, body)]
        case .lastWill(let will): return [makeNote(.lastWill, will.sampleTime, will.body)]
        case .location, .transition, .beacon, .command, .request, .encrypted, .other: return []
        }
    }
}

extension OwnTracksWaypoint {
    /// Returns the waypoint as a note under its id: `rid`; or `tst`, which is the id for older phones; or its name.
    fileprivate func deviceNote(receivedAt: Instant) -> DeviceNote? {
        let ids = [regionID, createdAt.map { "\($0.milliseconds / 1000)" }, name]
        let key = ids.lazy.compactMap { $0 }.first { (1...DeviceNote.Name.keyLimitBytes).contains($0.utf8.count) }
        return key.map { key in
            DeviceNote(
                DeviceNote.Name(.waypoint, key: key), sampleTime: createdAt, receivedTime: receivedAt, body: body)
        }
    }
}

extension OwnTracksCard {
    /// Reads the card from a note; nil for a note of another kind.
    package init?(_ note: DeviceNote) {
        guard note.name.kind == .card, let value = try? JSONValue(parsing: Array(note.body.utf8)),
            let members = value.members
        else { return nil }
        self.init(OwnTracksMembers(members: members, pointer: ""))
    }
}

extension OwnTracksBeacon {
    /// Returns the message as a sighting of its beacon.
    package func sighting(receivedAt: Instant) -> Sighting {
        Sighting(
            of: Beacon(uuid: uuid, major: major, minor: minor), sampleTime: sampleTime, receivedTime: receivedAt,
            distance: distance, signalStrength: signalStrength,
            proximity: proximity.flatMap { Sighting.Proximity(rawValue: $0) } ?? .unknown)
    }
}

extension OwnTracksMembers {
    /// The members that differ between two sendings of one message, or only repeat the kind of the note.
    private static let ofSending: Set<String> = ["_type", "_id", "created_at", "topic"]

    /// Returns the message's members as the text of one object, in the order of their keys, so that the same message
    /// always yields the same text. Members that would exceed `limitBytes` are left out.
    ///
    /// - Parameter large: the key of the member to put last, so that it is the first to be left out.
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

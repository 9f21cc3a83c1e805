/// Joins of two users who are one person, and devices that are given to another person.
extension Engine {
    /// Returns the owner of a device; nil for a device that does not exist.
    public func owner(of device: DeviceNumber) -> UserNumber? {
        devices.indices.contains(Int(device.rawValue)) ? devices[Int(device.rawValue)].user : nil
    }

    /// Checks that no edit joins a user who calls for help, has a check-in timer, or is the only one whom an attendance
    /// or proximity rule counts or the centre of one, to another user. After such a join, nobody would answer the call
    /// or notice the silence.
    ///
    /// - Throws: `JoinError.callsForHelp`; `.hasTimer`; `.isExpected`.
    public func checkJoins(among edits: [Edit]) throws(JoinError) {
        for case .joinUser(let user, to: _) in edits {
            if attendance.expects(user) || proximity.names(user) { throw .isExpected }
            if safety(of: user).state.isCall { throw .callsForHelp }
            if checkInTimer(of: user) != nil { throw .hasTimer }
        }
    }

    /// Applies the changes of ownership in edits: gives each device to its new owner, and derives the safety of the new
    /// owners and the former ones. Call this in the transaction of the edits, after their roll entries. The devices'
    /// standings do not change, so no crossing is reported. When the new owner's team reports to another tracker,
    /// `review` is due.
    ///
    /// - Returns: whether any device changed its owner.
    @discardableResult
    public mutating func reassign(following edits: [Edit], now: Instant, into decision: inout Decision) -> Bool {
        var concerned: Set<UserNumber> = []
        for case .putDevice(let device) in edits {
            guard devices.indices.contains(Int(device.number.rawValue)),
                let former = state(of: device.number, after: decision).user, former != device.user
            else { continue }
            ownership.remove(device.number, from: former)
            ownership.add(device.number, to: device.user)
            let place = slot(of: device.number, in: &decision)
            decision.devices.states[place].user = device.user
            decision.devices.states[place].endBoundaryFreeRadii()
            concerned.formUnion([former, device.user])
            guard team(of: person(former)).tracker != team(of: person(device.user)).tracker else { continue }
            scope.users.formUnion([former, device.user])
        }
        for case .joinUser(let user, to: let other) in edits {
            concerned.remove(user)
            concerned.insert(other)
        }
        guard !concerned.isEmpty else { return false }
        decision.defersRecount = true
        for user in concerned.sorted() { deriveSafety(of: user, now: now, decidedAt: now, into: &decision) }
        keepRolls(now: now, into: &decision)
        return true
    }

    /// Whether edits give a device to another person, or join two people.
    public func reassigns(_ edits: [Edit]) -> Bool {
        edits.contains { edit in
            switch edit {
            case .joinUser: true
            case .putDevice(let device):
                devices.indices.contains(Int(device.number.rawValue))
                    && devices[Int(device.number.rawValue)].user.map { $0 != device.user } ?? false
            default: false
            }
        }
    }

    /// Returns the lines that take a user off the rolls they are on, and put the user whom they are joined to on each
    /// of these.
    func joinEntries(
        of user: UserNumber, to other: UserNumber, over before: Directory, by author: UserNumber?, at now: Instant
    ) -> [(entry: IncidentEntry, team: TeamNumber)] {
        entries(of: user, by: author, at: now) { entry, _ in
            entry.event = .joinedTo
            entry.note = before.users[other]?.name
            entry.name = before.users[user]?.name
        }
        .flatMap { line -> [(entry: IncidentEntry, team: TeamNumber)] in
            guard !roll(of: line.entry.incident).holds(other) else { return [line] }
            var asked = IncidentEntry(
                incident: line.entry.incident, at: now, person: other, event: .joined, safety: safety(of: other),
                lastSeen: lastSeen(other), author: author)
            asked.note = before.users[user]?.name
            return [line, (asked, line.team)]
        }
    }
}

import MusterCore
import MusterHTTP
import MusterServer
import MusterStore
import MusterWire
import NIOCore

/// Sends a client the people whom it may see, and the regions of its team. What has not been sent stays in the log and
/// in `due`, which holds each person once.
extension TAKConnection {
    func sendUntilClosed(_ feed: LogFeed) async {
        do {
            try await makeAllDue()
            repeat {
                do {
                    // Sending runs in a task of its own: the task that waits would keep the memory that sending
                    // allocated.
                    try await inOwnTask { try await self.sendDue() }
                } catch let error as IdentityError where !error.endsCredential {
                    // The server is too busy to verify the client. The next beat tries again.
                }
                guard phase == .open, let reasons = await feed.next() else { break }
                if reasons.isBeat { try await beat() }
            } while phase == .open
        } catch is IdentityError {
            parts.metrics.count(event: "tak_certificate_ended")
        } catch {
            // The client connects again, and gets everything that holds then.
            parts.metrics.count(event: "tak_unavailable")
        }
        close()
    }

    /// Makes everyone and everything due that the client may see: at the beginning, and when its rights or those of
    /// others may have changed.
    private func makeAllDue() async throws {
        let reader = try await verify().reader
        let (users, calling, sequence) = try await parts.coordinator.inspect { engine, directory, sequence in
            let users = Access(reader, in: directory).readableUsers.map(\.number)
            return (users, users.filter { engine.safety(of: $0).state == .sos }, sequence)
        }
        guard phase == .open else { return }
        for user in users { due.add(user) }
        // Those who were shown and may no longer be.
        for user in shown.keys { due.add(user) }
        for user in calling { due.add(user, isUrgent: true) }
        for region in regions(for: reader) { due.add(region) }
        for region in shownRegions.keys { due.add(region) }
        place = max(place, sequence)
    }

    /// Verifies the client's rights; sends those who call for help again, because a call must not go stale.
    private func beat() async throws {
        beats += 1
        for (user, shown) in shown where shown.isCalling { due.add(user, isUrgent: true) }
        if beats.isMultiple(of: TAKLimits.beatsOfRegions), let reader = holder?.reader {
            for region in regions(for: reader) { due.add(region) }
        }
        await verifyStill()
    }

    private func sendDue() async throws {
        while phase == .open {
            try await readLog()
            guard !due.isEmpty else { return }
            guard channel.isWritable else {
                await waitForChange()
                continue
            }
            let reader = try await verify().reader
            let people = due.takePeople(TAKLimits.peopleAtOnce)
            if !people.isEmpty {
                try await send(people, for: reader)
            } else if let region = due.takeRegion() {
                send(region, for: reader)
            }
        }
    }

    /// Adds to `due` whom and what the changes of the log since `place` concern.
    private func readLog() async throws {
        while phase == .open {
            let events: [LiveEvent]
            do {
                events = try await parts.feeds.recent.events(since: place)
            } catch StoreError.trimmed {
                place = .zero
                return try await makeAllDue()
            }
            guard let last = events.last, let reader = holder?.reader, phase == .open else { return }
            let access = Access(reader, in: parts.coordinator.directory)
            for event in events { add(event.change, for: access) }
            place = max(place, last.sequence)
            if events.contains(where: { $0.change.mayChangeRights }) { try await makeAllDue() }
        }
    }

    private func add(_ change: Change, for access: Access) {
        switch change {
        case .position(_, of: let device, isCurrent: true):
            access.directory.devices[device].map { add($0.user, for: access) }
        case .safety(_, of: let user):
            // A call that ends is as urgent as one that begins.
            add(user, for: access, isUrgent: shown[user]?.isCalling == true || isCall(change))
        case .pause(_, of: let user): add(user, for: access)
        case .reminder(_, of: let user, count: _): add(user, for: access, isUrgent: true)
        case .region(let region, in: _, removed: _): due.add(region)
        default: return
        }
    }

    private func isCall(_ change: Change) -> Bool {
        if case .safety(let safety, of: _) = change { safety.state == .sos } else { false }
    }

    private func add(_ user: UserNumber, for access: Access, isUrgent: Bool = false) {
        guard shown[user] != nil || access.directory.users[user].map({ access.mayRead($0) }) == true else { return }
        due.add(user, isUrgent: isUrgent)
    }

    // MARK: People

    private func send(_ people: [UserNumber], for reader: Principal) async throws {
        let sights: [UserNumber: TAKPicture.Sight]
        do {
            sights = try await picture.sights(of: people, for: reader)
        } catch {
            for user in people { due.add(user, isUrgent: shown[user]?.isCalling == true) }
            throw error
        }
        let now = parts.configuration.now()
        for user in people where user != reader.user {
            guard phase == .open else { return }
            let (messages, after) = picture.messages(of: user, sights[user], after: shown[user], at: now)
            for message in messages { send(message) }
            shown[user] = after
        }
    }

    // MARK: Regions

    /// The regions of the reader's team.
    private func regions(for reader: Principal) -> [RegionNumber] {
        picture.regions(for: Access(reader, in: parts.coordinator.directory))
    }

    private func send(_ region: RegionNumber, for reader: Principal) {
        let drawn = picture.drawing(
            of: region, for: Access(reader, in: parts.coordinator.directory), at: parts.configuration.now())
        let before = shownRegions[region] ?? 0
        for message in drawn { send(message) }
        for message in picture.removals(of: region, from: drawn.count, to: before, at: parts.configuration.now()) {
            send(message)
        }
        shownRegions[region] = drawn.isEmpty ? nil : drawn.count
    }
}

extension Change {
    /// Whether the change may let the client see others than before.
    fileprivate var mayChangeRights: Bool {
        if case .directory = self { true } else { false }
    }
}

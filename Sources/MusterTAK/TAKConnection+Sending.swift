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
        var failures = 0
        do {
            while phase == .open {
                do {
                    // Sending runs in a task of its own: the task that waits would keep the memory that sending
                    // allocated.
                    try await inOwnTask { try await self.sendDue() }
                    failures = 0
                } catch {
                    if (error as? IdentityError)?.endsCredential == true || work.isAbandoned
                        || (error as? CoordinatorError) == .closed
                    {
                        throw error
                    }
                    // The server is too busy. What is due stays due. Each client waits another time, and longer each
                    // time, so that all together do not keep the server busy.
                    parts.metrics.count(event: "tak_delayed")
                    failures += 1
                    let seconds = min(TAKLimits.busySeconds, Double(1 << min(failures, 5)))
                    try await Task.sleep(for: .seconds(seconds * .random(in: 0.5...1)))
                    continue
                }
                guard phase == .open, let reasons = await feed.next() else { break }
                if reasons.isBeat { await beat() }
            }
        } catch let error as IdentityError where error.endsCredential {
            parts.metrics.count(event: "tak_certificate_ended")
        } catch {
            // The connection has closed, or the server stops.
        }
        close()
    }

    /// Makes everyone and everything due that the client may see: at the beginning, and when its rights or those of
    /// others may have changed.
    private func makeAllDue() async throws {
        let reader = try await verify().reader
        var directory = parts.coordinator.directory
        // Those who were shown and may no longer be.
        for user in shown.keys { due.add(user) }
        // Only the beginning, and readers of others, need the writer's thread.
        if place == .zero || Access(reader, in: directory).readsOthers {
            let (users, calling, current, sequence) = try await parts.coordinator.inspect {
                engine, directory, sequence in
                let access = Access(reader, in: directory)
                let users = access.readsOthers ? access.readableUsers.map(\.number) : []
                return (users, users.filter { engine.safety(of: $0).state.isCall }, directory, sequence)
            }
            guard phase == .open else { return }
            // Nobody is shown to themselves.
            for user in users where user != reader.user { due.add(user) }
            for user in calling where user != reader.user { due.add(user, isUrgent: true) }
            directory = current
            if place == .zero { place = sequence }
        }
        renewRegions(for: Access(reader, in: directory))
        needsAll = false
    }

    /// Makes the regions due where the client gets those of other collections than before.
    private func renewRegions(for access: Access) {
        let now = picture.collections(for: access)
        guard now != collections else { return }
        collections = now
        for region in picture.regions(for: access) { due.add(region) }
        for region in shownRegions.keys { due.add(region) }
    }

    /// Verifies the client's rights; sends those who call for help again, because a call must not go stale.
    private func beat() async {
        beats += 1
        for (user, shown) in shown where shown.isCalling { due.add(user, isUrgent: true) }
        if beats.isMultiple(of: TAKLimits.beatsOfRegions), let reader = holder?.reader {
            for region in picture.regions(for: Access(reader, in: parts.coordinator.directory)) { due.add(region) }
        }
        await verifyStill()
    }

    private func sendDue() async throws {
        while phase == .open {
            if needsAll { try await makeAllDue() }
            try await readLog()
            if needsAll { continue }
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
                (place, needsAll) = (.zero, true)
                return
            }
            guard let last = events.last, let reader = holder?.reader, phase == .open else { return }
            let access = Access(reader, in: parts.coordinator.directory)
            for event in events { add(event.change, for: access) }
            place = max(place, last.sequence)
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
        case .directory(let entry, removed: _): add(entry, for: access)
        default: return
        }
    }

    /// Adds what a change of the directory shows or hides, and no more: people edit their own devices at will.
    private func add(_ entry: DirectoryEntry, for access: Access) {
        let (principal, directory) = (access.principal, access.directory)
        switch entry {
        case .user(principal.user): needsAll = true
        // Another person came into the client's sight, or left it, or has another name.
        case .user(let user): add(user, for: access)
        case .team(let team):
            if team == principal.team || directory.teams[team].map({ access.mayRead($0) }) != false { needsAll = true }
        case .tracker: renewRegions(for: access)
        case .collection(let collection):
            // Its regions may look otherwise.
            if collections?.contains(collection) == true { collections = nil }
            renewRegions(for: access)
        case .rule:
            // Rules decide where people are safe.
            for (region, shown) in shownRegions
            where directory.regions[region].map({ directory.isMuster($0) }) != shown.isMuster { due.add(region) }
        case .device(let device):
            if let owner = directory.devices[device]?.user { add(owner, for: access) }
            for (user, shown) in shown where shown.device == device { due.add(user) }
        case .crew, .target, .database: return
        }
    }

    private func isCall(_ change: Change) -> Bool {
        if case .safety(let safety, of: _) = change { safety.state.isCall } else { false }
    }

    private func add(_ user: UserNumber, for access: Access, isUrgent: Bool = false) {
        // Nobody is shown to themselves.
        guard user != access.principal.user else { return }
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
        for user in people {
            guard phase == .open else { return }
            let (messages, after) = picture.messages(of: user, sights[user], after: shown[user], at: now)
            for message in messages { send(message) }
            shown[user] = after
        }
    }

    // MARK: Regions

    private func send(_ region: RegionNumber, for reader: Principal) {
        let (now, directory) = (parts.configuration.now(), parts.coordinator.directory)
        let drawn = picture.drawing(of: region, for: Access(reader, in: directory), at: now)
        let before = shownRegions[region]?.parts ?? 0
        for message in drawn { send(message) }
        for message in picture.removals(of: region, from: drawn.count, to: before, at: now) { send(message) }
        let isMuster = directory.regions[region].map { directory.isMuster($0) } ?? false
        shownRegions[region] =
            drawn.isEmpty ? nil : TAKPicture.ShownRegion(parts: drawn.count, isMuster: isMuster)
    }
}

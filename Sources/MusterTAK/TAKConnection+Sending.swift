import MusterCore
import MusterHTTP
import MusterServer
import MusterStore
import MusterWire
import NIOCore

/// Sends a client the people whom it may see, and the regions of its team. What has not been sent stays in the inbox
/// and in `due`, which hold each person once.
extension TAKConnection {
    func sendUntilClosed(_ inbox: TAKInbox) async {
        var failures = 0
        do {
            while phase == .open {
                do {
                    // Sending runs in a task of its own: the task that waits would keep the memory that sending
                    // allocated.
                    try await inOwnTask { try await self.sendDue(from: inbox) }
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
                guard phase == .open, let reasons = await inbox.feed.next() else { break }
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
    private func makeAllDue(from inbox: TAKInbox) async throws {
        let reader = try await verify().reader
        var directory = parts.coordinator.directory
        // From here on the inbox gets what happens, so what is read next is missed by nobody.
        inbox.setReader(Access(reader, in: directory))
        sights = [:]
        // Those who were shown and may no longer be.
        for user in shown.keys { due.add(user) }
        // Only readers of others need the writer's thread.
        if Access(reader, in: directory).readsOthers {
            let (users, calling, current) = try await parts.coordinator.inspect { engine, directory, _ in
                let users = Access(reader, in: directory).readableUsers.map(\.number)
                return (users, users.filter { engine.safety(of: $0).state.isCall }, directory)
            }
            guard phase == .open else { return }
            // Nobody is shown to themselves.
            for user in users where user != reader.user { due.add(user) }
            for user in calling where user != reader.user { due.add(user, isUrgent: true) }
            directory = current
        }
        renewRegions(for: Access(reader, in: directory))
        // The rights may have changed in the meantime.
        needsAll = holder?.reader != reader
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

    private func sendDue(from inbox: TAKInbox) async throws {
        while phase == .open {
            if needsAll { try await makeAllDue(from: inbox) }
            add(inbox.takeNews())
            if needsAll { continue }
            guard !due.isEmpty else { return }
            guard channel.isWritable else {
                await waitForChange()
                continue
            }
            let reader = try await verify().reader
            let urgent = due.urgent
            let people = due.takePeople(TAKLimits.peopleAtOnce)
            if !people.isEmpty {
                try await send(people, urgent: urgent, for: reader)
            } else if let region = due.takeRegion() {
                send(region, for: reader)
            }
        }
    }

    /// Adds to `due` whom and what the news concern.
    private func add(_ news: TAKNews) {
        guard let reader = holder?.reader else { return }
        // What was found out before a change of the directory may show what has been erased since.
        if !news.entries.isEmpty { sights = [:] }
        if news.isAll { (needsAll, collections) = (true, nil) }
        let access = Access(reader, in: parts.coordinator.directory)
        for region in news.regions { due.add(region) }
        for entry in news.entries { add(entry, for: access) }
        for user in news.people {
            let sight = news.sights[user]
            // A call that ends is as urgent as one that begins.
            let isCall =
                news.calls.contains(user) || shown[user]?.isCalling == true || sight?.safety.state.isCall == true
            let isDue = add(user, for: access, isUrgent: isCall)
            if isDue, let sight, sight.sequence >= ownSequence { sights[user] = sight }
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
            for (user, shown) in shown where shown.device == device { add(user, for: access) }
        case .crew, .target, .database: return
        }
    }

    /// Makes a person due whom the client may see or is shown.
    ///
    /// - Returns: whether the person is due.
    @discardableResult
    private func add(_ user: UserNumber, for access: Access, isUrgent: Bool = false) -> Bool {
        // What was known of the person before is not sent any more.
        sights[user] = nil
        // Nobody is shown to themselves.
        guard user != access.principal.user else { return false }
        guard shown[user] != nil || access.directory.users[user].map({ access.mayRead($0) }) == true else {
            return false
        }
        due.add(user, isUrgent: isUrgent)
        return true
    }

    // MARK: People

    /// - Parameter urgent: who is due again as urgent where nothing can be found out now.
    private func send(_ people: [UserNumber], urgent: Set<UserNumber>, for reader: Principal) async throws {
        var found: [UserNumber: TAKPicture.Sight] = [:]
        for user in people { found[user] = sights.removeValue(forKey: user) }
        // What is known of some would age while the others are read.
        if people.contains(where: { found[$0] == nil }) {
            do {
                found = try await picture.sights(of: people)
            } catch {
                for user in people {
                    due.add(user, isUrgent: urgent.contains(user) || shown[user]?.isCalling == true)
                }
                throw error
            }
            ownSequence = found.values.reduce(ownSequence) { max($0, $1.sequence) }
        }
        let now = parts.configuration.now()
        let access = Access(reader, in: parts.coordinator.directory)
        for user in people {
            guard phase == .open else { return }
            let isVisible = access.directory.users[user].map { access.mayRead($0) } ?? false
            let (messages, after) = picture.messages(
                of: user, isVisible ? found[user] : nil, after: shown[user], at: now)
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

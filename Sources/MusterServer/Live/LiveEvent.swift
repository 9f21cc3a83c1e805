package import MusterCore
package import MusterWire

/// A change as clients receive it: with names instead of numbers, rendered once for all readers.
package struct LiveEvent: Sendable {
    /// The change's number in the log.
    package let sequence: LogSequence
    /// The change, by which the server decides who may see it.
    package let change: Change
    /// When the change was committed.
    package let committedAt: Instant
    /// The API's JSON object of the change.
    package let json: [UInt8]
    /// The kind of change, as the feed names it.
    package let type: StaticString

    /// Renders a change with the current names of things.
    package init(_ logged: LoggedChange, directory: Directory) {
        sequence = logged.sequence
        change = logged.change
        committedAt = logged.committedAt
        let named = directory.named(logged.change)
        type = named.type
        var writer = JSONWriter()
        writer.value(
            named, sequence: logged.sequence, at: logged.committedAt,
            displayNames: directory.displayNames(in: logged.change))
        json = writer.takeBytes()
    }

    /// Appends the event as the feed sends it: id, type and JSON object.
    ///
    /// Format: the HTML standard's `text/event-stream`.
    package func appendEventStream(to bytes: inout [UInt8]) {
        bytes.append(contentsOf: "id: \(sequence.rawValue)\nevent: \(type)\ndata: ".utf8)
        bytes.append(contentsOf: json)
        bytes.append(contentsOf: "\n\n".utf8)
    }
}

extension Directory {
    /// A change with names. An object that the directory no longer holds is named by its number, `#7`.
    package func named(_ change: Change) -> NamedChange {
        switch change {
        case .position(let position, let device, let isCurrent):
            let (device, user) = names(of: device)
            return .position(
                position, device: device, user: user, reporter: position.reporter.map { name(of: $0) },
                isLate: !isCurrent)
        case .sighting(let sighting, let device, let isCurrent):
            let (device, user) = names(of: device)
            return .sighting(sighting, device: device, user: user, isLate: !isCurrent)
        case .note(let name, let device):
            let (device, user) = names(of: device)
            return .note(name, device: device, user: user)
        case .signal(let signal, let device):
            let (device, user) = names(of: device)
            return .signal(signal, device: device, user: user, reporter: signal.reporter.map { name(of: $0) })
        case .range(let range, let device, let isCurrent):
            let (device, user) = names(of: device)
            return .range(range, device: device, user: user, peer: names(of: range.peer).device, isLate: !isCurrent)
        case .crossing(let crossing):
            let (device, user) = names(of: crossing.device)
            return .crossing(crossing, device: device, user: user, region: named(crossing.region))
        case .presence(let report):
            let (device, user) = names(of: report.device)
            return .presence(report, device: device, user: user, region: named(report.region))
        case .belief(let belief, let device):
            let (device, user) = names(of: device)
            return .belief(named(belief), device: device, user: user)
        case .safety(let safety, let user): return .safety(named(safety), user: name(of: user))
        case .declaration(let declaration, let isCurrent):
            return .declaration(named(declaration, isLate: !isCurrent))
        case .reminder(let safety, let user, let count):
            return .reminder(named(safety), user: name(of: user), count: count)
        case .checkInTimer(let timer, let user): return .checkInTimer(named(timer), user: name(of: user))
        case .pause(let pause, let user): return .pause(pause, user: name(of: user))
        case .attendance(let report): return .attendance(named(report))
        case .proximity(let report): return .proximity(named(report))
        case .incident(let incident): return .incident(named(incident), incident.news.map { named($0) })
        case .roll(let entry, let team):
            return .roll(named(entry), incident: entry.incident, team: teams[team]?.name ?? gone(team))
        case .region(let region, let collection, let removed):
            return .region(
                collection: collections[collection]?.name ?? gone(collection), id: regions[region]?.id ?? gone(region),
                removed: removed)
        case .directory(let entry, let removed):
            let (entity, name) = named(entry)
            return .directory(entity, name: name, removed: removed)
        case .posted(let event): return .posted(source: event.source, detailType: event.detailType)
        case .document(let touch): return .document(touch, database: name(of: touch.database))
        case .dataset(let touch): return .dataset(touch, user: name(of: touch.owner))
        case .action(let action): return .action(named(action))
        }
    }

    private func named(_ action: Action) -> NamedAction {
        NamedAction(
            kind: action.kind, author: name(of: action.author), user: action.user.map { name(of: $0) },
            device: action.device.map { qualifiedName(of: $0) ?? gone($0) }, label: action.label)
    }

    /// A region as other objects refer to it.
    package func named(_ number: RegionNumber) -> NamedRegion {
        guard let region = regions[number] else {
            return NamedRegion(collection: "", id: gone(number), name: gone(number), isMuster: false)
        }
        return NamedRegion(
            collection: collections[region.collection]?.name ?? gone(region.collection), id: region.id,
            name: region.name, isMuster: isMuster(region))
    }

    /// A belief about a device, with the names of the regions where it may be.
    package func named(_ belief: Belief) -> NamedBelief {
        NamedBelief(belief, regions: belief.checking?.regions.map { named($0) } ?? [])
    }

    /// The device's name in the API, "user/device"; nil for a device that no longer exists.
    package func qualifiedName(of device: DeviceNumber) -> String? {
        guard let device = devices[device], let user = users[device.user] else { return nil }
        return "\(user.name)/\(device.name)"
    }

    /// The crew's name in a change, "team/crew"; nil for a crew that no longer exists.
    private func qualifiedName(of crew: CrewNumber) -> String? {
        guard let crew = crews[crew], let team = teams[crew.team] else { return nil }
        return "\(team.name)/\(crew.name)"
    }

    private func names(of number: DeviceNumber) -> (device: String, user: String) {
        guard let device = devices[number], let user = users[device.user] else { return (gone(number), "") }
        return ("\(user.name)/\(device.name)", user.name)
    }

    private func named(_ entry: DirectoryEntry) -> (NamedChange.Entity, String) {
        switch entry {
        case .user(let number): (.user, users[number]?.name ?? gone(number))
        case .team(let number): (.team, teams[number]?.name ?? gone(number))
        case .crew(let number): (.crew, qualifiedName(of: number) ?? gone(number))
        case .device(let number): (.device, qualifiedName(of: number) ?? gone(number))
        case .tracker(let number): (.tracker, trackers[number]?.name ?? gone(number))
        case .collection(let number): (.collection, collections[number]?.name ?? gone(number))
        case .rule(let number): (.rule, rules[number]?.name ?? gone(number))
        case .target(let number): (.target, targets[number]?.name ?? gone(number))
        case .database(let number): (.database, name(of: number))
        }
    }

    /// The database's name in the API.
    package func name(of database: DatabaseNumber) -> String {
        if let user = database.user { return users[user].map { DatabaseName.locations(of: $0.name) } ?? gone(database) }
        return databases[database]?.name ?? gone(database)
    }

    package func gone<Entity>(_ number: Number<Entity>) -> String { "#\(number.rawValue)" }
}

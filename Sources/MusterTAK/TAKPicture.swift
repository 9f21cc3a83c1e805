import MusterCore
import MusterGeometry
import MusterServer
import MusterWire

/// Translates what the server knows into events for TAK clients. A connection sends its reader only what the reader
/// may see.
///
/// | Event | What it shows |
/// |---|---|
/// | `a-f-G-U-C` | a person: where they were last, and their state as the team's colour and in words |
/// | `b-a-o-tbl` | a person who calls SOS, until someone ends it: `b-a-o-can` |
/// | `u-d-f`, `u-d-c-c` | a region of the reader's team |
/// | `t-x-d-d` | what the reader may no longer see, or what has been removed |
struct TAKPicture: Sendable {
    private let coordinator: StoreCoordinator
    /// The beginning of the UIDs of everything that this server sends, so that two servers' people do not meet.
    private let mark: String

    init(_ parts: ServerParts) {
        coordinator = parts.coordinator
        mark = "muster-\(parts.coordinator.storeID.prefix(8))"
    }

    /// What is known of a person.
    struct Sight: Sendable {
        var name: String
        var safety: Safety
        /// The newest position; nil where there is none.
        var position: Position?
        /// The device that reported it.
        var device: DeviceNumber?
        /// Whether the person has paused, and so is not shown unless they call for help.
        var isPaused: Bool
        var silenceSeconds: Double
        /// The muster region where the person is, by its name.
        var place: String?
        /// The last change of the log when this was found out.
        var sequence: LogSequence
        /// The marker of the person, as all get it who are shown this; nil where none is to be shown.
        var marker: TAKRendering?
    }

    /// What a client has of a person.
    struct Shown: Hashable, Sendable {
        /// Whether the client has a marker of the person.
        var isMarked = false
        /// Whether the client has the person's call for help.
        var isCalling = false
        /// The device whose place the marker shows.
        var device: DeviceNumber?
    }

    /// What a client has of a region.
    struct ShownRegion: Hashable, Sendable {
        /// The number of its drawings.
        var parts: Int
        /// Whether they say that people are safe there.
        var isMuster: Bool
    }

    // MARK: People

    /// Returns what is known of those people who exist, whoever may see them.
    ///
    /// - Throws: `CoordinatorError`.
    func sights(of people: [UserNumber]) async throws -> [UserNumber: Sight] {
        let now = coordinator.now()
        var sights = try await known(of: people, at: now)
        // The writer's thread has other things to do than this.
        for (number, sight) in sights { sights[number]?.marker = marker(of: number, sight, at: now) }
        return sights
    }

    private func known(of people: [UserNumber], at now: Instant) async throws -> [UserNumber: Sight] {
        try await coordinator.inspect { engine, directory, sequence in
            var sights: [UserNumber: Sight] = [:]
            for number in people {
                guard let user = directory.users[number], user.role != .gateway else { continue }
                let safety = engine.safety(of: number)
                let seen = directory.devices(of: number)
                    .compactMap { device in
                        (engine.locatedPosition(of: device) ?? engine.latestPosition(of: device)).map { (device, $0) }
                    }
                    .max { $0.1.sampleTime < $1.1.sampleTime }
                sights[number] = Sight(
                    name: user.name, safety: safety, position: seen?.1, device: seen?.0,
                    isPaused: engine.pause(of: number, now: now) != nil,
                    silenceSeconds: user.team.flatMap { directory.teams[$0]?.silenceSeconds }
                        ?? Team.defaultSilenceSeconds,
                    place: safety.region.flatMap { directory.regions[$0]?.name }, sequence: sequence)
            }
            return sights
        }
    }

    /// Returns the events that bring a client from what it has of a person to what is known now.
    ///
    /// - Parameter sight: nil where the reader may not see the person.
    func messages(
        of user: UserNumber, _ sight: Sight?, after before: Shown?, at now: Instant
    ) -> (messages: [TAKRendering], after: Shown?) {
        let before = before ?? Shown()
        var after = Shown()
        var messages: [TAKRendering] = []
        if let sight, sight.safety.state == .sos {
            messages.append(TAKRendering(call(of: user, sight, at: now)))
            after.isCalling = true
        } else if before.isCalling {
            let ending = sight.map { end(ofCallBy: user, $0, at: now) } ?? removal(of: callUID(user), at: now)
            messages.append(TAKRendering(ending))
        }
        if let marker = sight?.marker {
            messages.append(marker)
            after.isMarked = true
            after.device = sight?.device
        } else if before.isMarked {
            messages.append(TAKRendering(removal(of: uid(user), at: now)))
        }
        return (messages, after == Shown() ? nil : after)
    }

    private func uid(_ user: UserNumber) -> String { "\(mark)-u\(user.rawValue)" }

    private func callUID(_ user: UserNumber) -> String { "\(uid(user))-9-1-1" }

    /// The marker of a person; nil where none is to be shown. A pause hides where a person is, but not where one is who
    /// calls for help, by an SOS or otherwise.
    private func marker(of user: UserNumber, _ sight: Sight, at now: Instant) -> TAKRendering? {
        guard let position = sight.position, !sight.isPaused || sight.safety.state.isCall else { return nil }
        return TAKRendering(marker(of: user, sight, position, at: now))
    }

    private func marker(of user: UserNumber, _ sight: Sight, _ position: Position, at now: Instant) -> CoTMessage {
        var detail = XMLElements()
        detail.add("contact", [("callsign", sight.name)])
        detail.add("__group", [("name", Self.colour(of: sight.safety)), ("role", "Team Member")])
        if let battery = position.battery { detail.add("status", [("battery", "\(Int(battery.rounded()))")]) }
        if position.speed != nil || position.heading != nil {
            detail.add("track", [("speed", "\(position.speed ?? 0)"), ("course", "\(position.heading ?? 0)")])
        }
        detail.add("remarks", [], text: Self.words(sight))
        let seen = min(position.sampleTime, now)
        return CoTMessage(
            uid: uid(user), type: "a-f-G-U-C", time: now, start: seen,
            // From then on nobody counts as seen there, so no client must show it as if it were so.
            stale: seen.advanced(bySeconds: sight.silenceSeconds), at: position.coordinate,
            height: position.altitude?.value, error: position.accuracy?.value, detail: detail)
    }

    private func call(of user: UserNumber, _ sight: Sight, at now: Instant) -> CoTMessage {
        emergency(
            "b-a-o-tbl", of: user, sight, [("type", "911 Alert")], at: now,
            until: now.advanced(bySeconds: TAKLimits.callHoldsSeconds))
    }

    private func end(ofCallBy user: UserNumber, _ sight: Sight, at now: Instant) -> CoTMessage {
        emergency(
            "b-a-o-can", of: user, sight, [("cancel", "true")], at: now,
            until: now.advanced(bySeconds: TAKLimits.beatSeconds))
    }

    private func emergency(
        _ type: String, of user: UserNumber, _ sight: Sight, _ attributes: [(String, String)], at now: Instant,
        until stale: Instant
    ) -> CoTMessage {
        var detail = XMLElements()
        detail.add("link", [("uid", uid(user)), ("type", "a-f-G-U-C"), ("relation", "p-p")])
        detail.add("contact", [("callsign", "\(sight.name)-Alert")])
        detail.add("emergency", attributes, text: sight.name)
        detail.add("remarks", [], text: Self.words(sight))
        return CoTMessage(
            uid: callUID(user), type: type, time: now, start: min(sight.safety.since, now), stale: stale,
            at: sight.position?.coordinate, height: sight.position?.altitude?.value,
            error: sight.position?.accuracy?.value, detail: detail)
    }

    /// The colour of a team in TAK for each state.
    private static func colour(of safety: Safety) -> String {
        switch safety.state {
        case .safe: safety.doubt == nil ? "Green" : "Yellow"
        case .unsafe: "Orange"
        case .needsHelp: "Magenta"
        case .sos: "Red"
        case .offSite: "White"
        case .unknown: "Purple"
        }
    }

    /// The state in words, because no colour says it alone, and since when it holds.
    private static func words(_ sight: Sight) -> String {
        let safety = sight.safety
        let state =
            switch safety.state {
            case .safe where safety.doubt != nil: "Checking: safe with a doubt"
            case .safe: sight.place.map { "Safe at \($0)" } ?? "Safe"
            case .unsafe: "Not safe"
            case .needsHelp: "Needs help"
            case .sos: "SOS"
            case .offSite: "Off site"
            case .unknown: "Unknown"
            }
        let heard = safety.state.isCall && safety.acknowledgedBy != nil ? ", heard" : ""
        return "\(state) since \(safety.since.rfc3339)\(heard)"
    }

    // MARK: The protocol itself

    /// The event that offers TAK's protocol 1.
    func versions(at now: Instant) -> CoTMessage {
        control("t-x-takp-v", at: now) { $0.add("TakProtocolSupport", [("version", "1")]) }
    }

    /// The event that answers a request for a version.
    func answer(isGranted: Bool, at now: Instant) -> CoTMessage {
        control("t-x-takp-r", at: now) { $0.add("TakResponse", [("status", isGranted ? "true" : "false")]) }
    }

    private func control(_ type: String, at now: Instant, _ add: (inout XMLElements) -> Void) -> CoTMessage {
        var detail = XMLElements()
        detail.begin("TakControl", [])
        add(&detail)
        detail.end("TakControl")
        return CoTMessage(
            uid: "\(mark)-protocol", type: type, time: now,
            stale: now.advanced(bySeconds: TAKLimits.beatSeconds), detail: detail)
    }

    /// The answer to an event by which a client asks whether the server is there.
    func pong(at now: Instant) -> CoTMessage {
        CoTMessage(
            uid: "\(mark)-pong", type: "t-x-c-t-r", time: now, stale: now.advanced(bySeconds: TAKLimits.beatSeconds))
    }

    private func removal(of uid: String, at now: Instant) -> CoTMessage {
        var detail = XMLElements()
        detail.add("link", [("uid", uid), ("relation", "p-p"), ("type", "a-f-G-U-C")])
        detail.add("__forcedelete", [])
        return CoTMessage(
            uid: uid, type: "t-x-d-d", time: now, stale: now.advanced(bySeconds: TAKLimits.beatSeconds), detail: detail)
    }

    // MARK: Regions

    /// The collections whose regions a reader gets.
    func collections(for access: Access) -> Set<CollectionNumber> {
        guard access.mayReadRegions, let tracker = access.ownTracker.flatMap({ access.directory.trackers[$0] }) else {
            return []
        }
        return Set(tracker.collections)
    }

    /// The regions that a reader gets: those of the team's collections that have a place.
    func regions(for access: Access) -> [RegionNumber] {
        let regions = collections(for: access).sorted().lazy.flatMap { access.directory.regions(in: $0) }
        return Array(regions.prefix(TAKLimits.regions))
    }

    /// Returns the drawings of a region; none where the reader does not get it.
    func drawing(of number: RegionNumber, for access: Access, at now: Instant) -> [CoTMessage] {
        let directory = access.directory
        guard access.mayReadRegions, let region = directory.regions[number], let shape = region.shape,
            let tracker = access.ownTracker.flatMap({ directory.trackers[$0] }),
            tracker.collections.contains(region.collection)
        else { return [] }
        let isMuster = directory.isMuster(region)
        switch shape {
        case .circle(let circle): return [drawing(of: circle, region, isMuster, at: now)]
        case .polygon(let polygon): return [drawing(of: polygon, 0, region, isMuster, at: now)]
        case .multiPolygon(let polygons):
            return polygons.prefix(TAKLimits.parts).enumerated().map { index, polygon in
                drawing(of: polygon, index, region, isMuster, at: now)
            }
        }
    }

    /// Returns the events that remove some drawings of a region.
    func removals(of number: RegionNumber, from first: Int, to end: Int, at now: Instant) -> [CoTMessage] {
        (first..<max(first, end)).map { removal(of: uid(number, $0), at: now) }
    }

    private func uid(_ region: RegionNumber, _ part: Int) -> String { "\(mark)-r\(region.rawValue)-\(part)" }

    private func drawing(of circle: Circle, _ region: Region, _ isMuster: Bool, at now: Instant) -> CoTMessage {
        var detail = XMLElements()
        detail.begin("shape", [])
        let radius = "\(circle.radius.value)"
        detail.add("ellipse", [("major", radius), ("minor", radius), ("angle", "360")])
        detail.end("shape")
        addLook(of: region, isMuster, isSimplified: false, to: &detail)
        return drawing("u-d-c-c", uid(region.number, 0), circle.centre, detail, at: now)
    }

    private func drawing(
        of polygon: Polygon, _ part: Int, _ region: Region, _ isMuster: Bool, at now: Instant
    ) -> CoTMessage {
        var corners = Array(polygon.exterior.dropLast())
        let step = (corners.count + TAKLimits.corners - 1) / TAKLimits.corners
        if step > 1 { corners = stride(from: 0, to: corners.count, by: step).map { corners[$0] } }
        var detail = XMLElements()
        for corner in corners + corners.prefix(1) {
            detail.add("link", [("point", "\(corner.latitude),\(corner.longitude)")])
        }
        addLook(of: region, isMuster, isSimplified: step > 1 || !polygon.holes.isEmpty, to: &detail)
        return drawing("u-d-f", uid(region.number, part), corners.first ?? polygon.exterior[0], detail, at: now)
    }

    private func drawing(
        _ type: String, _ uid: String, _ place: Coordinate, _ detail: XMLElements, at now: Instant
    ) -> CoTMessage {
        var message = CoTMessage(
            uid: uid, type: type, time: now, stale: now.advanced(bySeconds: TAKLimits.regionHoldsSeconds), at: place,
            detail: detail)
        message.how = "h-e"
        return message
    }

    private func addLook(of region: Region, _ isMuster: Bool, isSimplified: Bool, to detail: inout XMLElements) {
        detail.add("contact", [("callsign", region.name)])
        // ARGB as signed numbers: green where people are safe, white elsewhere.
        detail.add("strokeColor", [("value", isMuster ? "-16711936" : "-1")])
        detail.add("strokeWeight", [("value", "3.0")])
        detail.add("fillColor", [("value", isMuster ? "855703296" : "872415231")])
        detail.add("labels_on", [("value", "true")])
        let words =
            (isMuster ? "People are safe here" : "Region") + (isSimplified ? "; drawn more simply than it is" : "")
        detail.add("remarks", [], text: words)
    }
}

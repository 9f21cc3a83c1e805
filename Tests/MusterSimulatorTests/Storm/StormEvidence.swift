import MusterCore
import MusterGeometry
import MusterSimulator

/// What was sent and said in a storm, and what follows from it for one who would judge by hand.
struct StormEvidence {
    /// A fix that was newer than all of its device before.
    struct Fix {
        /// When it was truly taken.
        var at: Instant
        var coordinate: Coordinate
        var accuracyMetres: Double

        /// Whether it tells well where the device was.
        var isAccurate: Bool { accuracyMetres <= 60 }
    }

    private struct Word {
        var declaration: Declaration
        /// The incidents on whose rolls its subject stood when it was heard.
        var incidents: Set<IncidentNumber>
        /// Whether an incident ended it, or began after it.
        var isOver = false
    }

    private let storm: Storm
    private var fixes: [DeviceNumber: [Fix]] = [:]
    private var words: [UserNumber: [Word]] = [:]
    /// The newest line about those of whom no declaration can speak.
    private(set) var marks: [IncidentNumber: [UserNumber: IncidentEntry]] = [:]

    /// As late as time alone may be followed.
    private static let sweepSlack = Storm.sweepSeconds + 0.5
    /// As far as the time of a fix may be off when a wrong clock is corrected.
    private static let clockSlack: Double = 75

    init(_ storm: Storm) { self.storm = storm }

    mutating func hear(
        _ step: StormStep, in directory: Directory, now: Instant, during rolls: [IncidentNumber: Set<UserNumber>]
    ) {
        switch step {
        case .report(let observations):
            for case .position(let position, let sender) in observations { hear(position, of: sender, in: directory) }
        case .say(let declaration):
            guard directory.users[declaration.subject] != nil, directory.users[declaration.author] != nil else {
                return
            }
            let incidents = rolls.filter { $0.value.contains(declaration.subject) }.keys
            words[declaration.subject, default: []].append(
                Word(declaration: declaration, incidents: Set(incidents)))
        case .edit(let order):
            for case .removeUser(let user) in order.edits(in: directory) { words[user] = nil }
        default: break
        }
    }

    private mutating func hear(_ position: Position, of sender: DeviceNumber, in directory: Directory) {
        guard let device = StormServer.device(sender, in: directory) else { return }
        let taken = position.sampleTime.advanced(bySeconds: -(storm.clockErrors[sender] ?? 0))
        if let last = fixes[device]?.last, taken <= last.at { return }
        fixes[device, default: []].append(
            Fix(at: taken, coordinate: position.coordinate, accuracyMetres: position.accuracy?.value ?? 50))
    }

    /// What was declared safe before somebody was put on a roll tells nothing of now.
    mutating func enrol(_ person: UserNumber, in incident: IncidentNumber) {
        for index in (words[person] ?? []).indices
        where words[person]?[index].declaration.kind == .safe
            && words[person]?[index].incidents.contains(incident) == false
        {
            words[person]?[index].isOver = true
        }
    }

    /// What was declared safe in an incident ends with it, unless it was said in another as well.
    mutating func end(_ incident: IncidentNumber) {
        for person in words.keys {
            for index in (words[person] ?? []).indices where words[person]?[index].incidents == [incident] {
                if words[person]?[index].declaration.kind == .safe { words[person]?[index].isOver = true }
            }
        }
    }

    mutating func mark(_ line: IncidentEntry) { marks[line.incident, default: [:]][line.person] = line }

    func isMarked(_ person: UserNumber, in incident: IncidentNumber) -> Bool { marks[incident]?[person] != nil }
}

/// Judging.
extension StormEvidence {
    /// Whether a device told where it is lately.
    func isLocated(_ device: DeviceNumber, within seconds: Double, now: Instant) -> Bool {
        guard let last = fixes[device]?.last else { return false }
        let slack = storm.clockErrors[device] == nil ? 0 : Self.clockSlack
        return now.seconds(since: last.at) <= seconds + slack
    }

    /// Whether a device with a right clock told where it is lately: until a wrong clock is known, a fix counts as old.
    func isSurelyLocated(_ device: DeviceNumber, within seconds: Double, now: Instant) -> Bool {
        storm.clockErrors[device] == nil && isLocated(device, within: seconds - 1, now: now)
    }

    /// What speaks against that somebody is inside of a muster region; nil: nothing.
    ///
    /// - Parameter isNew: whether they were not told to be so before.
    func faultOfPlace(
        of user: UserNumber, _ safety: Safety, isNew: Bool, _ directory: Directory, now: Instant
    ) -> String? {
        guard let team = directory.users[user]?.team.flatMap({ directory.teams[$0] }),
            let tracker = directory.trackers[team.tracker]
        else { return "no team" }
        guard let region = safety.region.flatMap({ directory.regions[$0] }) else { return "the region is gone" }
        guard directory.isMuster(region) else { return "it is no muster region" }
        guard tracker.collections.contains(region.collection) else { return "the region is not linked" }
        let limit = team.silenceSeconds + Self.sweepSlack
        let speaking = directory.devices(of: user).filter { isLocated($0, within: limit, now: now) }
        guard !speaking.isEmpty else { return "no device told where it is within the limit" }
        let musterRegions = directory.regions.all.filter {
            directory.isMuster($0) && tracker.collections.contains($0.collection)
        }
        guard speaking.contains(where: { wasLately($0, near: region, now: now) }) else {
            return "no fix of late was near the region"
        }
        let outside = speaking.first { device in
            isSurelyLocated(device, within: team.silenceSeconds, now: now)
                && isSteadilyOutside(device, of: musterRegions)
        }
        if let outside { return "device \(outside) has been outside for long" }
        if isNew, safety.doubt == nil, !speaking.contains(where: { wasBorneOut($0, region, at: safety.since) }) {
            return "a single fix made them safe"
        }
        return nil
    }

    private func isNear(_ fix: Fix, _ region: Region, besides metres: Double = 0) -> Bool {
        region.distanceInside(from: fix.coordinate) > -(2 * fix.accuracyMetres + 30 + metres)
    }

    private func wasLately(_ device: DeviceNumber, near region: Region, now: Instant) -> Bool {
        (fixes[device] ?? []).reversed().prefix { now.seconds(since: $0.at) <= 900 }
            .contains { $0.isAccurate && isNear($0, region) }
    }

    /// Whether more than one fix of the five minutes up to a moment was near a region, where more than one came within
    /// a minute: a fix that ends a lie bears out those before the lie.
    private func wasBorneOut(_ device: DeviceNumber, _ region: Region, at moment: Instant) -> Bool {
        let slack = storm.clockErrors[device] == nil ? 1 : Self.clockSlack
        let known = (fixes[device] ?? []).reversed().drop { $0.at.seconds(since: moment) > slack }
        guard let newest = known.first?.at else { return false }
        let last = known.lazy.filter(\.isAccurate).prefix { newest.seconds(since: $0.at) <= 300 }
        let needed = min(2, last.count { newest.seconds(since: $0.at) <= 60 })
        // They may have walked, or run, since an earlier one.
        return last.count { isNear($0, region, besides: 4 * newest.seconds(since: $0.at)) } >= needed
    }

    /// Whether all fixes of four minutes, and enough of them, were well outside of all these regions.
    private func isSteadilyOutside(_ device: DeviceNumber, of regions: [Region]) -> Bool {
        guard let newest = fixes[device]?.last?.at else { return false }
        let last = Array((fixes[device] ?? []).reversed().prefix { newest.seconds(since: $0.at) <= 270 })
        guard last.count >= 8, let first = last.last?.at, newest.seconds(since: first) >= 220,
            last.allSatisfy(\.isAccurate)
        else { return false }
        return last.allSatisfy { fix in
            regions.allSatisfy { region in
                region.distanceInside(from: fix.coordinate) < -(3 * fix.accuracyMetres + 40)
            }
        }
    }

    /// What speaks against that somebody said that they are safe, or off site; nil: nothing.
    func faultOfWord(for user: UserNumber, _ safety: Safety, _ directory: Directory, now: Instant) -> String? {
        let team = directory.users[user]?.team.flatMap { directory.teams[$0] }
        let holds = team?.incidents.declaredHoldsSeconds ?? IncidentSettings.usualDeclaredHoldsSeconds
        let silence = team?.silenceSeconds ?? Team.defaultSilenceSeconds
        let all = words[user] ?? []
        let isMeant: Declaration.Kind = safety.state == .safe ? .safe : .offSite
        let standing = all.indices.contains { index in
            let word = all[index]
            guard word.declaration.kind == isMeant, !word.isOver, isBy(word.declaration, safety.source) else {
                return false
            }
            let isAsked = isMeant == .offSite || !word.incidents.isEmpty
            guard
                now.seconds(since: word.declaration.moment) <= (isAsked ? holds : min(holds, silence)) + Self.sweepSlack
            else { return false }
            // Nothing else was said since, as far as it came in time.
            return !all[(index + 1)...].contains { later in
                switch later.declaration.kind {
                case .clear, .needsHelp, .sos: later.declaration.moment >= word.declaration.moment
                case .safe, .offSite, .acknowledge: false
                }
            }
        }
        return standing ? nil : "no such word stands"
    }

    private func isBy(_ declaration: Declaration, _ source: Safety.Source) -> Bool {
        switch source {
        case .ownDeclaration: declaration.author == declaration.subject
        case .marked(let author): declaration.author == author && author != declaration.subject
        default: false
        }
    }

    /// What speaks against that a leader marked somebody as accounted for; nil: nothing.
    func faultOfMark(on person: UserNumber, in incident: Incident, _ directory: Directory, now: Instant) -> String? {
        guard let line = marks[incident.number]?[person] else { return "there is none" }
        guard line.author != nil else { return "nobody made it" }
        guard line.at >= incident.startedAt else { return "it is older than the incident" }
        let holds = directory.teams[incident.team]?.incidents.declaredHoldsSeconds ?? 0
        return now.seconds(since: line.at) <= holds + Self.sweepSlack ? nil : "it is too old"
    }
}

extension Region {
    /// How far inside a place is, metres; every region of a storm has a place.
    fileprivate func distanceInside(from place: Coordinate) -> Double {
        shape?.signedDistanceToBoundary(from: place).value ?? -.infinity
    }
}

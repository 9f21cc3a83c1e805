import MusterCore
import MusterGeometry

/// The actions of people in a storm: incidents, declarations, edits and deletions.
struct StormOrders: Sendable {
    private let site: StormSite
    private var declarations = 0

    init(_ site: StormSite, _ chance: inout SeededRandom) { self.site = site }

    mutating func moments(_ chance: inout SeededRandom) -> [StormMoment] {
        incidents(&chance) + words(&chance) + edits(&chance) + timers(&chance)
    }

    /// The check-in timers of two people who work alone, and their check-ins, of which some come late or too late.
    private func timers(_ chance: inout SeededRandom) -> [StormMoment] {
        var moments: [StormMoment] = []
        for user in [Storm.users[2], Storm.users[5]] {
            var second = chance.uniform(20, 300)
            func timer(_ chance: inout SeededRandom) -> StormTimer {
                StormTimer(
                    user: user, intervalSeconds: chance.uniform(60, 200), leaderAfterSeconds: chance.uniform(0, 40),
                    sosAfterSeconds: chance.uniform(0, 60), opensIncident: chance.chance(0.3))
            }
            moments.append(moment(second, .startTimer(timer(&chance))))
            while true {
                second += chance.exponential(mean: 110)
                guard second < Storm.durationSeconds else { break }
                let late = chance.chance(0.3) ? chance.uniform(0, 200) : 0
                let said = Storm.start.advanced(bySeconds: max(0, second - late).rounded(.down))
                let step: StormStep =
                    switch chance.next() % 12 {
                    case 0: .endTimer(user)
                    case 1, 2: .startTimer(timer(&chance))
                    default: .checkIn(user, at: said)
                    }
                moments.append(moment(second, step))
            }
        }
        return moments
    }

    private func moment(_ seconds: Double, _ step: StormStep) -> StormMoment {
        StormMoment(at: Storm.start.advanced(bySeconds: seconds.rounded(.down) + 0.5), step: step)
    }

    private func incidents(_ chance: inout SeededRandom) -> [StormMoment] {
        var moments: [StormMoment] = []
        for (team, _) in Storm.teams {
            var second = chance.uniform(150, 500)
            moments.append(moment(second, .start(team, chance.chance(0.7) ? .drill : .real)))
            while true {
                second += chance.exponential(mean: 130)
                guard second < Storm.durationSeconds else { break }
                let step: StormStep =
                    switch chance.next() % 10 {
                    case 0: .close(team)
                    case 1, 2: .reopen(team)
                    case 3: .start(team, .real)
                    case 4: .start(team, .drill)
                    case 5: .addVisitor(team, chance.chance(0.5) ? .safe : .unknown)
                    case 6, 7:
                        .mark(
                            team, place: Int(chance.uniform(0, 8)),
                            chance.pick([.safe, .safe, .offSite, .needsHelp, .unknown]) ?? .safe)
                    default: .takeOff(team, place: Int(chance.uniform(0, 8)))
                    }
                moments.append(moment(second, step))
            }
        }
        return moments
    }

    private mutating func words(_ chance: inout SeededRandom) -> [StormMoment] {
        var moments: [StormMoment] = []
        var second = 0.0
        while true {
            second += chance.exponential(mean: 35)
            guard second < Storm.durationSeconds, let subject = chance.pick(Storm.users) else { return moments }
            let leader = subject.rawValue < 5 ? Storm.teams[0].leader : Storm.teams[1].leader
            let kinds: [Declaration.Kind] = [
                .safe, .safe, .safe, .offSite, .needsHelp, .sos, .clear, .clear, .acknowledge,
            ]
            // Some declarations come late, from phones that had no network.
            let late = chance.chance(0.2) ? chance.uniform(5, 600) : 0
            let said = Storm.start.advanced(bySeconds: second.rounded(.down))
            let now = said.advanced(bySeconds: late.rounded(.down) + 0.25)
            declarations += 1
            let declaration = Declaration(
                id: "d\(declarations)", subject: subject, author: chance.chance(0.5) ? subject : leader,
                kind: chance.pick(kinds) ?? .safe, sampleTime: said, receivedTime: now)
            if now.seconds(since: Storm.start) < Storm.durationSeconds {
                moments.append(StormMoment(at: now, step: .say(declaration)))
            }
        }
    }

    private func edits(_ chance: inout SeededRandom) -> [StormMoment] {
        var moments: [StormMoment] = []
        var second = 60.0
        var fresh: Int32 = 10
        while true {
            second += chance.exponential(mean: 45)
            guard second < Storm.durationSeconds else { return moments }
            // A sweep first reports what follows from time alone, so that a server that has just started reports
            // nothing sooner than one that has been running.
            moments.append(moment(second, .sweep))
            moments.append(moment(second, step(&fresh, second, &chance)))
        }
    }

    private func step(_ fresh: inout Int32, _ second: Double, _ chance: inout SeededRandom) -> StormStep {
        let region = RegionNumber(1 + Int32(chance.next() % 4))
        let collection = CollectionNumber([1, 1, 2, 3][Int(region.rawValue) - 1 == 2 ? 2 : Int(chance.next() % 4)])
        let homes: [Int32: Int32] = [1: 1, 2: 2, 3: 2, 4: 3]
        let home = CollectionNumber(homes[region.rawValue] ?? 1)
        let tracker = TrackerNumber(1 + Int32(chance.next() % 2))
        let muster = chance.pick(site.musterPlaces) ?? site.plane.origin
        let all = (1...3).map { CollectionNumber(Int32($0)) }
        switch chance.next() % 22 {
        case 0...4:
            let off = chance.chance(0.4) ? 8 : chance.uniform(40, 400)
            return .edit(
                .put(region, home, site.shape(around: muster, off: off, &chance), isMuster: region.rawValue != 3))
        case 5: return .edit(.setMuster(region, false))
        case 6...7: return .edit(.setMuster(region, true))
        case 8: return .edit(.removeRegion(region))
        case 9:
            fresh += 1
            return .edit(
                .put(RegionNumber(fresh), collection, site.shape(around: muster, off: 5, &chance), isMuster: true))
        case 10: return .edit(.setMusterByRule(chance.chance(0.5) ? [region, RegionNumber(3)] : []))
        case 11...12: return .edit(.setPolicy(collection, chance.chance(0.5) ? .raw : .confident))
        case 13: return .edit(.link(tracker, all.filter { _ in chance.chance(0.5) }))
        case 14...15: return .edit(.link(tracker, all))
        case 16: return .edit(.setFilter(tracker, chance.pick(PositionFilter.allCases) ?? .none))
        case 17: return .eraseHistory(DeviceNumber(1 + Int32(chance.next() % 7)))
        default: return .edit(rareEdit(second, &chance))
        }
    }

    private func rareEdit(_ second: Double, _ chance: inout SeededRandom) -> StormEdit {
        let user = chance.pick(Storm.users) ?? UserNumber(1)
        let device = DeviceNumber(1 + Int32(chance.next() % 7))
        switch chance.next() % 8 {
        case 0: return .setTracker(TeamNumber(1), TrackerNumber(1 + Int32(chance.next() % 2)))
        case 1...3: return .move(user, chance.pick([nil, TeamNumber(1), TeamNumber(1), TeamNumber(2)]) ?? nil)
        case 4: return .hand(Storm.tablet, to: user)
        case 5: return .removeDevice(device)
        // Late, because a removed user stays removed.
        case 6 where second > 1000: return .removeUser(user)
        case 7 where second > 1500: return .removeCollection(CollectionNumber(3))
        default: return .move(user, user.rawValue < 5 ? TeamNumber(1) : TeamNumber(2))
        }
    }
}

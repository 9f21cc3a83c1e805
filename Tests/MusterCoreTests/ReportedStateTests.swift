import MusterCore
import MusterGeometry
import MusterTestSupport
import Testing

/// What the log tells of safety, presences and beliefs never contradicts itself, whatever people and editors do.
@Suite struct ReportedStateTests {
    @Test(arguments: SoakSeeds.list(1))
    func `safety, presences and beliefs are consistent`(seed: UInt64) {
        var chance = Chance(seed: seed)
        var town = Town(&chance)
        for step in 1...1500 {
            town.step(&chance)
            let faults = town.faults
            #expect(faults == [], "seed \(seed), step \(step)")
            if !faults.isEmpty { return }
        }
        #expect(town.safetyCount > 30, "\(town.safetyCount)")
    }
}

/// Six people, the first with a phone and a watch; a raw and a confident collection of regions that are moved about.
private struct Town {
    private var world: World
    private var seconds = 0.0
    private var read = 0
    private var places: [(latitude: Double, longitude: Double)] = []
    private var trackers: [Int32: PositionFilter] = [1: .none, 2: .distanceBased]
    /// As it was told.
    private var inside: [DeviceNumber: Set<RegionNumber>] = [:]
    private var isChecking: [DeviceNumber: Bool] = [:]
    private var safety: [UserNumber: Safety] = [:]
    private(set) var faults: [String] = []
    private(set) var safetyCount = 0
    private var lastEdit = "none"

    static let collections = [World.collection, CollectionNumber(2)]

    init(_ chance: inout Chance) {
        world = World(silenceSeconds: 600, policy: .raw)
        world.edit(.putCollection(RegionCollection(number: Self.collections[1], name: "c", policy: .confident)))
        for number in trackers.keys.sorted() { link(number, Self.collections) }
        world.edit(
            .putTeam(
                Team(number: World.otherTeam, name: "other", tracker: World.otherTracker, silenceSeconds: 600)))
        for number in 1...6 as ClosedRange<Int32> { join(number, number % 2 == 0 ? World.otherTeam : World.team) }
        for device in 1...7 as ClosedRange<Int32> {
            let user = UserNumber(device == 7 ? 1 : device)
            world.edit(.putDevice(Device(number: DeviceNumber(device), name: "d\(device)", user: user)))
            places.append((45 + chance.number(-0.003...0.003), 14 + chance.number(-0.003...0.003)))
        }
        for region in 1...6 as ClosedRange<Int32> { draw(region, &chance) }
        catchUp()
    }

    mutating func step(_ chance: inout Chance) {
        seconds += 5
        world.now = max(world.now, seconds)
        for index in places.indices where chance.happens(0.8) {
            if chance.happens(0.01) {
                places[index] = (45 + chance.number(-0.003...0.003), 14 + chance.number(-0.003...0.003))
            } else if chance.happens(0.5) {
                places[index].latitude += chance.number(-0.0001...0.0001)
                places[index].longitude += chance.number(-0.0001...0.0001)
            }
            let accuracy = chance.pick([5, 5, 5, 12, 40, 300, nil] as [Metres?])
            world.report(
                places[index].latitude, places[index].longitude, at: seconds, accuracy: accuracy,
                speed: chance.pick([nil, 0, 1.4]), by: DeviceNumber(Int32(index + 1)))
            catchUp()
        }
        if chance.happens(0.01) { seconds += chance.number(100...900) }
        if chance.happens(0.2) {
            world.sweep(at: seconds)
            catchUp()
        }
        if chance.happens(0.1) {
            edit(&chance)
            catchUp()
        }
    }

    private mutating func edit(_ chance: inout Chance) {
        let region = Int32(chance.number(1...6.99))
        let kind = Int(chance.number(0...6.99))
        lastEdit = "\(kind) of \(region) at \(seconds)"
        switch kind {
        case 0, 1: draw(region, &chance)
        case 2: world.edit(.removeRegion(RegionNumber(region), from: Self.collections[Int(region % 2)]))
        case 3:
            world.edit(
                .putCollection(
                    RegionCollection(
                        number: chance.pick(Self.collections), name: "c", policy: chance.pick([.raw, .confident]))))
        case 4:
            let tracker = chance.pick([1, 2] as [Int32])
            trackers[tracker] = chance.pick(PositionFilter.allCases)
            link(tracker, chance.pick([Self.collections, [Self.collections[0]], [Self.collections[1]]]))
        case 5: join(Int32(chance.number(1...6.99)), chance.pick([World.team, World.otherTeam]))
        default: world.setMusterByRule(chance.happens(0.5) ? [RegionNumber(region)] : [])
        }
    }

    private mutating func link(_ tracker: Int32, _ collections: [CollectionNumber]) {
        world.edit(
            .putTracker(
                Tracker(
                    number: TrackerNumber(tracker), name: "t\(tracker)", filter: trackers[tracker] ?? .none,
                    collections: collections)))
    }

    private mutating func join(_ user: Int32, _ team: TeamNumber) {
        world.edit(.putUser(User(number: UserNumber(user), name: "u\(user)", role: .member, team: team)))
    }

    private mutating func draw(_ region: Int32, _ chance: inout Chance) {
        let centre = Coordinate(
            validLatitude: 45 + chance.number(-0.003...0.003), longitude: 14 + chance.number(-0.003...0.003))
        world.edit(
            .putRegion(
                Region(
                    number: RegionNumber(region), collection: Self.collections[Int(region % 2)], id: "r\(region)",
                    name: "", shape: .circle(Circle(centre: centre, radius: Metres(chance.number(40...200)))),
                    isMuster: chance.happens(0.7), exitDelaySeconds: region == 3 ? 20 : 0)))
    }

    /// Reads what the log tells, and compares it at each change of a safety, and when all is told.
    private mutating func catchUp() {
        forgetWhatIsGone()
        for change in world.log[read...] {
            switch change {
            case .presence(let report):
                if report.standing == .inside {
                    inside[report.device, default: []].insert(report.region)
                } else {
                    inside[report.device, default: []].remove(report.region)
                }
            case .belief(let belief, let device): isChecking[device] = belief.checking != nil
            case .safety(let safety, let user):
                self.safety[user] = safety
                safetyCount += 1
            default: break
            }
        }
        read = world.log.count
        for user in world.directory.users.all { compare(user) }
        for device in world.directory.devices.all { compare(device) }
    }

    /// Regions that are removed, not linked any more, or whose standings are not told, end without a report.
    private mutating func forgetWhatIsGone() {
        for device in world.directory.devices.all {
            let shown = shown(to: device)
            inside[device.number]?.formIntersection(shown)
        }
    }

    private func shown(to device: Device) -> Set<RegionNumber> {
        let linked = world.directory.tracker(of: device)?.collections ?? []
        return Set(
            world.directory.regions.all.filter { region in
                guard linked.contains(region.collection) else { return false }
                return world.directory.isMuster(region)
                    || world.directory.collections[region.collection]?.policy == .confident
            }.map(\.number))
    }

    private mutating func compare(_ user: User) {
        guard let safety = safety[user.number] else { return }
        let devices = world.directory.devices(of: user.number)
        let fresh = devices.filter { device in
            world.engine.evaluatedTime(of: device).map { World.time(world.now).seconds(since: $0) <= 600 } ?? false
        }
        let muster = Set(world.directory.regions.all.filter { world.directory.isMuster($0) }.map(\.number))
        if safety != world.engine.safety(of: user.number) { fault("\(user.name) is not as told") }
        switch safety.state {
        case .safe:
            guard let region = safety.region else { return fault("\(user.name) is safe nowhere") }
            if !devices.contains(where: { inside[$0]?.contains(region) == true }) {
                fault("\(user.name) is safe by \(region.rawValue), and no device is inside")
            }
        case .unsafe:
            if !fresh.isEmpty, fresh.allSatisfy({ !(inside[$0] ?? []).isDisjoint(with: muster) }) {
                fault("\(user.name) is not safe, with every device inside")
            }
        default: break
        }
    }

    private mutating func compare(_ device: Device) {
        let believed = Set(
            world.engine.shownStandings(of: device.number).filter { $0.standing == .inside }.map(\.region)
        ).intersection(shown(to: device))
        let told = inside[device.number] ?? []
        if believed != told {
            fault("\(device.name) was told in \(numbers(told)), and is in \(numbers(believed)), after \(lastEdit)")
        }
        let linked = world.directory.tracker(of: device)?.collections ?? []
        // A raw collection without a muster region follows nobody.
        guard !shown(to: device).isEmpty, !linked.isEmpty else { return }
        let checking = world.engine.belief(of: device.number)?.checking != nil
        if checking != isChecking[device.number] ?? false { fault("\(device.name) is checked otherwise than told") }
    }

    private func numbers(_ regions: Set<RegionNumber>) -> [Int32] { regions.map(\.rawValue).sorted() }

    private mutating func fault(_ text: String) { faults.append(text) }
}

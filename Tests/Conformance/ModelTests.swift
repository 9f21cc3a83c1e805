import MusterCore
import MusterStore
import MusterTestSupport
import Testing

/// Any sequence of operations leaves the store on disk with what the store in memory has, through crashes at every
/// point between two commits.
@Suite struct ModelTests {
    @Test(arguments: [StoreKind.sqlite, .sqliteWithSmallStage], SoakSeeds.first(2, of: [1, 2, 3, 4, 5, 6]))
    func `a store on disk does what a store in memory does`(kind: StoreKind, seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let bench = try Bench(kind)
        let model = MemoryStore()
        var clock = 0.0
        // A number is never used again after its device was removed.
        var devices: [Int32] = Array(1...6)
        var newest: Int32 = 6
        for step in 0..<150 {
            clock += 10
            switch Int.random(in: 0..<14, using: &generator) {
            case 0: _ = try bench.store.settle(limit: .random(in: 1...40, using: &generator))
            case 1: try bench.crash()
            case 2: try bench.reopen()
            case 3 where step % 3 == 0:
                let horizon = Instant.test(clock - .random(in: 0...1500, using: &generator))
                for store in [bench.store, model] { while try store.forget(before: horizon, limit: 50) > 0 {} }
            default:
                let script = Script(&generator, clock: clock, devices: devices)
                let outcomes = try [bench.store, model].map { store in
                    do {
                        return try store.write(at: .test(clock)) { try script.play(in: $0) }
                    } catch is Script.Refusal { return ["refused"] }
                }
                #expect(outcomes[0] == outcomes[1], "seed \(seed), step \(step)")
                for index in devices.indices where script.removes(devices[index]) && outcomes[0] != ["refused"] {
                    newest += 1
                    devices[index] = newest
                }
            }
            if step % 5 == 4 { try compare(bench.store, model, devices: newest, "seed \(seed), step \(step)") }
        }
        #expect(try bench.store.check() == [])
    }

    private func compare(_ store: any Store, _ model: any Store, devices: Int32, _ place: Comment) throws {
        #expect(store.lastSequence == model.lastSequence, place)
        for device in 1...devices {
            #expect(try store.history(of: device) == model.history(of: device), place)
            #expect(try store.sightings(of: device) == model.sightings(of: device), place)
            #expect(try store.notes(of: device) == model.notes(of: device), place)
        }
        #expect(try tail(store) == tail(model), place)
        #expect(try store.latestPositions().map(\.position) == model.latestPositions().map(\.position), place)
        #expect(try store.latestPositions().map(\.device) == model.latestPositions().map(\.device), place)
        let end = Instant(milliseconds: .max)
        #expect(
            try store.latestSightings(before: end).map(\.sampleTime)
                == model.latestSightings(before: end).map(\.sampleTime), place)
        #expect(try store.presences().map(\.presences) == model.presences().map(\.presences), place)
        #expect(try store.safety().map(\.safety) == model.safety().map(\.safety), place)
        #expect(try store.directory() == model.directory(), place)
        #expect(try store.regions() == model.regions(), place)
        for kind in Credential.Kind.allCases {
            #expect(try store.credentials(kind) == model.credentials(kind), place)
        }
    }

    /// The log from its oldest change that is kept.
    private func tail(_ store: any Store) throws -> [LoggedChange] {
        do {
            return try store.log()
        } catch StoreError.trimmed(let oldest) {
            return try store.log(since: LogSequence(oldest.rawValue - 1))
        }
    }
}

/// What one transaction does, chosen beforehand so that two stores can be told the same.
private struct Script {
    struct Refusal: Error {}
    private enum Step {
        case report(Position, device: Int32, isCurrent: Bool)
        case sighting(Sighting, device: Int32)
        case note(DeviceNote, device: Int32)
        case change(Change)
        case presences([Presence], device: Int32)
        case safety(Safety, user: Int32)
        case putDevice(Device)
        case putRegion(Region)
        case credential(Credential)
        case removeDevice(Int32)
        case removeUser(Int32)
        case removeCollection(Int32)
        case number
        case refuse
    }

    private var steps: [Step] = []

    init(_ generator: inout SeededGenerator, clock: Double, devices: [Int32]) {
        for _ in 0..<Int.random(in: 1...12, using: &generator) {
            let device = devices.randomElement(using: &generator) ?? 1
            steps.append(Self.step(&generator, clock: clock, device: device))
        }
        if Int.random(in: 0..<10, using: &generator) == 0 { steps.append(.refuse) }
    }

    /// Whether it removes this device, or may: with its user.
    func removes(_ device: Int32) -> Bool {
        steps.contains {
            switch $0 {
            case .removeDevice(let removed): removed == device
            case .removeUser: true
            default: false
            }
        }
    }

    private static func step(_ generator: inout SeededGenerator, clock: Double, device: Int32) -> Step {
        let small = Int.random(in: 0...3, using: &generator)
        switch Int.random(in: 0..<70, using: &generator) {
        case 0: return .removeDevice(device)
        case 1: return .removeUser(Int32(small + 1))
        case 2: return .removeCollection(Int32(small))
        case 3, 4: return .number
        case 5...8:
            return .putDevice(Device(number: DeviceNumber(device), name: "d\(small)", user: UserNumber(device % 3 + 1)))
        case 9...12: return .putRegion(.test(Int32.random(in: 1...9, using: &generator), in: Int32(small)))
        case 13...16:
            return .credential(.test(.deviceToken, key: UInt8(small), user: Int32(small), device: device))
        case 17...19:
            return .presences([Presence(region: RegionNumber(1), since: .test(clock))], device: device)
        case 20...22: return .safety(Safety(state: .safe, since: .test(clock)), user: Int32(small + 1))
        case 23...25:
            return .change(
                .crossing(
                    Crossing(
                        kind: .exit, device: DeviceNumber(device), region: RegionNumber(1), sampleTime: .test(clock))))
        case 26...30:
            let late = Double(Int.random(in: 0...3, using: &generator) * 400)
            return .sighting(.test(clock - late, minor: UInt16(small)), device: device)
        case 31...35:
            let kind = DeviceNote.Kind.allCases.randomElement(using: &generator) ?? .card
            return .note(.test(kind, key: "k\(small)", at: clock, body: "{\"n\":\(small)}"), device: device)
        default:
            // Mostly new, sometimes hours late, sometimes a repetition.
            let isCurrent = Int.random(in: 0..<4, using: &generator) > 0
            let late = isCurrent ? 0 : Double(Int.random(in: 0...200, using: &generator) * 40)
            return .report(.test(clock - late, step: small), device: device, isCurrent: isCurrent)
        }
    }

    /// Plays the script; what it sees is told in words.
    func play(in transaction: any StoreTransaction) throws -> [String] {
        var seen: [String] = []
        var removed: Set<Int32> = []
        var isAnyoneRemoved = false
        for step in steps {
            switch step {
            case .report(let position, let device, let isCurrent):
                guard !isAnyoneRemoved, !removed.contains(device) else { continue }
                let isHeld = try transaction.holds(position, of: DeviceNumber(device))
                seen.append("held \(isHeld)")
                if isHeld { continue }
                let number = try transaction.append(
                    .position(position, of: DeviceNumber(device), isCurrent: isCurrent))
                seen.append("\(number.rawValue)")
            case .sighting(let sighting, let device):
                guard !isAnyoneRemoved, !removed.contains(device) else { continue }
                let isHeld = try transaction.holds(sighting, of: DeviceNumber(device))
                seen.append("held \(isHeld)")
                if isHeld { continue }
                let number = try transaction.append(
                    .sighting(sighting, of: DeviceNumber(device), isCurrent: true))
                seen.append("\(number.rawValue)")
            case .note(let note, let device):
                guard !isAnyoneRemoved, !removed.contains(device) else { continue }
                seen.append(try transaction.deviceNote(note.name, of: DeviceNumber(device))?.body ?? "none")
                try transaction.put(note, of: DeviceNumber(device))
                try transaction.append(.note(note.name, of: DeviceNumber(device)))
            case .change(let change): seen.append("\(try transaction.append(change).rawValue)")
            case .presences(let presences, let device):
                try transaction.setPresences(presences, of: DeviceNumber(device))
            case .safety(let safety, let user): try transaction.setSafety(safety, of: UserNumber(user))
            case .putDevice(let device): try transaction.put(device)
            case .putRegion(let region): try transaction.put(region)
            case .credential(let credential):
                let known = try transaction.credential(credential.kind, key: credential.key)
                seen.append("\(known?.device?.rawValue ?? 0)")
                try transaction.put(credential)
            case .removeDevice(let device):
                try transaction.remove(DeviceNumber(device))
                removed.insert(device)
            case .removeUser(let user):
                try transaction.remove(UserNumber(user))
                isAnyoneRemoved = true
            case .removeCollection(let collection): try transaction.remove(CollectionNumber(collection))
            case .number: seen.append("\(try transaction.nextRegionNumber().rawValue)")
            case .refuse: throw Refusal()
            }
        }
        return seen
    }
}

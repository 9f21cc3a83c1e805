import MusterCore
import MusterGeometry
import MusterStore
import Testing

/// How far devices were followed, and how they stand to muster regions of raw collections.
@Suite struct DeviceRecordTests {
    /// A record of a device that walked, was somewhere else for a moment, and whose clock is off.
    private func record(fixes: Int) throws -> DeviceRecord {
        var track = ConfidentTrack()
        for number in 0..<fixes {
            let jump = number == fixes - 1 ? 0.01 : 0
            track.advance(
                ConfidentFix(
                    coordinate: try Coordinate(latitude: 45 + Double(number) * 0.00007 + jump, longitude: 14),
                    sampleTime: .test(Double(number) * 5), accuracyMetres: 7.25, speedMetresPerSecond: 1.4))
        }
        let position = Position(
            coordinate: try Coordinate(latitude: 45, longitude: 14), sampleTime: .test(1), receivedTime: .test(2),
            accuracy: 7.25, battery: 12)
        return DeviceRecord(
            evaluated: .test(3), heard: .test(4), located: position, storedBefore: fixes > 5 ? position : nil,
            track: track, intervalSeconds: 4.9, hasStood: true, isClockKnown: fixes > 5,
            watch: fixes > 5 ? [-7_200_000, 1, -2, 1, 3, 4, .min, .max] : nil,
            seeming: fixes > 5 ? [RegionNumber(7), RegionNumber(9)] : [],
            memory: fixes > 5 ? memory(position) : BeaconMemory(),
            shelterEvidence: fixes > 5 ? .left : .outside)
    }

    /// What was heard of a device in two regions, with every field.
    private func memory(_ position: Position) -> BeaconMemory {
        let tracks = [
            BeaconTrack(
                region: RegionNumber(3), listener: DeviceNumber(1), hits: [-5, 0, 1_700_000_000_000], heard: 7,
                signal: -71.25, arrival: 9),
            BeaconTrack(region: RegionNumber(4), listener: DeviceNumber(2), signal: -60),
        ]
        return BeaconMemory(
            tracks: tracks, listened: .test(8), resumed: .test(7),
            challenger: BeaconMemory.Challenger(region: RegionNumber(4), since: .test(9)), ownFix: position)
    }

    @Test(arguments: StoreKind.allCases)
    func `a record comes back bit by bit with the change that it has followed, and outlives a crash`(
        kind: StoreKind
    ) throws {
        let bench = try Bench(kind)
        let (early, late) = (try record(fixes: 2), try record(fixes: 40))
        #expect(late.track.isChecking && late.track != early.track)
        let device = DeviceNumber(1)
        try bench.store.write(at: .test(0)) { transaction in
            try transaction.append(.note(DeviceNote.Name(.steps), of: device))
            try transaction.setRecord(early, of: device)
        }
        try bench.store.write(at: .test(1)) { transaction in
            try transaction.append(.note(DeviceNote.Name(.steps), of: device))
            try transaction.append(.note(DeviceNote.Name(.steps), of: device))
            try transaction.setRecord(late, of: device)
            try transaction.setRecord(early, of: DeviceNumber(2))
            try transaction.setRecorded(through: LogSequence(2))
        }
        for _ in 0..<2 {
            let records = try bench.store.records()
            #expect(records.map(\.device) == [device, DeviceNumber(2)])
            #expect(records.map(\.record) == [late, early])
            #expect(records.map(\.sequence) == [LogSequence(3), LogSequence(3)])
            #expect(try bench.store.recordedThrough == LogSequence(2))
            try bench.crash()
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `the mark of an unfinished review survives a crash`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        #expect(try !bench.store.isReviewing)
        for isReviewing in [true, false] {
            try bench.store.write(at: .test(0)) { try $0.setReviewing(isReviewing) }
            try bench.crash()
            #expect(try bench.store.isReviewing == isReviewing)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `muster presences and records go with their device, and presences with the last of them`(
        kind: StoreKind
    ) throws {
        let bench = try Bench(kind)
        let presence = Presence(region: RegionNumber(1), since: .test(1), doubt: .checking)
        try bench.store.write(at: .test(0)) { transaction in
            for number: Int32 in 1...2 {
                let device = DeviceNumber(number)
                try transaction.put(Device(number: device, name: "d\(number)", user: UserNumber(1)))
                try transaction.setMusterPresences([presence], of: device)
                try transaction.setRecord(try record(fixes: 2), of: device)
            }
        }
        #expect(try bench.store.musterPresences().map(\.presences) == [[presence], [presence]])
        try bench.store.write(at: .test(1)) { transaction in
            try transaction.remove(DeviceNumber(1))
            try transaction.setMusterPresences([], of: DeviceNumber(2))
        }
        try bench.reopen()
        #expect(try bench.store.musterPresences().isEmpty)
        #expect(try bench.store.records().map(\.device) == [DeviceNumber(2)])
    }

    @Test(arguments: StoreKind.allCases)
    func `a presence is read back with the standing last reported`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        let presences = [
            Presence(region: RegionNumber(1), since: .test(1)),
            Presence(region: RegionNumber(2), since: .test(1), standing: .outside, likelihood: .low, told: .inside),
            Presence(region: RegionNumber(3), since: .test(1), standing: .inside, told: .outside),
            Presence(region: RegionNumber(4), since: .test(1), standing: .outside, leftAt: .test(2)),
        ]
        try bench.store.write(at: .test(0)) { try $0.setPresences(presences, of: DeviceNumber(1)) }
        try bench.reopen()
        #expect(try bench.store.presences().map(\.presences) == [presences])
    }
}

import MusterCore
import Testing

@Suite struct SightingTests {
    @Test(arguments: [
        "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", "e2c56db5-dffb-48d2-b060-d0f5a71096e0",
        "e2c56db5dffb48d2b060d0f5a71096e0",
    ])
    func `a UUID is read in every form that phones write`(text: String) throws {
        let uuid = try #require(BeaconUUID(text))
        #expect(uuid == BeaconUUID(high: 0xE2C5_6DB5_DFFB_48D2, low: 0xB060_D0F5_A710_96E0))
        #expect(uuid.description == "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0")
    }

    @Test(arguments: [
        "", "E2C56DB5", "E2C56DB5-DFFB-48D2-B060-D0F5A71096EG", "E2C56DB5-DFFB-48D2-B060-D0F5A71096E00",
        "E2C5-6DB5DFFB-48D2-B060-D0F5A71096E0", "E2C56DB5DFFB-48D2-B060D0F5A71096E0",
        "-2C56DB5DFFB48D2B060D0F5A71096E0",
    ])
    func `a malformed UUID is refused`(text: String) {
        #expect(BeaconUUID(text) == nil)
    }

    @Test func `beacons are in the order of their bytes`() {
        let beacons = [(0, 0, 9, 9), (0, UInt64.max, 0, 0), (1, 0, 0, 1), (1, 0, 1, 0), (UInt64.max, 0, 0, 0)].map {
            Beacon(uuid: BeaconUUID(high: $0, low: $1), major: $2, minor: $3)
        }
        #expect(beacons.shuffled().sorted() == beacons)
    }

    @Test func `a sighting or a note makes nobody safe and enters nothing`() {
        var world = World()
        world.putSquare(1, at: 45, 9, isMuster: true)
        let beacon = Beacon(uuid: BeaconUUID(high: 1, low: 2), major: 3, minor: 4)
        let sighting = Sighting(of: beacon, sampleTime: World.time(0), receivedTime: World.time(0))
        let note = DeviceNote(DeviceNote.Name(.lastWill), sampleTime: nil, receivedTime: World.time(0), body: "{}")
        var decision = Decision()
        for observation in [Observation.sighting(sighting, of: World.phone), .note(note, of: World.phone)] {
            #expect(world.engine.decide(observation, now: World.time(0), into: &decision) == .accepted)
        }
        var told: [Change] = []
        decision.takeChanges { told.append($0) }
        #expect(
            told == [
                .sighting(sighting, of: World.phone, isCurrent: true),
                // Heard, and not located.
                .safety(
                    Safety(state: .unknown, since: World.time(0), source: .unlocated), of: World.ana),
                .note(note.name, of: World.phone),
            ])
        #expect(decision.devicesToStore.isEmpty)
        world.engine.adopt(&decision)
        #expect(world.engine.safety(of: World.ana).state == .unknown)
    }
}

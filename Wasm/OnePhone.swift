// Replaces, in the WebAssembly module, the parts of the engine that a single phone never uses: sightings, signals,
// other people, incidents and rules. Scripts/wasm leaves out the files of Sources/MusterCore that implement these.
// Without incidents, rules and sightings, they have no effect either. This file is no part of the Swift package.

extension Engine {
    // MARK: Observations that the module never passes to the engine

    func decideSighting(
        _ sighting: Sighting, of device: DeviceNumber, now: Instant, into decision: inout Decision
    ) -> Verdict { preconditionFailure() }

    func decideListening(
        _ listening: Listening, of device: DeviceNumber, now: Instant, into decision: inout Decision
    ) -> Verdict { preconditionFailure() }

    func decideNote(
        _ note: DeviceNote, of device: DeviceNumber, now: Instant, into decision: inout Decision
    ) -> Verdict { preconditionFailure() }

    func decideSignal(_ signal: Signal, of device: DeviceNumber, into decision: inout Decision) -> Verdict {
        preconditionFailure()
    }

    func decideRange(
        _ range: PeerRange, of device: DeviceNumber, now: Instant, into decision: inout Decision
    ) -> Verdict { preconditionFailure() }

    func decideDeclaration(_ declaration: Declaration, now: Instant, into decision: inout Decision) -> Verdict {
        preconditionFailure()
    }

    // MARK: Beacons and ranges

    mutating func forgetBeacons(in region: RegionNumber) {}
    mutating func putTag(_ device: Device) {}
    mutating func putRangeTag(_ device: Device) {}
    mutating func removeRanges(of device: DeviceNumber) {}
    func sweepBeacons(of device: DeviceNumber, now: Instant, into decision: inout Decision) {}
    func endUnheard(_ state: inout DeviceState, of device: DeviceNumber, into decision: inout Decision) {}
    func probability(of track: BeaconTrack, isHeld: Bool) -> Double? { nil }

    // MARK: The team

    mutating func adoptIncidents(_ decision: Decision) {}
    func isOnARoll(_ user: UserNumber) -> Bool { false }
    func follow(_ user: UserNumber, _ person: PersonState, now: Instant, into decision: inout Decision) {}
    func keepRolls(now: Instant, into decision: inout Decision) {}
    func sweepPAR(now: Instant, into decision: inout Decision) {}
    func followAttendance(of user: UserNumber?, now: Instant, into decision: inout Decision) {}
    func sweepAttendance(now: Instant, into decision: inout Decision) {}
    func followProximity(
        of device: DeviceNumber, ownedBy user: UserNumber?, now: Instant, into decision: inout Decision
    ) {}
    func sweepProximity(now: Instant, into decision: inout Decision) {}

    static let pauseAfterDoubtSeconds: Double = 30

    // MARK: Declarations, timers and pauses

    static let reminderSeconds: Double = 60
    func remind(of user: UserNumber, now: Instant, into decision: inout Decision) {}
    func sweepTimer(of user: UserNumber, now: Instant, into decision: inout Decision) {}
    func sweepPause(of user: UserNumber, now: Instant, into decision: inout Decision) {}
}

/// Sightings are written to the log and decide which devices are inside beacon regions. Notes change no presence; most
/// of them show that the device was heard, which ends its owner's silence.
extension Engine {
    /// Restores the newest sample time of each device's sightings from the store.
    public mutating func resume(sightings: [(device: DeviceNumber, sampleTime: Instant)]) {
        for (device, sampleTime) in sightings where devices.indices.contains(Int(device.rawValue)) {
            devices[Int(device.rawValue)].sighted = sampleTime
        }
    }

    /// Whether a sighting may be a repetition. A device sees several beacons at one moment, so a sighting of the newest
    /// moment may be one too.
    func isHistory(_ sighting: Sighting, of device: DeviceNumber, now: Instant, after decision: Decision) -> Bool {
        if Self.isAhead(sighting.sampleTime, of: now) { return true }
        return state(of: device, after: decision).sighted.map { sighting.sampleTime <= $0 } ?? false
    }

    func decideSighting(
        _ sighting: Sighting, of device: DeviceNumber, now: Instant, into decision: inout Decision
    ) -> Verdict {
        var state = state(of: device, after: decision)
        state.recordContact(at: sighting.receivedTime)
        let isLate = state.sighted.map { sighting.sampleTime < $0 } ?? false
        guard !isLate, !Self.isAhead(sighting.sampleTime, of: now) else {
            decision.record(state, of: device)
            decision.scratch.changes.append(.sighting(sighting, of: device, isCurrent: false))
            return .late
        }
        decision.scratch.changes.append(.sighting(sighting, of: device, isCurrent: true))
        let isBack = state.noteListening(
            at: sighting.sampleTime, isScanner: isScanner(device),
            isLate: Self.isLate(sighting.sampleTime, received: sighting.receivedTime))
        state.sighted = sighting.sampleTime
        decision.record(state, of: device)
        // The log holds no sighting from which this state could be seen, so the decision records it.
        if isBack { decision.noteState(of: device) }
        if !isHeard(state.user, after: decision) {
            deriveSafety(of: state.user, now: now, decidedAt: now, into: &decision)
        }
        followSighting(sighting, of: device, now: now, into: &decision)
        return .accepted
    }

    func decideNote(
        _ note: DeviceNote, of device: DeviceNumber, now: Instant, into decision: inout Decision
    ) -> Verdict {
        decision.scratch.changes.append(.note(note.name, of: device))
        // A broker sends a last will when the device is gone, and any program of the owner's sets properties: neither
        // shows that the device was heard.
        if note.name.kind != .lastWill, note.name.kind != .properties {
            recordContact(of: device, at: note.receivedTime, now: now, into: &decision)
        }
        return .accepted
    }
}

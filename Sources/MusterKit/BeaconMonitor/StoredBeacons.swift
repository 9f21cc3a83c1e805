import MusterCore

/// A device's evidence about beacons and its standings in their regions, stored in the transaction that puts the same
/// sightings into the outbox.
///
/// Its size is bounded: `BeaconMemory.trackLimit` regions, each with `BeaconTrack.hitLimit` moments. A note that cannot
/// be read, or has another version, is ignored: the device's states are then unknown, and no exit is reported.
struct StoredBeacons: Codable, Hashable, Sendable {
    private var version = Self.version
    /// The sightings in each region.
    private var tracks: [Track]
    /// Until when the device listened, milliseconds since 1970 UTC, as all times here.
    private var listened: Int64?
    /// When it began to listen again after a silence.
    private var resumed: Int64?
    /// The newest sample time of a sighting.
    private var sighted: Int64?
    /// The room whose signal is stronger than that of the present one, and since when.
    private var challenger: Challenger?
    /// The newest fix that the device itself measured, if a newer position followed from a sighting.
    private var ownFix: RecordedLocation?
    private var presences: [StoredPresence.Region]
    /// The events that the app did not receive.
    private(set) var untold: [BeaconDecisions.Event]

    private struct Track: Codable, Hashable {
        var region: RegionWatch.Name
        var hits: [Int64]
        var heard: Int64
        var signal: Float
        var arrival: Int64
    }

    private struct Challenger: Codable, Hashable {
        var region: RegionWatch.Name
        var since: Int64
    }

    private static let version = 1
    /// The id of the note in the store.
    static let note = "beacons"
    /// The id of the note for regions that the app defines.
    static let noteByHand = "beacons-by-hand"

    /// Whether this version of Muster can read it.
    var isReadable: Bool {
        version == Self.version && tracks.count <= BeaconMemory.trackLimit
            && tracks.allSatisfy { track in
                track.signal.isFinite && track.hits.count <= BeaconTrack.hitLimit && track.hits == track.hits.sorted()
            }
    }

    init(_ device: WatchedDevice, untold: [BeaconDecisions.Event]) {
        let memory = device.beaconMemory
        tracks = memory.tracks.compactMap { track in
            device.name(of: track.region).map {
                Track(
                    region: $0, hits: track.hits, heard: track.heard, signal: track.signal, arrival: track.arrival)
            }
        }
        listened = memory.listened?.milliseconds
        resumed = memory.resumed?.milliseconds
        sighted = device.sighted?.milliseconds
        challenger = memory.challenger.flatMap { challenger in
            device.name(of: challenger.region).map { Challenger(region: $0, since: challenger.since.milliseconds) }
        }
        ownFix = memory.ownFix.map {
            RecordedLocation(LocationMonitor.Location(fix: $0, isInBackground: false), user: "", session: "")
        }
        presences = device.beaconPresences.compactMap { presence in
            device.name(of: presence.region).map { StoredPresence.Region(presence, of: $0) }
        }
        self.untold = untold
    }

    /// Restores the evidence to a device whose regions are known. Regions that no longer exist are left out.
    func restore(_ device: inout WatchedDevice, at now: Instant) {
        var memory = BeaconMemory(
            listened: listened.map { Instant(milliseconds: $0) }, resumed: resumed.map { Instant(milliseconds: $0) },
            ownFix: ownFix?.fix)
        memory.tracks = tracks.compactMap { track in
            device.region(track.region).map {
                BeaconTrack(
                    region: $0, listener: WatchedDevice.device, hits: track.hits, heard: track.heard,
                    signal: track.signal, arrival: track.arrival)
            }
        }.sorted { $0.region < $1.region }
        memory.challenger = challenger.flatMap { challenger in
            device.region(challenger.region).map {
                BeaconMemory.Challenger(region: $0, since: Instant(milliseconds: challenger.since))
            }
        }
        device.restoreBeacons(
            memory, sighted: sighted.map { Instant(milliseconds: $0) },
            presences: presences.compactMap { kept in device.region(kept.region).flatMap { kept.presence(in: $0) } },
            at: now)
    }
}

/// The engine's evidence about a device from sightings of beacons.
public struct BeaconMemory: Hashable, Sendable {
    /// The sightings of the device, one track for each region, in region order; at most `trackLimit`.
    public var tracks: [BeaconTrack]
    /// The end of the device's last known listening, by its own clock; nil for a device that never reported listening.
    public var listened: Instant?
    /// When the device began to listen again after a silence, by its own clock; nil when it was never silent. A
    /// standing from before the silence is doubted only for the beacons that the device fails to hear since then. A
    /// scanner's late reports move this moment forward, because the engine does not use their sightings of tags.
    public var resumed: Instant?
    /// The room whose signal is stronger than that of the device's present room, and since when; nil when there is
    /// none.
    public var challenger: Challenger?
    /// The newest position that the device itself reported, if the engine made a newer one from a sighting; else nil.
    public var ownFix: Position?

    /// A room that becomes the device's room if its signal stays stronger.
    public struct Challenger: Hashable, Sendable {
        /// The room whose signal is stronger than that of the present room.
        public var region: RegionNumber
        /// When the room's signal became the stronger one, by the server's clock.
        public var since: Instant

        public init(region: RegionNumber, since: Instant) {
            self.region = region
            self.since = since
        }
    }

    /// The number of tracks kept for one device. A further region replaces the one that was heard longest ago.
    public static let trackLimit = 64

    /// Creates a memory; an empty one by default.
    public init(
        tracks: [BeaconTrack] = [], listened: Instant? = nil, resumed: Instant? = nil, challenger: Challenger? = nil,
        ownFix: Position? = nil
    ) {
        self.tracks = tracks
        self.listened = listened
        self.resumed = resumed
        self.challenger = challenger
        self.ownFix = ownFix
    }

    /// Adjusts the memory after the server's clock was set back: what was heard at times after now counts as heard now,
    /// so that silence ends a standing and new sightings begin one.
    mutating func adjustTimes(to now: Instant) {
        for index in tracks.indices { tracks[index].adjustTimes(to: now) }
        func adjusted(_ moment: Instant?) -> Instant? { moment.map { Engine.isAhead($0, of: now) ? now : $0 } }
        (listened, resumed) = (adjusted(listened), adjusted(resumed))
        if let challenger { self.challenger?.since = min(challenger.since, now) }
        if let ownFix { self.ownFix?.receivedTime = min(ownFix.receivedTime, now) }
    }

    /// Returns the track of a region; nil when nothing was heard there.
    func track(in region: RegionNumber) -> BeaconTrack? { tracks.first { $0.region == region } }

    /// Changes the track of a region. Creates the track first if there is none.
    ///
    /// - Parameter presences: the device's presences. A region with an inside or unknown presence keeps its track when
    ///   `trackLimit` is reached.
    mutating func change(
        _ region: RegionNumber, heardBy listener: DeviceNumber, standing presences: [Presence],
        _ body: (inout BeaconTrack) -> Void
    ) {
        if let index = tracks.firstIndex(where: { $0.region == region }) {
            tracks[index].listener = listener
            return body(&tracks[index])
        }
        if tracks.count >= Self.trackLimit {
            let idle = tracks.indices.filter { index in
                !presences.contains { $0.region == tracks[index].region && $0.standing != .outside }
            }
            guard let oldest = idle.min(by: { tracks[$0].arrival < tracks[$1].arrival }) else { return }
            tracks.remove(at: oldest)
        }
        var track = BeaconTrack(region: region, listener: listener)
        body(&track)
        let place = tracks.firstIndex { $0.region > region } ?? tracks.endIndex
        tracks.insert(track, at: place)
    }
}

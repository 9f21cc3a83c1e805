/// What the engine knows of a device by radio.
public struct BeaconMemory: Hashable, Sendable {
    /// What was heard of it, by region, in region order; at most `trackLimit`.
    public var tracks: [BeaconTrack]
    /// Until when the device itself listened, by its own clock, as it said beside its sightings; nil when it never did.
    public var listened: Instant?
    /// The room that was heard better than the device's room, and since when; nil when none is.
    public var challenger: Challenger?
    /// The device's last own position, when a position that the engine made of a sighting came after it; else nil.
    public var ownFix: Position?

    /// A room that may become the device's.
    public struct Challenger: Hashable, Sendable {
        /// The room.
        public var region: RegionNumber
        /// Since when it was heard better, by the clock of its listener.
        public var since: Instant

        /// Creates a challenger from its fields.
        public init(region: RegionNumber, since: Instant) {
            self.region = region
            self.since = since
        }
    }

    /// How many regions are kept of one device. A further one takes the place of the one that was heard longest ago.
    public static let trackLimit = 64

    /// Creates a memory; an empty one by default.
    public init(
        tracks: [BeaconTrack] = [], listened: Instant? = nil, challenger: Challenger? = nil, ownFix: Position? = nil
    ) {
        self.tracks = tracks
        self.listened = listened
        self.challenger = challenger
        self.ownFix = ownFix
    }

    /// Returns the track of a region; nil when nothing was heard there.
    func track(in region: RegionNumber) -> BeaconTrack? { tracks.first { $0.region == region } }

    /// Changes the track of a region, which is made when there is none.
    mutating func change(_ region: RegionNumber, heardBy listener: DeviceNumber, _ body: (inout BeaconTrack) -> Void) {
        if let index = tracks.firstIndex(where: { $0.region == region }) {
            tracks[index].listener = listener
            return body(&tracks[index])
        }
        if tracks.count >= Self.trackLimit,
            let oldest = tracks.indices.min(by: { tracks[$0].arrival < tracks[$1].arrival }
            )
        {
            tracks.remove(at: oldest)
        }
        var track = BeaconTrack(region: region, listener: listener)
        body(&track)
        let place = tracks.firstIndex { $0.region > region } ?? tracks.endIndex
        tracks.insert(track, at: place)
    }
}

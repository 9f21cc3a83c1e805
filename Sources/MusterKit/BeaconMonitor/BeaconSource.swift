public import MusterCore

/// A source of sightings of beacons: a receiver of this device, or a recording.
public protocol BeaconSource: Sendable {
    /// The number of identities that the source can listen for at once; nil for a source that hears every beacon.
    var identityLimit: Int? { get }
    /// Starts to listen. The stream ends with the source, or with an error when it breaks, and the source stops when
    /// the reader of the stream stops.
    ///
    /// - Parameter choices: the beacons to listen for: now, and after each change. There are at most `identityLimit`. A
    ///   source that hears every beacon need not read it.
    func listen(for choices: AsyncStream<[BeaconIdentity]>) -> AsyncThrowingStream<BeaconNews, any Error>
}

/// An element that a source of sightings delivers.
public enum BeaconNews: Hashable, Sendable {
    /// The source listened until `until`. Since its last news it heard these sightings and no others; without any, it
    /// heard no beacon.
    case heard([Sighting], until: Instant)
    /// The source cannot hear anything for now, for example because the person withdrew the permission. This is no
    /// evidence of where the device is.
    case unavailable(reason: String)
}

/// The beacons with one UUID, or those of them with one major number, or one beacon. A number of nil stands for any.
public struct BeaconIdentity: Hashable, Sendable {
    /// The UUID that all beacons of one owner share.
    public var uuid: BeaconUUID
    /// The number of a group of beacons.
    public var major: UInt16?
    /// The number of one beacon in its group; it has no meaning without a major number.
    public var minor: UInt16?

    /// Makes the identity of all beacons of a UUID, of a group of them, or of one beacon.
    public init(uuid: BeaconUUID, major: UInt16? = nil, minor: UInt16? = nil) {
        self.uuid = uuid
        self.major = major
        self.minor = minor
    }

    /// The identities that contain this one, the most general first.
    var moreGeneral: [BeaconIdentity] {
        guard let major else { return [] }
        let all = BeaconIdentity(uuid: uuid)
        return minor == nil ? [all] : [all, BeaconIdentity(uuid: uuid, major: major)]
    }
}

public import MusterGeometry

/// A device detected a beacon at one moment.
public struct Sighting: Hashable, Sendable {
    /// The beacon that the device detected.
    public var beacon: Beacon
    /// The device's estimate of the distance as one of four classes.
    public var proximity: Proximity
    // An unknown number is 0 here and has no bit in `known`. The size is a multiple of 8 bytes, so that the number of a
    // device behind a sighting begins a word ("A number begins its word" in ARCHITECTURE.md).
    private var known = Known()
    /// When the device detected it, by the device's own clock.
    public var sampleTime: Instant
    /// When Muster received it.
    public var receivedTime: Instant
    private var distanceMetres = 0.0
    private var decibelsPerMilliwatt = 0.0

    /// The distance to a beacon in the classes of Core Location's `CLProximity`.
    public enum Proximity: UInt8, Hashable, Sendable, CaseIterable {
        case unknown, immediate, near, far
    }

    /// Creates a sighting; each argument that the caller omits is unknown.
    public init(
        of beacon: Beacon, sampleTime: Instant, receivedTime: Instant, distance: Metres? = nil,
        signalStrength: Double? = nil, proximity: Proximity = .unknown
    ) {
        self.beacon = beacon
        self.sampleTime = sampleTime
        self.receivedTime = receivedTime
        self.proximity = proximity
        self.distance = distance
        self.signalStrength = signalStrength
    }
}

extension Sighting {
    /// The device's estimate of the distance; nil when it has none.
    public var distance: Metres? {
        get { known.contains(.distance) ? Metres(distanceMetres) : nil }
        set {
            distanceMetres = newValue?.value ?? 0
            known.mark(.distance, newValue != nil)
        }
    }

    /// The strength of the received signal in dBm; nil when unknown.
    public var signalStrength: Double? {
        get { known.contains(.signalStrength) ? decibelsPerMilliwatt : nil }
        set {
            decibelsPerMilliwatt = newValue ?? 0
            known.mark(.signalStrength, newValue != nil)
        }
    }

    /// Which of the numbers are known.
    private struct Known: OptionSet, Hashable, Sendable {
        let rawValue: UInt8
        static let distance = Known(rawValue: 1)
        static let signalStrength = Known(rawValue: 2)

        mutating func mark(_ which: Known, _ isKnown: Bool) {
            if isKnown { insert(which) } else { remove(which) }
        }
    }
}

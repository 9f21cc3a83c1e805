public import MusterGeometry

/// One fix of a device, as the sender reported it.
public struct Position: Hashable, Sendable {
    /// The place, WGS-84.
    public var coordinate: Coordinate
    /// When the device took the fix, by its own clock.
    public var sampleTime: Instant
    /// When Muster received it.
    public var receivedTime: Instant
    // An unknown number is 0 here and has no bit in `known`; an optional would take more room.
    private var accuracyMetres = 0.0
    private var altitudeMetres = 0.0
    private var speedMetresPerSecond = 0.0
    private var headingDegrees = 0.0
    private var batteryPercent = 0.0
    // 0 when the device itself, or its user, reported it. It lies before the bytes that share its word: "A number
    // begins its word" in ARCHITECTURE.md.
    private var reporterNumber: Int32 = 0
    private var known = Known()
    /// The endpoint that the position came through.
    public var source: Source
    // Positions are copied often and most have no attributes. A copy of nil counts no reference, a copy of a string
    // does.
    private var said: Attributes?

    /// The endpoints that a position can come through; or `.beacon` for one that the engine made of a sighting, because
    /// the beacon's place is known.
    public enum Source: UInt8, Hashable, Sendable, CaseIterable {
        case native, ownTracks, amazonLocation, couchDB, meshblu, simulator, beacon, meshtastic, osmAnd, overland, tak
        case uLogger
    }

    /// Creates a position; each argument that the caller omits is unknown.
    public init(
        coordinate: Coordinate, sampleTime: Instant, receivedTime: Instant, accuracy: Metres? = nil,
        altitude: Metres? = nil, speed: Double? = nil, heading: Double? = nil, battery: Double? = nil,
        source: Source = .native, attributes: String? = nil
    ) {
        self.coordinate = coordinate
        self.sampleTime = sampleTime
        self.receivedTime = receivedTime
        self.source = source
        self.attributes = attributes
        self.accuracy = accuracy
        self.altitude = altitude
        self.speed = speed
        self.heading = heading
        self.battery = battery
    }
}

extension Position {
    /// The further members that the sender sent, as the text of one JSON object. Muster stores and returns them; the
    /// engine never interprets them. The MQTT endpoint adds the time at which the message expires (`messageExpiresAt`).
    public var attributes: String? {
        get { said?.text }
        set { said = newValue.map { Attributes($0) } }
    }

    /// The user who reported the position for another user; nil when the device itself, or its user, did.
    public var reporter: UserNumber? {
        get { reporterNumber == 0 ? nil : UserNumber(reporterNumber) }
        set { reporterNumber = newValue?.rawValue ?? 0 }
    }

    /// The radius that holds the true place with 68 % probability; nil when unknown (a reported 0 is unknown).
    public var accuracy: Metres? {
        get { number(accuracyMetres, .accuracy).map { Metres($0) } }
        set {
            accuracyMetres = newValue?.value ?? 0
            known.mark(.accuracy, newValue != nil)
        }
    }

    /// Metres above the ellipsoid; nil when unknown.
    public var altitude: Metres? {
        get { number(altitudeMetres, .altitude).map { Metres($0) } }
        set {
            altitudeMetres = newValue?.value ?? 0
            known.mark(.altitude, newValue != nil)
        }
    }

    /// The speed over ground in metres a second; nil when unknown.
    public var speed: Double? {
        get { number(speedMetresPerSecond, .speed) }
        set {
            speedMetresPerSecond = newValue ?? 0
            known.mark(.speed, newValue != nil)
        }
    }

    /// The direction of travel in degrees clockwise from north, 0 to 360; nil when unknown.
    public var heading: Double? {
        get { number(headingDegrees, .heading) }
        set {
            headingDegrees = newValue ?? 0
            known.mark(.heading, newValue != nil)
        }
    }

    /// The battery's charge in per cent, 0 to 100; nil when unknown.
    public var battery: Double? {
        get { number(batteryPercent, .battery) }
        set {
            batteryPercent = newValue ?? 0
            known.mark(.battery, newValue != nil)
        }
    }

    /// Which of the numbers are known.
    private struct Known: OptionSet, Hashable, Sendable {
        let rawValue: UInt8
        static let accuracy = Known(rawValue: 1)
        static let altitude = Known(rawValue: 2)
        static let speed = Known(rawValue: 4)
        static let heading = Known(rawValue: 8)
        static let battery = Known(rawValue: 16)

        mutating func mark(_ which: Known, _ isKnown: Bool) {
            if isKnown { insert(which) } else { remove(which) }
        }
    }

    private func number(_ value: Double, _ which: Known) -> Double? { known.contains(which) ? value : nil }
}

/// The text of a position's attributes.
private final class Attributes: Hashable, Sendable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (left: Attributes, right: Attributes) -> Bool { left.text == right.text }

    func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

/// A measurement, note or signal of a device, or a declaration of a person.
public enum Observation: Hashable, Sendable {
    /// A device reported a fix.
    case position(Position, of: DeviceNumber)
    /// A device detected a beacon.
    case sighting(Sighting, of: DeviceNumber)
    /// A device listened for beacons and reported something else than a sighting.
    case listening(Listening, of: DeviceNumber)
    /// A device, or its broker, reported something that is no position.
    case note(DeviceNote, of: DeviceNumber)
    /// A device reported that something happened, for the rules.
    case signal(Signal, of: DeviceNumber)
    /// A device measured how far another person's device was.
    case range(PeerRange, of: DeviceNumber)
    /// A person declared how they or another person are.
    case declaration(Declaration)
}

public import MusterGeometry

/// Where a device was: one fix, as it was reported.
public struct Position: Hashable, Sendable {
    /// The place, WGS-84.
    public var coordinate: Coordinate
    /// When the device took the fix, by its own clock.
    public var sampleTime: Instant
    /// When Muster received it.
    public var receivedTime: Instant
    // What is unknown takes no room of its own: 0 here, and a bit less in `known`.
    private var accuracyMetres = 0.0
    private var altitudeMetres = 0.0
    private var speedMetresPerSecond = 0.0
    private var headingDegrees = 0.0
    private var batteryPercent = 0.0
    private var known = Known()
    // 0 for the device itself, or its user.
    private var reporterNumber: Int32 = 0
    /// The road by which it came.
    public var source: Source
    // Positions are copied often and most have none: a text of its own would be counted with every copy.
    private var said: Attributes?

    /// The endpoint that a position came through.
    public enum Source: UInt8, Hashable, Sendable, CaseIterable {
        case native, ownTracks, amazonLocation, couchDB, meshblu, simulator
    }

    /// A fix with what is known of it.
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
    /// What else the sender said, as the text of one JSON object; kept and given back, never interpreted.
    public var attributes: String? {
        get { said?.text }
        set { said = newValue.map { Attributes($0) } }
    }

    /// Who reported it for somebody else; nil where the device itself, or its user, did.
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

    /// Metres above the ellipsoid.
    public var altitude: Metres? {
        get { number(altitudeMetres, .altitude).map { Metres($0) } }
        set {
            altitudeMetres = newValue?.value ?? 0
            known.mark(.altitude, newValue != nil)
        }
    }

    /// Metres a second over ground.
    public var speed: Double? {
        get { number(speedMetresPerSecond, .speed) }
        set {
            speedMetresPerSecond = newValue ?? 0
            known.mark(.speed, newValue != nil)
        }
    }

    /// Degrees clockwise from north, 0 to 360.
    public var heading: Double? {
        get { number(headingDegrees, .heading) }
        set {
            headingDegrees = newValue ?? 0
            known.mark(.heading, newValue != nil)
        }
    }

    /// Per cent, 0 to 100.
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

/// What a device noticed, or a person said. Ranges to peers join here.
public enum Observation: Hashable, Sendable {
    /// A device was somewhere.
    case position(Position, of: DeviceNumber)
    /// A device was near a beacon.
    case sighting(Sighting, of: DeviceNumber)
    /// A device said something of itself.
    case note(DeviceNote, of: DeviceNumber)
    /// A person said of a person how they are.
    case declaration(Declaration)
}

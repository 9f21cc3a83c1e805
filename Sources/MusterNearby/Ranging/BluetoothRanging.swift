import Foundation
public import MusterCore
import MusterGeometry

/// Estimates the distance from the strength of a Bluetooth signal, as for beacons (`BeaconPolicy`). It measures no
/// direction. Its error grows with the distance, because bodies and walls change a signal by several decibels.
public struct BluetoothRanging: RangingSource {
    /// One advertisement of the peer.
    public struct Reading: Hashable, Sendable {
        /// The received strength, dBm.
        public var strength: Double
        /// The strength at a distance of 1 m, dBm, as the peer states it.
        public var powerAtOneMetre: Double
        /// When it was received.
        public var time: Instant

        /// Creates a reading of an advertisement.
        public init(strength: Double, powerAtOneMetre: Double, time: Instant) {
            self.strength = strength
            self.powerAtOneMetre = powerAtOneMetre
            self.time = time
        }
    }

    /// The kind of this source: `.bluetooth`.
    public let kind = RangingKind.bluetooth
    private let isAvailable: Bool
    private let readings: @Sendable () -> AsyncStream<Reading>

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - isAvailable: whether this device has a radio that the app may use.
    ///   - readings: starts to listen to the peer, and ends when the reader stops.
    public init(isAvailable: Bool = true, readings: @escaping @Sendable () -> AsyncStream<Reading>) {
        self.isAvailable = isAvailable
        self.readings = readings
    }

    /// A rough distance, as far as Bluetooth reaches.
    public var capabilities: RangingCapabilities {
        isAvailable ? RangingCapabilities(distance: .rough, reach: 30) : RangingCapabilities()
    }

    /// Measures one peer. Throws `MeasurementError` for a strength that no receiver measures.
    public func measurements(over link: RangingLink) -> AsyncThrowingStream<RangeMeasurement, any Error> {
        let readings = readings()
        return .measuring { continuation in
            var filter = SignalFilter()
            for await reading in readings { continuation.yield(try filter.measure(reading)) }
        }
    }
}

/// Smooths the strength of a signal, and turns it into a distance.
struct SignalFilter {
    private var loss: Double?
    private var last: Instant?

    /// The change of a smoothed signal by bodies and walls: one standard deviation, dB.
    static let shadowing = 6.0
    /// The strengths that a receiver can measure, dBm.
    static let strengths = -127.0...20.0

    mutating func measure(_ reading: BluetoothRanging.Reading) throws(MeasurementError) -> RangeMeasurement {
        for number in [reading.strength, reading.powerAtOneMetre] where !Self.strengths.contains(number) {
            throw .report("no signal has a strength of \(number) dBm")
        }
        let now = reading.powerAtOneMetre - reading.strength
        let seconds = last.map { max(0, reading.time.seconds(since: $0)) } ?? .infinity
        let share = 1 - exp(-seconds / BeaconPolicy.filterSeconds)
        let smoothed = loss.map { $0 + (now - $0) * share } ?? now
        (loss, last) = (smoothed, reading.time)
        let distance = BeaconPolicy.distance(signal: -smoothed, power: 0)
        let farther = BeaconPolicy.distance(signal: -smoothed - Self.shadowing, power: 0)
        return try RangeMeasurement(
            source: .bluetooth, time: reading.time, distance: distance,
            quality: RangeMeasurement.Quality(distanceError: farther - distance))
    }
}

public import Foundation
public import MusterCore
import MusterWire

/// A distance that this device measured to a peer, for a report to the server.
public struct MeasuredRange: Hashable, Sendable {
    /// The tag that the peer handed over: its owner agrees that the distance is reported.
    public var peer: RangeTag
    /// When this device measured.
    public var time: Date
    /// How far the peer was, metres: 0 to 10,000.
    public var metres: Double
    /// The standard deviation of the distance, metres: above 0.
    public var deviationMetres: Double
    /// The method that measured it.
    public var source: Source

    /// The methods that measure distances.
    public enum Source: String, Hashable, Sendable, CaseIterable {
        /// Two-way ranging by ultra-wideband radios.
        case ultraWideband = "uwb"
        /// Bluetooth Channel Sounding.
        case channelSounding
        /// The strength of a Bluetooth signal.
        case bluetooth = "ble"
        /// The fixes of both devices.
        case fixes = "gps"
        /// Several of these together.
        case fused
        /// A simulation produced the range.
        case simulated
    }

    /// Checks and creates a range; nil for a distance or a deviation that the server would refuse, and for a time more
    /// than some 30,000 years from 1970.
    public init?(
        to peer: RangeTag, time: Date, metres: Double, deviationMetres: Double, source: Source
    ) {
        guard PeerRange.metresLimits.contains(metres), deviationMetres > 0,
            deviationMetres <= PeerRange.deviationLimit, Instant(checked: time) != nil
        else { return nil }
        self.peer = peer
        self.time = time
        self.metres = metres
        self.deviationMetres = deviationMetres
        self.source = source
    }

    /// When this device measured, to the millisecond. An invalid time, which only a later assignment to `time` can
    /// bring, counts as the beginning of 1970.
    var instant: Instant { Instant(checked: time) ?? Instant(milliseconds: 0) }

    /// The JSON object of a report.
    var object: [UInt8] {
        JSONWriter.object { writer in
            writer.member("peer", "\(peer)")
            writer.member("sampleTime", instant)
            writer.member("metres", (metres * 1_000).rounded() / 1_000)
            writer.member("deviationMetres", max((deviationMetres * 1_000).rounded() / 1_000, 0.001))
            writer.member("source", source.rawValue)
        }
    }
}

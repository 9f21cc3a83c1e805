package import MusterCore
import MusterGeometry

/// A `Belief` with names in place of numbers.
package struct NamedBelief: Hashable, Sendable {
    /// The belief, in numbers.
    package var belief: Belief
    /// The regions that the device's fixes seem to be in while the engine checks them.
    package var regions: [NamedRegion]

    package init(_ belief: Belief, regions: [NamedRegion]) {
        self.belief = belief
        self.regions = regions
    }
}

extension JSONWriter {
    /// Writes where the engine believes a device to be, and where the fixes seem to be that it checks.
    package mutating func members(of named: NamedBelief) {
        let belief = named.belief
        key("estimate")
        beginObject()
        member("latitude", belief.estimate.latitude)
        member("longitude", belief.estimate.longitude)
        member("deviation", (belief.deviationMetres * 10).rounded() / 10)
        endObject()
        guard let checking = belief.checking else { return }
        key("checking")
        beginObject()
        member("since", checking.since)
        member("latitude", checking.coordinate.latitude)
        member("longitude", checking.coordinate.longitude)
        key("regions")
        beginArray()
        for region in named.regions { value(region) }
        endArray()
        endObject()
    }

    /// Writes the error of a clock, in seconds: negative when the clock is behind.
    ///
    /// - Parameter device: the device; nil when the context names it.
    package mutating func value(_ skew: ClockSkew, device: String? = nil) {
        beginObject()
        if let device { member("device", device) }
        member("aheadSeconds", Int64(skew.aheadSeconds.rounded(.towardZero)))
        member("receivedTime", skew.receivedTime)
        member("corrected", skew.isCorrected)
        endObject()
    }
}

package import MusterCore
import MusterGeometry

/// Where a device is believed to be, in names.
package struct NamedBelief: Hashable, Sendable {
    /// In numbers.
    package var belief: Belief
    /// The regions that its fixes seem to be in while they are not believed.
    package var regions: [NamedRegion]

    /// What is believed of a device, with the names of the regions.
    package init(_ belief: Belief, regions: [NamedRegion]) {
        self.belief = belief
        self.regions = regions
    }
}

extension JSONWriter {
    /// Writes where a device is believed to be, and where its fixes seem to be while they are not believed.
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

    /// Writes by how much a clock is off: negative where it is behind.
    ///
    /// - Parameter device: whose it is, where the surroundings do not say so.
    package mutating func value(_ skew: ClockSkew, device: String? = nil) {
        beginObject()
        if let device { member("device", device) }
        member("aheadSeconds", Int64(skew.aheadSeconds.rounded(.towardZero)))
        member("receivedTime", skew.receivedTime)
        member("corrected", skew.isCorrected)
        endObject()
    }
}

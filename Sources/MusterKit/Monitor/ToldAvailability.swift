/// What a source has told of whether the device delivers fixes, so that it tells changes alone.
///
/// From iOS 18 on an update of Core Location says it. On iOS 17 it follows from two things: what the location manager
/// says of the permission, and whether an update has a position.
struct ToldAvailability {
    private var permission = LocationAvailability.available
    /// Whether the last update had a position; nil before the first update.
    private var hasPosition: Bool?
    private var told: LocationAvailability?

    /// Takes what an update says of itself.
    ///
    /// - Returns: the availability, or nil if it was told last.
    mutating func news(_ availability: LocationAvailability) -> LocationAvailability? {
        defer { told = availability }
        return availability == told ? nil : availability
    }

    /// Takes whether an update has a position, where it says no more.
    ///
    /// - Returns: the availability, or nil if it was told last.
    mutating func news(hasPosition: Bool) -> LocationAvailability? {
        self.hasPosition = hasPosition
        return news(combined)
    }

    /// Takes what the permission allows: `available`, `reducedAccuracy`, or why there are no fixes.
    ///
    /// - Returns: the availability, or nil if it was told last. A permission that is given is no news before the first
    ///   update, which says whether there is a position.
    mutating func news(permission: LocationAvailability) -> LocationAvailability? {
        self.permission = permission
        guard isRefused || hasPosition != nil || told != nil else { return nil }
        return news(combined)
    }

    private var combined: LocationAvailability { !isRefused && hasPosition == false ? .noPosition : permission }
    private var isRefused: Bool { permission != .available && permission != .reducedAccuracy }
}

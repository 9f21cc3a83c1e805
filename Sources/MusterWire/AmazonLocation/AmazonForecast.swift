package import MusterCore
package import MusterGeometry

/// A request for the geofences that a device is in, and that it will cross if it keeps its speed and direction.
package struct AmazonForecastRequest: Sendable {
    /// The position of the device.
    package var coordinate: Coordinate
    /// The metres that the device can travel within the horizon; nil without a speed or a horizon.
    package var reachMetres: Double?
    /// The device's speed, metres a second; nil when the request has none.
    package var metresPerSecond: Double?
    /// The units of the response.
    package var units: Units
    /// The largest number of events in a page.
    package var limit: Int
    /// The token of the page to begin with.
    package var token: String?

    /// Kilometres with kilometres an hour, or miles with miles an hour.
    package enum Units: Sendable {
        case metric, imperial

        /// How many metres a unit of distance has.
        package var metresPerUnit: Double { self == .metric ? 1000 : 1609.344 }
        /// The unit of distances, by its name in Amazon's model.
        package var distance: String { self == .metric ? "Kilometers" : "Miles" }
        /// The unit of speeds, by its name in Amazon's model.
        package var speed: String { self == .metric ? "KilometersPerHour" : "MilesPerHour" }
    }

    private enum DistanceUnit: String, CaseIterable {
        case kilometers = "Kilometers"
        case miles = "Miles"
    }

    private enum SpeedUnit: String, CaseIterable {
        case kilometersPerHour = "KilometersPerHour"
        case milesPerHour = "MilesPerHour"
    }

    package init(_ request: AmazonMembers, _ faults: inout AmazonFaults) throws(AmazonFaults) {
        let device = request.object("DeviceState", required: true, &faults)
        let position = device?.position("Position", required: true, &faults)
        let speed = device?.number("Speed", in: 0...1e9, &faults)
        let minutes = request.number("TimeHorizonMinutes", in: 0...1e9, &faults)
        let distanceUnit: DistanceUnit? = request.word("DistanceUnit", &faults)
        let speedUnit: SpeedUnit? = request.word("SpeedUnit", &faults)
        let isMetric = distanceUnit.map { $0 == .kilometers } ?? speedUnit.map { $0 == .kilometersPerHour } ?? true
        if let speedUnit, (speedUnit == .kilometersPerHour) != isMetric {
            faults.addFault("SpeedUnit", "Must be of the same system as DistanceUnit")
        }
        limit = request.pageSize(most: 20, &faults)
        token = request.text("NextToken", .token, &faults)
        let coordinate = position?.coordinate
        if position != nil, coordinate == nil { faults.addFault("DeviceState.Position", "Must be on the globe") }
        try faults.finish()
        guard let coordinate else { throw faults }
        self.coordinate = coordinate
        units = isMetric ? .metric : .imperial
        metresPerSecond = speed.map { $0 * (isMetric ? 1000 : 1609.344) / 3600 }
        if let metresPerSecond, let minutes { reachMetres = metresPerSecond * minutes * 60 }
    }
}

/// A geofence that a device is in or may enter.
package struct AmazonForecast: Hashable, Sendable {
    /// The geofence.
    package var region: RegionNumber
    /// Whether the device is in it.
    package var isInside: Bool
    /// The distance from the device to its boundary, metres.
    package var distanceMetres: Double

    package init(region: RegionNumber, isInside: Bool, distanceMetres: Double) {
        self.region = region
        self.isInside = isInside
        self.distanceMetres = distanceMetres
    }
}

extension JSONWriter {
    /// Writes a forecast.
    ///
    /// - Parameters:
    ///   - id: a UUID.
    ///   - now: the time of the request, from which the time of the crossing is computed.
    package mutating func amazonForecast(
        _ forecast: AmazonForecast, of region: Region, id: String, for request: AmazonForecastRequest, at now: Instant
    ) {
        let isReached = request.reachMetres.map { $0 > 0 && forecast.distanceMetres <= $0 } ?? false
        beginObject()
        member("EventId", id)
        member("GeofenceId", region.id)
        member("IsDeviceInGeofence", forecast.isInside)
        member("NearestDistance", forecast.distanceMetres / request.units.metresPerUnit)
        member("EventType", isReached ? (forecast.isInside ? "EXIT" : "ENTER") : "IDLE")
        if isReached, let speed = request.metresPerSecond {
            member("ForecastedBreachTime", now.advanced(bySeconds: forecast.distanceMetres / speed))
        }
        let properties = AmazonProperties.fitting(region.properties, most: 3, valueLimit: 40)
        if !properties.isEmpty {
            key("GeofenceProperties")
            amazonMap(properties)
        }
        endObject()
    }
}

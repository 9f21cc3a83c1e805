import HTTPTypes
import MusterCoding
import MusterCore
import MusterGeometry
import MusterServer
import MusterWire

/// Amazon Location's `ForecastGeofenceEvents`.
extension LocationService {
    func addForecast(to routes: inout RouteTable) {
        add(
            "ForecastGeofenceEvents", .post, "\(Self.collections)/{collection}/forecast-geofence-events",
            admits: Self.fenceReaders, to: &routes, forecast)
    }

    /// Forecasts which geofences a device is in and which boundaries it can reach. Changes nothing.
    private func forecast(_ call: AmazonCall) async throws -> [UInt8] {
        let request = try call.read { try AmazonForecastRequest($0, &$1) }
        let collection = try self.collection(call, in: coordinator.directory)
        let after = try AmazonToken.key(request.token, .forecast, of: collection.number.rawValue)?[0] ?? 0
        // The index is a value, so querying it on a reader's thread does not delay the writer.
        let (index, directory) = try await coordinator.inspect { engine, directory, _ in
            (engine.regionIndex(of: collection.number), directory)
        }
        let found = try await coordinator.read { _ in
            Self.forecasts(request, in: index, after: after, limit: request.limit + 1)
        }
        let now = configuration.now()
        let shown = found.prefix(request.limit)
        let next = found.count > request.limit ? shown.last?.region.rawValue : nil
        return JSONWriter.object { writer in
            writer.member("ForecastedEvents", listing: shown) { writer, forecast in
                guard let region = directory.regions[forecast.region] else { return }
                writer.amazonForecast(forecast, of: region, id: Self.uuid(), for: request, at: now)
            }
            writer.member(
                "NextToken",
                next.map { AmazonToken.encode(.forecast, of: collection.number.rawValue, [Int64($0)]) })
            writer.member("DistanceUnit", request.units.distance)
            writer.member("SpeedUnit", request.units.speed)
        }
    }

    /// The regions that contain the position or whose boundary is within reach, in the order of their numbers, after
    /// `after`.
    private static func forecasts(
        _ request: AmazonForecastRequest, in index: RegionIndex, after: Int64, limit: Int
    ) -> [AmazonForecast] {
        var found = Answers<NearbyRegion>()
        index.nearby(request.coordinate, within: Metres(request.reachMetres ?? 0), into: &found)
        return found.lazy.filter {
            Int64($0.id) > after && ($0.signedDistanceMetres >= 0 || request.reachMetres != nil)
        }
        .prefix(limit).map { region in
            // Deep inside a region the index does not give the distance to the boundary.
            let distance =
                region.signedDistanceMetres.isFinite
                ? region.signedDistanceMetres
                : index.signedDistance(from: request.coordinate, to: region.id)?.value ?? 0
            return AmazonForecast(
                region: RegionNumber(region.id), isInside: distance >= 0, distanceMetres: abs(distance))
        }
    }

    /// A random UUID (RFC 9562, version 4).
    private static func uuid() -> String {
        var bytes = SecretToken.randomBytes(16)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        return Hexadecimal.uuid(bytes.hexadecimal.utf8)
    }
}

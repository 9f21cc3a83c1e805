import CoreLocation
import Foundation
import MusterApp

/// Brings the app back after the system ended it: at the boundaries of the nearest regions, and after some hundred
/// metres.
///
/// A boundary that the system reports decides nothing: it only gives the app some seconds, in which MusterKit takes
/// fixes and decides as ever. The system monitors 20 conditions an app, so the nearest are chosen anew as the phone
/// moves.
@MainActor final class RegionWaking {
    /// The number of beacons that `BeaconListening` has monitored.
    nonisolated static let beaconLimit = 6
    /// The number of circles. With the beacons they are the 20 conditions that Core Location monitors for an app.
    static let limit = 20 - beaconLimit

    private let manager = CLLocationManager()
    private var monitor: CLMonitor?
    private var events: Task<Void, Never>?

    /// Makes the system monitor these circles and no others, and reads what it reports: the system starts the app again
    /// only while somebody reads.
    ///
    /// - Parameter circles: the nearest first; those beyond `limit` are left out.
    func watch(_ circles: [WakingCircle]) async {
        let monitor = await opened()
        let wanted = Dictionary(circles.prefix(Self.limit).map { ($0.conditionName, $0) }) { first, _ in first }
        let present = Set(await monitor.identifiers)
        for identifier in present where wanted[identifier] == nil { await monitor.remove(identifier) }
        for (identifier, circle) in wanted where !present.contains(identifier) {
            await monitor.add(circle.condition, identifier: identifier, assuming: .unknown)
        }
        if CLLocationManager.significantLocationChangeMonitoringAvailable() {
            manager.startMonitoringSignificantLocationChanges()
        }
    }

    /// Opens the monitor and reads what it reports, also before it is known what to watch: the system started the app
    /// for that, perhaps.
    func open() async { _ = await opened() }

    /// Ends all of it, as when the person signs out or pauses.
    func stop() async {
        manager.stopMonitoringSignificantLocationChanges()
        let monitor = await opened()
        for identifier in await monitor.identifiers { await monitor.remove(identifier) }
    }

    private func opened() async -> CLMonitor {
        if let monitor { return monitor }
        let opened = await CLMonitor("musterRegions")
        // Of two calls at once the first is kept.
        if let monitor { return monitor }
        monitor = opened
        events = Task {
            do { for try await _ in await opened.events {} } catch {}
        }
        return opened
    }
}

extension WakingCircle {
    /// The circle as a condition of Core Location.
    fileprivate var condition: CLMonitor.CircularGeographicCondition {
        CLMonitor.CircularGeographicCondition(
            center: CLLocationCoordinate2D(latitude: latitude, longitude: longitude), radius: radiusMetres)
    }
}

@testable import MusterKit

extension LocationTracker.Pace {
    /// A pace whose every wait lasts one millisecond, so that other tests get the processor meanwhile.
    static var restless: LocationTracker.Pace {
        var pace = LocationTracker.Pace()
        pace.sleep = { _ in try await Task.sleep(for: .milliseconds(1)) }
        return pace
    }
}

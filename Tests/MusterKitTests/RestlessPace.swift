@testable import MusterKit

extension LocationTracker.Pace {
    /// A pace whose every wait ends after a millisecond: long enough that other tests get the processor.
    static var restless: LocationTracker.Pace {
        var pace = LocationTracker.Pace()
        pace.sleep = { _ in try await Task.sleep(for: .milliseconds(1)) }
        return pace
    }
}

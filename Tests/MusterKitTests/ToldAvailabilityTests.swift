import Testing

@testable import MusterKit

/// Which changes of its availability a location source tells.
@Suite struct ToldAvailabilityTests {
    @Test func `what updates say of themselves is told once`() {
        var told = ToldAvailability()
        #expect(told.news(.available) == .available)
        #expect(told.news(.available) == nil)
        #expect(told.news(.denied) == .denied)
        #expect(told.news(.denied) == nil)
        #expect(told.news(.available) == .available)
    }

    @Test func `without a word of the updates a refusal is told at once, and its end`() {
        var told = ToldAvailability()
        #expect(told.news(permission: .denied) == .denied)
        #expect(told.news(permission: .denied) == nil)
        #expect(told.news(permission: .deniedForAllApps) == .deniedForAllApps)
        #expect(told.news(permission: .available) == .available)
        #expect(told.news(hasPosition: true) == nil)
    }

    @Test func `a permission that is there is told with the first update`() {
        var told = ToldAvailability()
        #expect(told.news(permission: .reducedAccuracy) == nil)
        #expect(told.news(hasPosition: true) == .reducedAccuracy)
        #expect(told.news(permission: .available) == .available)
        #expect(told.news(hasPosition: true) == nil)
    }

    @Test func `an update without a position says so, except after a refusal`() {
        var told = ToldAvailability()
        #expect(told.news(permission: .available) == nil)
        #expect(told.news(hasPosition: false) == .noPosition)
        #expect(told.news(hasPosition: false) == nil)
        #expect(told.news(permission: .denied) == .denied)
        #expect(told.news(hasPosition: false) == nil)
        #expect(told.news(permission: .available) == .noPosition)
        #expect(told.news(hasPosition: true) == .available)
    }
}

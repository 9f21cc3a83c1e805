package import MusterCore

/// The directory, each list in the order of its numbers.
package struct StoredDirectory: Equatable, Sendable {
    package var users: [User] = []
    package var teams: [Team] = []
    package var crews: [Crew] = []
    package var devices: [Device] = []
    package var trackers: [Tracker] = []
    package var collections: [RegionCollection] = []
    package var rules: [Rule] = []
    package var targets: [Target] = []
    package var databases: [StoredDatabase] = []

    package init() {}
}

package import MusterCore

/// The last number in use, for each kind of entity. No number is used twice, even if its entity is removed.
package struct LastNumbers: Equatable {
    package var user: Int32 = 0
    package var team: Int32 = 0
    package var crew: Int32 = 0
    package var device: Int32 = 0
    package var tracker: Int32 = 0
    package var collection: Int32 = 0
    package var region: Int32 = 0
    package var incident: Int32 = 0
    package var rule: Int32 = 0
    package var target: Int32 = 0
    package var attendance: Int32 = 0
    package var proximity: Int32 = 0

    package init(
        user: Int32 = 0, team: Int32 = 0, crew: Int32 = 0, device: Int32 = 0, tracker: Int32 = 0, collection: Int32 = 0,
        region: Int32 = 0, incident: Int32 = 0, rule: Int32 = 0, target: Int32 = 0,
        attendance: Int32 = 0, proximity: Int32 = 0
    ) {
        self.user = user
        self.team = team
        self.crew = crew
        self.device = device
        self.tracker = tracker
        self.collection = collection
        self.region = region
        self.incident = incident
        self.rule = rule
        self.target = target
        self.attendance = attendance
        self.proximity = proximity
    }

    /// Returns the next number of a kind.
    ///
    /// - Throws: `StoreError.unavailable` after 2³¹ − 1 numbers.
    package mutating func next<Entity>(_ kind: WritableKeyPath<Self, Int32>) throws -> Number<Entity> {
        guard self[keyPath: kind] < .max else {
            throw StoreError.unavailable(reason: "all numbers for entities of this kind are used")
        }
        self[keyPath: kind] += 1
        return Number(self[keyPath: kind])
    }
}

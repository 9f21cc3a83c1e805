import MusterCore

/// The numbers given last, for each kind of entity. A number is never given twice, also not after a removal.
struct LastNumbers: Equatable {
    var user: Int32 = 0
    var team: Int32 = 0
    var device: Int32 = 0
    var tracker: Int32 = 0
    var collection: Int32 = 0
    var region: Int32 = 0
    var incident: Int32 = 0
    var rule: Int32 = 0
    var target: Int32 = 0

    /// The next number of the kind at `kind`.
    ///
    /// - Throws: `StoreError.unavailable` after 2³¹ − 1 of them.
    mutating func next<Entity>(_ kind: WritableKeyPath<Self, Int32>) throws -> Number<Entity> {
        guard self[keyPath: kind] < .max else { throw StoreError.unavailable(reason: "no number is left") }
        self[keyPath: kind] += 1
        return Number(self[keyPath: kind])
    }
}

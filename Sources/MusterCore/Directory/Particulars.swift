/// The description, tags and times of a tracker or a collection. No decision uses them.
public struct Particulars: Hashable, Sendable {
    /// The purpose of the entity, as a user described it.
    public var description: String
    /// Tags by their keys.
    public var tags: [String: String]
    /// When the entity was made and last changed.
    public var times: EditTimes

    /// Creates particulars; empty ones by default.
    public init(description: String = "", tags: [String: String] = [:], times: EditTimes = EditTimes()) {
        self.description = description
        self.tags = tags
        self.times = times
    }
}

/// When an entity of the directory was made and last changed. The writer sets both times when it stores an edit,
/// whatever the edit contains.
public struct EditTimes: Hashable, Sendable {
    /// When the entity was made.
    public var createdAt: Instant
    /// When the entity was last put.
    public var updatedAt: Instant

    /// Creates unknown times: 1970.
    public init() { self.init(createdAt: Instant(milliseconds: 0)) }

    /// Creates times; without `updatedAt` the entity has not changed since it was made.
    public init(createdAt: Instant, updatedAt: Instant? = nil) {
        self.createdAt = createdAt
        self.updatedAt = updatedAt ?? createdAt
    }
}

extension Edit {
    /// Returns the edit with the times of the entity that it puts: `updatedAt` is `now`, and `createdAt` is the
    /// directory's, or `now` for a new entity.
    public func stamped(at now: Instant, over directory: Directory) -> Edit {
        func times(_ former: EditTimes?) -> EditTimes {
            EditTimes(createdAt: former?.createdAt ?? now, updatedAt: now)
        }
        switch self {
        case .putTracker(var tracker):
            tracker.particulars.times = times(directory.trackers[tracker.number]?.particulars.times)
            return .putTracker(tracker)
        case .putCollection(var collection):
            collection.particulars.times = times(directory.collections[collection.number]?.particulars.times)
            return .putCollection(collection)
        case .putRegion(var region):
            region.times = times(directory.regions[region.number]?.times)
            return .putRegion(region)
        case .putRule(var rule):
            rule.times = times(directory.rules[rule.number]?.times)
            return .putRule(rule)
        case .putTarget(var target):
            target.times = times(directory.targets[target.number]?.times)
            return .putTarget(target)
        default: return self
        }
    }
}

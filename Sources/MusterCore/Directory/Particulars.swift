/// What is said of a tracker or a collection that no decision asks for.
public struct Particulars: Hashable, Sendable {
    /// What it is for, in a person's words.
    public var description: String
    /// Tags by their keys.
    public var tags: [String: String]
    /// When it was made and changed.
    public var times: EditTimes

    /// What is said of a thing; nothing unless told.
    public init(description: String = "", tags: [String: String] = [:], times: EditTimes = EditTimes()) {
        self.description = description
        self.tags = tags
        self.times = times
    }
}

/// When a thing of the directory was made and changed. The writer sets both with the edit, whatever the edit says.
public struct EditTimes: Hashable, Sendable {
    /// When it was made.
    public var createdAt: Instant
    /// When it was put last.
    public var updatedAt: Instant

    /// Times that are not known: 1970.
    public init() { self.init(createdAt: Instant(milliseconds: 0)) }

    /// Times of something made then, and changed then or later.
    public init(createdAt: Instant, updatedAt: Instant? = nil) {
        self.createdAt = createdAt
        self.updatedAt = updatedAt ?? createdAt
    }
}

extension Edit {
    /// The edit as it happens at `now`: what it puts is new, or keeps the time at which it was made.
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

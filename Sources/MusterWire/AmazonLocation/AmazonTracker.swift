package import MusterCore

/// What `CreateTracker` and `UpdateTracker` say of a tracker.
package struct AmazonTrackerSettings: Sendable {
    /// How positions are filtered; nil: not said.
    package var filter: PositionFilter?
    /// Whether stored positions are events; nil: not said.
    package var emitsPositionEvents: Bool?
    /// What it is for; nil: not said.
    package var description: String?

    /// Reads the members that both requests have.
    package init(_ request: AmazonMembers, _ faults: inout AmazonFaults) {
        let filtering: PositionFiltering? = request.word("PositionFiltering", &faults)
        filter = filtering?.filter
        emitsPositionEvents = request.boolean("EventBridgeEnabled", &faults)
        description = request.text("Description", .description, &faults)
    }
}

/// What is said of a new tracker or collection.
package struct AmazonResourceSettings: Sendable {
    /// Its name.
    package var name: String
    /// What it is for.
    package var description: String
    /// Its tags.
    package var tags: [String: String]

    /// Reads a request.
    ///
    /// - Parameter key: the member that holds the name.
    /// - Throws: everything that is wrong with the request.
    package init(_ request: AmazonMembers, named key: String, _ faults: inout AmazonFaults) throws(AmazonFaults) {
        let name = request.text(key, .resourceName, required: true, &faults)
        description = request.text("Description", .description, &faults) ?? ""
        tags = request.tags(required: false, &faults)
        if request.value("KmsKeyId", &faults) != nil {
            faults.note("KmsKeyId", "There is no key management here")
        }
        try faults.finish()
        guard let name else { throw faults }
        self.name = name
    }
}

extension AmazonMembers {
    /// Tags by their keys.
    package func tags(required: Bool, _ faults: inout AmazonFaults) -> [String: String] {
        let pairs = map("Tags", most: 50, keys: .tagKey, values: .tagValue, required: required, &faults) ?? []
        for pair in pairs where pair.key.lowercased().hasPrefix("aws:") {
            faults.note(name("Tags.\(pair.key)"), "Keys that begin with aws: are reserved")
        }
        return Dictionary(pairs.map { ($0.key, $0.value) }) { $1 }
    }
}

/// The model's words for filters. Muster's own `none` has none.
private enum PositionFiltering: String, CaseIterable {
    case timeBased = "TimeBased"
    case distanceBased = "DistanceBased"
    case accuracyBased = "AccuracyBased"

    var filter: PositionFilter {
        switch self {
        case .timeBased: .timeBased
        case .distanceBased: .distanceBased
        case .accuracyBased: .accuracyBased
        }
    }
}

extension JSONWriter {
    /// Writes what `DescribeTracker` says beside the names.
    package mutating func amazonMembers(of tracker: Tracker) {
        amazonMembers(of: tracker.particulars, withTags: true)
        if let filtering = PositionFiltering.allCases.first(where: { $0.filter == tracker.filter }) {
            member("PositionFiltering", filtering.rawValue)
        }
        member("EventBridgeEnabled", tracker.emitsPositionEvents)
        member("KmsKeyEnableGeospatialQueries", false)
    }

    /// Writes description, times and, where they belong, tags.
    package mutating func amazonMembers(of particulars: Particulars, withTags: Bool) {
        member("Description", particulars.description)
        member("PricingPlan", "RequestBasedUsage")
        member("CreateTime", particulars.times.createdAt)
        member("UpdateTime", particulars.times.updatedAt)
        if withTags {
            key("Tags")
            amazonMap(particulars.tags.sorted { $0.key < $1.key }.map { (key: $0.key, value: $0.value) })
        }
    }
}

package import MusterCore

/// The settings of a tracker in `CreateTracker` and `UpdateTracker`.
package struct AmazonTrackerSettings: Sendable {
    /// The filter of positions; nil when the request has none.
    package var filter: PositionFilter?
    /// Whether stored positions are events; nil when the request does not contain it.
    package var emitsPositionEvents: Bool?
    /// The description; nil when the request has none.
    package var description: String?

    /// Reads the members that both requests have.
    package init(_ request: AmazonMembers, _ faults: inout AmazonFaults) {
        let filtering: PositionFiltering? = request.word("PositionFiltering", &faults)
        filter = filtering?.filter
        emitsPositionEvents = request.boolean("EventBridgeEnabled", &faults)
        _ = request.boolean("KmsKeyEnableGeospatialQueries", &faults)
        request.checkPricing(&faults)
        description = request.text("Description", .description, &faults)
    }
}

/// The name, description and tags of a new tracker or collection.
package struct AmazonResourceSettings: Sendable {
    package var name: String
    package var description: String
    package var tags: [String: String]

    /// Reads a request.
    ///
    /// - Parameter key: the member that holds the name.
    /// - Throws: all faults of the request.
    package init(_ request: AmazonMembers, named key: String, _ faults: inout AmazonFaults) throws(AmazonFaults) {
        let name = request.text(key, .resourceName, required: true, &faults)
        description = request.text("Description", .description, &faults) ?? ""
        tags = request.tags(required: false, &faults)
        if request.value("KmsKeyId", &faults) != nil {
            faults.addFault("KmsKeyId", "There is no key management here")
        }
        try faults.finish()
        guard let name else { throw faults }
        self.name = name
    }
}

extension AmazonMembers {
    /// Returns the tags by their keys.
    package func tags(required: Bool, _ faults: inout AmazonFaults) -> [String: String] {
        let pairs = map("Tags", most: 50, keys: .tagKey, values: .tagValue, required: required, &faults) ?? []
        for pair in pairs where MusterTag.isReserved(pair.key) {
            faults.addFault(name("Tags.\(pair.key)"), MusterTag.refusal(of: pair.key))
        }
        return Dictionary(pairs.map { ($0.key, $0.value) }) { $1 }
    }
}

/// The tags that Muster itself shows, and that no client sets or removes.
package enum MusterTag {
    /// The policy of a collection's crossings, when it is not Amazon's.
    package static let policy = "muster:policy"

    /// Whether a key is reserved, so that clients may not use it.
    package static func isReserved(_ key: String) -> Bool {
        let lower = key.lowercased()
        return lower.hasPrefix("aws:") || lower.hasPrefix("muster:")
    }

    /// Returns the message that refuses a reserved key.
    package static func refusal(of key: String) -> String {
        "Keys that begin with aws: or muster: are reserved: \(key)"
    }
}

extension RegionCollection {
    /// The tags that clients see: the collection's own, and `muster:policy` when the collection is confident.
    package var amazonTags: [String: String] {
        policy == .confident ? particulars.tags.merging([MusterTag.policy: "confident"]) { $1 } : particulars.tags
    }
}

/// The model's names of pricing plans, which have no effect.
private enum PricingPlan: String, CaseIterable {
    case requestBasedUsage = "RequestBasedUsage"
    case mobileAssetTracking = "MobileAssetTracking"
    case mobileAssetManagement = "MobileAssetManagement"
}

extension AmazonMembers {
    /// Checks members that have no effect.
    package func checkPricing(_ faults: inout AmazonFaults) {
        let _: PricingPlan? = word("PricingPlan", &faults)
        _ = text("PricingPlanDataSource", .any, &faults)
    }
}

/// The model's names of filters. It has none for Muster's `none`.
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
    /// Writes the members of `DescribeTracker` besides the names.
    package mutating func amazonMembers(of tracker: Tracker) {
        amazonMembers(of: tracker.particulars, tags: tracker.particulars.tags)
        if let filtering = PositionFiltering.allCases.first(where: { $0.filter == tracker.filter }) {
            member("PositionFiltering", filtering.rawValue)
        }
        member("EventBridgeEnabled", tracker.emitsPositionEvents)
        member("KmsKeyEnableGeospatialQueries", false)
    }

    /// Writes the description and times, and the tags where the model has them.
    package mutating func amazonMembers(of particulars: Particulars, tags: [String: String]? = nil) {
        member("Description", particulars.description)
        member("PricingPlan", "RequestBasedUsage")
        member("CreateTime", particulars.times.createdAt)
        member("UpdateTime", particulars.times.updatedAt)
        if let tags {
            key("Tags")
            amazonMap(tags.sorted { $0.key < $1.key }.map { (key: $0.key, value: $0.value) })
        }
    }
}

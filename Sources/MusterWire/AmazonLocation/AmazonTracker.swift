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
        _ = request.boolean("KmsKeyEnableGeospatialQueries", &faults)
        request.checkPricing(&faults)
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
            faults.addFault("KmsKeyId", "There is no key management here")
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
        for pair in pairs where MusterTag.isReserved(pair.key) {
            faults.addFault(name("Tags.\(pair.key)"), MusterTag.refusal(of: pair.key))
        }
        return Dictionary(pairs.map { ($0.key, $0.value) }) { $1 }
    }
}

/// The tags that Muster itself shows; no client sets or removes them.
package enum MusterTag {
    /// By which policy a collection's crossings are decided, where that is not Amazon's.
    package static let policy = "muster:policy"

    /// Whether clients may not use a key.
    package static func isReserved(_ key: String) -> Bool {
        let lower = key.lowercased()
        return lower.hasPrefix("aws:") || lower.hasPrefix("muster:")
    }

    /// Why a reserved key is refused.
    package static func refusal(of key: String) -> String {
        "Keys that begin with aws: or muster: are reserved: \(key)"
    }
}

extension RegionCollection {
    /// The tags that clients see: its own, and `muster:policy` where the collection is confident.
    package var amazonTags: [String: String] {
        policy == .confident ? particulars.tags.merging([MusterTag.policy: "confident"]) { $1 } : particulars.tags
    }
}

/// The model's words for pricing, which is passed over.
private enum PricingPlan: String, CaseIterable {
    case requestBasedUsage = "RequestBasedUsage"
    case mobileAssetTracking = "MobileAssetTracking"
    case mobileAssetManagement = "MobileAssetManagement"
}

extension AmazonMembers {
    /// Looks at members that change nothing here.
    package func checkPricing(_ faults: inout AmazonFaults) {
        let _: PricingPlan? = word("PricingPlan", &faults)
        _ = text("PricingPlanDataSource", .any, &faults)
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
        amazonMembers(of: tracker.particulars, tags: tracker.particulars.tags)
        if let filtering = PositionFiltering.allCases.first(where: { $0.filter == tracker.filter }) {
            member("PositionFiltering", filtering.rawValue)
        }
        member("EventBridgeEnabled", tracker.emitsPositionEvents)
        member("KmsKeyEnableGeospatialQueries", false)
    }

    /// Writes description, times and, where they belong, tags.
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

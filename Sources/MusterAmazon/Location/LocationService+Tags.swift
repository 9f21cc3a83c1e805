import HTTPTypes
import MusterCore
import MusterServer
import MusterWire

/// Amazon Location's operations on the tags of trackers and collections.
extension LocationService {
    /// The largest number of tags of one resource.
    private static let tagLimit = 50

    func addTags(to routes: inout RouteTable) {
        let tags = "/tags/{arn}"
        add("ListTagsForResource", .get, tags, admits: Self.fenceReaders, to: &routes, listTags)
        add("TagResource", .post, tags, admits: Self.fenceWriters, to: &routes, tag)
        add(
            "UntagResource", .delete, tags, admits: Self.fenceWriters,
            query: [.init("tagKeys", "The key of a tag; may be repeated.", schema: #"{"type":"string"}"#)],
            to: &routes, untag)
    }

    private func listTags(_ call: AmazonCall) async throws -> [UInt8] {
        let tags = try tagged(call, in: coordinator.directory, toChange: false).shownTags
        return JSONWriter.object { writer in
            writer.key("Tags")
            writer.amazonMap(tags.sorted { $0.key < $1.key }.map { (key: $0.key, value: $0.value) })
        }
    }

    private func tag(_ call: AmazonCall) async throws -> [UInt8] {
        let tags = try call.read { $0.tags(required: true, &$1) }
        return try await change(call) { $0.merge(tags) { $1 } }
    }

    private func untag(_ call: AmazonCall) async throws -> [UInt8] {
        let keys = Query(call.request).texts("tagKeys")
        guard (1...Self.tagLimit).contains(keys.count) else {
            throw AmazonError.validation("tagKeys", "must be 1 to \(Self.tagLimit) keys")
        }
        if let key = keys.first(where: MusterTag.isReserved) {
            throw AmazonError.validation("tagKeys", MusterTag.refusal(of: key))
        }
        return try await change(call) { tags in
            for key in keys { tags[key] = nil }
        }
    }

    private func change(
        _ call: AmazonCall, _ body: @escaping @Sendable (inout [String: String]) -> Void
    ) async throws -> [UInt8] {
        try await coordinator.edit(by: call.author) { directory, draft in
            var thing = try tagged(call, in: directory, toChange: true)
            body(&thing.particulars.tags)
            guard thing.particulars.tags.count <= Self.tagLimit else {
                throw AmazonError.validation("Tags", "would be more than \(Self.tagLimit)")
            }
            draft.edits = [thing.edit]
        }
        return JSONWriter.object { _ in }
    }

    /// The resource that the path names, if the caller may read, or change, its tags.
    private func tagged(
        _ call: AmazonCall, in directory: Directory, toChange: Bool
    ) throws(AmazonError) -> TaggedResource {
        let arn = try call.parameter("arn")
        if let fault = AmazonText.arn.fault(in: arn) { throw .validation("ResourceArn", fault) }
        switch AmazonResource(arn: arn) {
        case .tracker(let name):
            let (tracker, _) = try self.tracker(named: name, call, for: .itself, in: directory)
            guard !toChange || call.access(in: directory).mayChangeTrackers else {
                throw .denied("Only admins change trackers.")
            }
            return .tracker(tracker)
        case .collection(let name):
            let collection = try self.collection(named: name, in: directory)
            guard !toChange || call.access(in: directory).mayChange(collection) else {
                throw .notYourCollection
            }
            return .collection(collection)
        case nil: throw .notFound("Resource not found: \(arn).")
        }
    }
}

private enum TaggedResource {
    case tracker(Tracker)
    case collection(RegionCollection)

    var particulars: Particulars {
        get {
            switch self {
            case .tracker(let tracker): tracker.particulars
            case .collection(let collection): collection.particulars
            }
        }
        set {
            switch self {
            case .tracker(var tracker):
                tracker.particulars = newValue
                self = .tracker(tracker)
            case .collection(var collection):
                collection.particulars = newValue
                self = .collection(collection)
            }
        }
    }

    /// The tags that clients see.
    var shownTags: [String: String] {
        switch self {
        case .tracker(let tracker): tracker.particulars.tags
        case .collection(let collection): collection.amazonTags
        }
    }

    var edit: Edit {
        switch self {
        case .tracker(let tracker): .putTracker(tracker)
        case .collection(let collection): .putCollection(collection)
        }
    }
}

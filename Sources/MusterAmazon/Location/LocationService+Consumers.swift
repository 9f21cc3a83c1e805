import HTTPTypes
import MusterCore
import MusterServer
import MusterWire

/// Amazon Location's operations that link a tracker to a geofence collection, its consumer.
extension LocationService {
    func addConsumers(to routes: inout RouteTable) {
        let tracker = "\(Self.trackers)/{tracker}"
        add(
            "AssociateTrackerConsumer", .post, "\(tracker)/consumers", admits: [.admin], to: &routes,
            associateConsumer)
        add(
            "DisassociateTrackerConsumer", .delete, "\(tracker)/consumers/{arn}", admits: [.admin], to: &routes,
            disassociateConsumer)
        add(
            "ListTrackerConsumers", .post, "\(tracker)/list-consumers", admits: [.admin, .leader], to: &routes,
            listConsumers)
    }

    private func associateConsumer(_ call: AmazonCall) async throws -> [UInt8] {
        let name = try call.read { $0.text("ConsumerArn", .arn, required: true, &$1) } ?? ""
        try await coordinator.edit(by: call.author) { directory, draft in
            var (tracker, _) = try self.tracker(call, for: .itself, in: directory)
            let collection = try consumer(name, in: directory)
            guard !tracker.collections.contains(collection.number) else {
                throw AmazonError.conflict("\(name) consumes this tracker already.")
            }
            guard tracker.collections.count < Quota.consumers else {
                throw AmazonError.quota("A tracker has at most \(Quota.consumers) consumers.")
            }
            tracker.collections.append(collection.number)
            draft.edits = [.putTracker(tracker)]
        }
        return JSONWriter.object { _ in }
    }

    private func disassociateConsumer(_ call: AmazonCall) async throws -> [UInt8] {
        let name = try call.parameter("arn")
        try await coordinator.edit(by: call.author) { directory, draft in
            var (tracker, _) = try self.tracker(call, for: .itself, in: directory)
            let collection = try consumer(name, in: directory)
            guard tracker.collections.contains(collection.number) else {
                throw AmazonError.notFound("\(name) does not consume this tracker.")
            }
            tracker.collections.removeAll { $0 == collection.number }
            draft.edits = [.putTracker(tracker)]
        }
        return JSONWriter.object { _ in }
    }

    private func listConsumers(_ call: AmazonCall) async throws -> [UInt8] {
        let (limit, token) = try call.read { ($0.pageSize(most: 100, &$1), $0.text("NextToken", .token, &$1)) }
        let directory = coordinator.directory
        let (tracker, _) = try self.tracker(call, for: .itself, in: directory)
        let collections = tracker.collections.sorted().lazy.compactMap { directory.collections[$0] }
        let page = try AmazonToken.page(
            of: collections, limit: limit, after: token, .consumers, of: tracker.number.rawValue)
        return JSONWriter.object { writer in
            writer.member("ConsumerArns", listing: page.items) { $0.value(arn(.collection($1.name))) }
            writer.member("NextToken", page.next)
        }
    }

    /// The collection that a resource name refers to.
    private func consumer(_ name: String, in directory: Directory) throws(AmazonError) -> RegionCollection {
        if let fault = AmazonText.arn.fault(in: name) { throw .validation("ConsumerArn", fault) }
        guard case .collection(let collection) = AmazonResource(arn: name) else {
            throw .notFound("Geofence collection not found: \(name).")
        }
        return try self.collection(named: collection, in: directory)
    }
}

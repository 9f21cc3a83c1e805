import HTTPTypes
import MusterCore
import MusterServer
import MusterStore
import MusterWire

/// Amazon Location's `BatchEvaluateGeofences`: positions against one collection.
extension LocationService {
    func addEvaluation(to routes: inout RouteTable) {
        add(
            "BatchEvaluateGeofences", .post, "\(Self.collections)/{collection}/positions",
            admits: Self.fenceWriters, to: &routes, evaluate)
    }

    /// The name of the team, and of its tracker, for devices that are evaluated against a collection without a tracker.
    /// No tracker that an AWS client creates can have this name.
    static func evaluationName(of collection: RegionCollection) -> String {
        collection.name + Tracker.evaluationSuffix
    }

    /// Evaluates positions against one collection. They are reported to a separate tracker that is linked to nothing
    /// else, so that presences, events and the log treat them like any position.
    private func evaluate(_ call: AmazonCall) async throws -> [UInt8] {
        let updates = try call.read { AmazonPositionUpdate.list("DevicePositionUpdates", of: $0, &$1) }
        let directory = coordinator.directory
        let collection = try self.collection(call, in: directory)
        guard call.access(in: directory).mayEvaluate(collection) else { throw AmazonError.notYourCollection }
        let (tracker, team) = try await evaluationTracker(of: collection, for: call, in: directory)
        let reporter = Reporter(access: call.access(in: coordinator.directory), makesDevices: true)
        return try await report(updates, to: tracker, of: team, as: reporter)
    }

    private func evaluationTracker(
        of collection: RegionCollection, for call: AmazonCall, in directory: Directory
    ) async throws -> (Tracker, Team) {
        let name = Self.evaluationName(of: collection)
        @Sendable func existing(_ directory: Directory) -> (Tracker, Team)? {
            guard let team = directory.teams[name], let tracker = directory.trackers[team.tracker] else { return nil }
            return (tracker, team)
        }
        if let found = existing(directory) { return found }
        return try await coordinator.edit(by: call.author) { directory, draft in
            if let found = existing(directory) { return found }
            guard directory.collections[collection.number] != nil else {
                throw AmazonError.noCollection(collection.name)
            }
            guard directory.trackers[name] == nil else {
                throw AmazonError.conflict("The name \(name) is taken by another tracker.")
            }
            let tracker = Tracker(
                number: try draft.transaction.nextTrackerNumber(), name: name, filter: .none,
                collections: [collection.number])
            let team = Team(number: try draft.transaction.nextTeamNumber(), name: name, tracker: tracker.number)
            draft.edits = [.putTracker(tracker), .putTeam(team)]
            return (tracker, team)
        }
    }
}

import HTTPTypes
import MusterCore
import MusterServer
import MusterStore
import MusterWire

/// Amazon Location's operations on trackers: create, list, describe, update, delete.
extension LocationService {
    /// The path of trackers.
    static let trackers = "/tracking/v0/trackers"

    func addTrackers(to routes: inout RouteTable) {
        let tracker = "\(Self.trackers)/{tracker}"
        add("CreateTracker", .post, Self.trackers, admits: [.admin], to: &routes, createTracker)
        add("ListTrackers", .post, "/tracking/v0/list-trackers", admits: [.admin, .leader], to: &routes, listTrackers)
        add("DescribeTracker", .get, tracker, admits: [.admin, .leader], to: &routes, describeTracker)
        add("UpdateTracker", .patch, tracker, admits: [.admin], to: &routes, updateTracker)
        add("DeleteTracker", .delete, tracker, admits: [.admin], to: &routes, deleteTracker)
    }

    private func createTracker(_ call: AmazonCall) async throws -> [UInt8] {
        let (resource, settings) = try call.read { request, faults in
            let settings = AmazonTrackerSettings(request, &faults)
            return (try AmazonResourceSettings(request, named: "TrackerName", &faults), settings)
        }
        let number = try await coordinator.edit(by: call.author) { directory, draft in
            guard directory.trackers[resource.name] == nil, directory.teams[resource.name] == nil else {
                throw AmazonError.conflict("Tracker already exists: \(resource.name).")
            }
            guard directory.teams.count < Quota.trackers else {
                throw AmazonError.quota("There are already \(Quota.trackers) trackers, the limit.")
            }
            let tracker = Tracker(
                number: try draft.transaction.nextTrackerNumber(), name: resource.name,
                filter: settings.filter ?? .timeBased, collections: [],
                emitsPositionEvents: settings.emitsPositionEvents ?? false,
                particulars: Particulars(description: resource.description, tags: resource.tags))
            let team = Team(
                number: try draft.transaction.nextTeamNumber(), name: resource.name, tracker: tracker.number)
            draft.edits = [.putTracker(tracker), .putTeam(team)]
            return tracker.number
        }
        let createdAt = coordinator.directory.trackers[number]?.particulars.times.createdAt ?? configuration.now()
        return JSONWriter.object { writer in
            writer.member("TrackerName", resource.name)
            writer.member("TrackerArn", arn(.tracker(resource.name)))
            writer.member("CreateTime", createdAt)
        }
    }

    private func listTrackers(_ call: AmazonCall) async throws -> [UInt8] {
        let (limit, token) = try call.read { ($0.pageSize(most: 100, &$1), $0.text("NextToken", .token, &$1)) }
        let directory = coordinator.directory
        let access = call.access(in: directory)
        let visible = directory.trackers.all.lazy.filter { tracker in
            AmazonText.resourceName.allows(tracker.name) && access.mayRead(tracker)
                && directory.team(of: tracker) != nil
        }
        let page = try AmazonToken.page(of: visible, limit: limit, after: token, .trackers)
        return JSONWriter.object { writer in
            writer.member("Entries", listing: page.items) { writer, tracker in
                writer.beginObject()
                writer.member("TrackerName", tracker.name)
                writer.amazonMembers(of: tracker.particulars)
                writer.endObject()
            }
            writer.member("NextToken", page.next)
        }
    }

    private func describeTracker(_ call: AmazonCall) async throws -> [UInt8] {
        let (tracker, _) = try self.tracker(call, for: .itself, in: coordinator.directory)
        return JSONWriter.object { writer in
            writer.member("TrackerName", tracker.name)
            writer.member("TrackerArn", arn(.tracker(tracker.name)))
            writer.amazonMembers(of: tracker)
        }
    }

    private func updateTracker(_ call: AmazonCall) async throws -> [UInt8] {
        let settings = try call.read { AmazonTrackerSettings($0, &$1) }
        let tracker = try await coordinator.edit(by: call.author) { directory, draft in
            var (tracker, _) = try self.tracker(call, for: .itself, in: directory)
            if let filter = settings.filter { tracker.filter = filter }
            if let emits = settings.emitsPositionEvents { tracker.emitsPositionEvents = emits }
            if let description = settings.description { tracker.particulars.description = description }
            draft.edits = [.putTracker(tracker)]
            return tracker
        }
        let stored = coordinator.directory.trackers[tracker.number] ?? tracker
        return JSONWriter.object { writer in
            writer.member("TrackerName", tracker.name)
            writer.member("TrackerArn", arn(.tracker(tracker.name)))
            writer.member("UpdateTime", stored.particulars.times.updatedAt)
        }
    }

    private func deleteTracker(_ call: AmazonCall) async throws -> [UInt8] {
        try await coordinator.edit(by: call.author) { directory, draft in
            let (_, team) = try tracker(call, for: .itself, in: directory)
            draft.edits = directory.removalWithImplicitUsers(of: team.number)
        }
        return JSONWriter.object { _ in }
    }
}

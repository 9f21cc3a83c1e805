import HTTPTypes
import MusterCore
import MusterServer
import MusterStore
import MusterWire

/// Amazon Location's operations on geofence collections: create, list, describe, update, delete.
extension LocationService {
    /// The path of collections.
    static let collections = "/geofencing/v0/collections"
    /// The roles that may read collections and geofences, because these are places, not people.
    static let fenceReaders: Set<Role> = [.admin, .analyst, .leader, .member]
    /// The roles that may change some collections and geofences.
    static let fenceWriters: Set<Role> = [.admin, .leader]

    func addCollections(to routes: inout RouteTable) {
        let collection = "\(Self.collections)/{collection}"
        add(
            "CreateGeofenceCollection", .post, Self.collections, admits: Self.fenceWriters, to: &routes,
            createCollection)
        add(
            "ListGeofenceCollections", .post, "/geofencing/v0/list-collections", admits: Self.fenceReaders,
            to: &routes, listCollections)
        add(
            "DescribeGeofenceCollection", .get, collection, admits: Self.fenceReaders, to: &routes,
            describeCollection)
        add("UpdateGeofenceCollection", .patch, collection, admits: Self.fenceWriters, to: &routes, updateCollection)
        add("DeleteGeofenceCollection", .delete, collection, admits: [.admin], to: &routes, deleteCollection)
    }

    private func createCollection(_ call: AmazonCall) async throws -> [UInt8] {
        let resource = try call.read { request, faults in
            request.checkPricing(&faults)
            return try AmazonResourceSettings(request, named: "CollectionName", &faults)
        }
        let number = try await coordinator.edit(by: call.author) { directory, draft in
            guard directory.collections[resource.name] == nil else {
                throw AmazonError.conflict("Geofence collection already exists: \(resource.name).")
            }
            let collection = RegionCollection(
                number: try draft.transaction.nextCollectionNumber(), name: resource.name, policy: .raw,
                particulars: Particulars(description: resource.description, tags: resource.tags))
            draft.edits = [.putCollection(collection)] + Self.link(collection, by: call.access(in: directory))
            return collection.number
        }
        let createdAt = coordinator.directory.collections[number]?.particulars.times.createdAt ?? configuration.now()
        return JSONWriter.object { writer in
            writer.member("CollectionName", resource.name)
            writer.member("CollectionArn", arn(.collection(resource.name)))
            writer.member("CreateTime", createdAt)
        }
    }

    /// A leader's new collection is linked to the tracker of the leader's team, because a leader may change no other.
    /// An admin's is linked to none.
    private static func link(_ collection: RegionCollection, by access: Access) -> [Edit] {
        guard var tracker = access.ledTracker else { return [] }
        tracker.collections.append(collection.number)
        return [.putTracker(tracker)]
    }

    private func listCollections(_ call: AmazonCall) async throws -> [UInt8] {
        let (limit, token) = try call.read { ($0.pageSize(most: 100, &$1), $0.text("NextToken", .token, &$1)) }
        let visible = coordinator.directory.collections.all.lazy.filter { AmazonText.resourceName.allows($0.name) }
        let page = try AmazonToken.page(of: visible, limit: limit, after: token, .collections)
        return JSONWriter.object { writer in
            writer.member("Entries", listing: page.items) { writer, collection in
                writer.beginObject()
                writer.member("CollectionName", collection.name)
                writer.amazonMembers(of: collection.particulars)
                writer.endObject()
            }
            writer.member("NextToken", page.next)
        }
    }

    private func describeCollection(_ call: AmazonCall) async throws -> [UInt8] {
        let directory = coordinator.directory
        let collection = try self.collection(call, in: directory)
        return JSONWriter.object { writer in
            writer.member("CollectionName", collection.name)
            writer.member("CollectionArn", arn(.collection(collection.name)))
            writer.amazonMembers(of: collection.particulars, tags: collection.amazonTags)
            writer.member("GeofenceCount", directory.regionCount(in: collection.number))
        }
    }

    private func updateCollection(_ call: AmazonCall) async throws -> [UInt8] {
        let description = try call.read { request, faults in
            request.checkPricing(&faults)
            return request.text("Description", .description, &faults)
        }
        let collection = try await coordinator.edit(by: call.author) { directory, draft in
            var collection = try changeableCollection(call, in: directory)
            if let description { collection.particulars.description = description }
            draft.edits = [.putCollection(collection)]
            return collection
        }
        let stored = coordinator.directory.collections[collection.number] ?? collection
        return JSONWriter.object { writer in
            writer.member("CollectionName", collection.name)
            writer.member("CollectionArn", arn(.collection(collection.name)))
            writer.member("UpdateTime", stored.particulars.times.updatedAt)
        }
    }

    private func deleteCollection(_ call: AmazonCall) async throws -> [UInt8] {
        try await coordinator.edit(by: call.author) { directory, draft in
            let collection = try self.collection(call, in: directory)
            // Implicit users that were only evaluated against this collection are removed with it.
            let evaluated = directory.teams[Self.evaluationName(of: collection)]
            draft.edits =
                (evaluated.map { directory.removalWithImplicitUsers(of: $0.number) } ?? [])
                + directory.removal(of: collection.number).filter { edit in
                    if case .putTracker(let tracker) = edit { tracker.number != evaluated?.tracker } else { true }
                }
        }
        return JSONWriter.object { _ in }
    }
}

import HTTPTypes
import MusterCore
import MusterGeometry
import MusterServer
import MusterStore
import MusterWire

/// A geofence as a request describes it.
private struct FenceDraft: Sendable {
    var id: String
    var geometry: AmazonGeometry
    var properties: String?

    /// Parses geometry and properties.
    init?(_ members: AmazonMembers, id: String?, _ faults: inout AmazonFaults) {
        let geometry = members.object("Geometry", required: true, &faults).flatMap { AmazonGeometry($0, &faults) }
        let properties = members.map(
            "GeofenceProperties", most: 3, keys: .propertyKey, values: .geofenceProperty, &faults)
        guard let id, let geometry else { return nil }
        self.id = id
        self.geometry = geometry
        self.properties = properties.flatMap(AmazonProperties.text)
    }
}

/// A geofence whose geometry is valid.
private struct SoundFence: Sendable {
    var id: String
    var shape: Shape
    var properties: String?
}

extension LocationService {
    func addFences(to routes: inout RouteTable) {
        let fences = "\(Self.collections)/{collection}"
        add("PutGeofence", .put, "\(fences)/geofences/{region}", admits: Self.fenceWriters, to: &routes, putFence)
        add("GetGeofence", .get, "\(fences)/geofences/{region}", admits: Self.fenceReaders, to: &routes, getFence)
        add("ListGeofences", .post, "\(fences)/list-geofences", admits: Self.fenceReaders, to: &routes, listFences)
    }

    func addFenceBatches(to routes: inout RouteTable) {
        let fences = "\(Self.collections)/{collection}"
        add(
            "BatchPutGeofence", .post, "\(fences)/put-geofences", admits: Self.fenceWriters,
            bodyLimit: Self.largeBodyLimit, to: &routes, putFences)
        add(
            "BatchDeleteGeofence", .post, "\(fences)/delete-geofences", admits: Self.fenceWriters, to: &routes,
            deleteFences)
    }

    private func getFence(_ call: AmazonCall) async throws -> [UInt8] {
        let directory = coordinator.directory
        let collection = try self.collection(call, in: directory)
        let id = try call.parameter("region")
        guard let region = directory.region(id, in: collection.number), region.shape != nil else {
            if let fault = AmazonText.id.fault(in: id) { throw AmazonError.validation("GeofenceId", fault) }
            throw AmazonError.notFound("Geofence not found: \(id).")
        }
        return JSONWriter.object { $0.amazonMembers(region) }
    }

    private func listFences(_ call: AmazonCall) async throws -> [UInt8] {
        let (limit, token) = try call.read { ($0.pageSize(most: 100, &$1), $0.text("NextToken", .token, &$1)) }
        let directory = coordinator.directory
        let collection = try self.collection(call, in: directory)
        let regions = directory.regions(in: collection.number).lazy.compactMap { directory.regions[$0] }
            // AWS has no geofence without a place, so beacon regions without one are left out.
            .filter { $0.shape != nil }
        var page = try AmazonToken.page(
            of: regions, limit: limit, after: token, .fences, of: collection.number.rawValue)
        let count = Self.countOnPage(page.items)
        if count < page.items.count, let last = page.items.prefix(count).last {
            page.items.removeLast(page.items.count - count)
            page.next = AmazonToken.encode(
                .fences, of: collection.number.rawValue, [Int64(last.number.rawValue)])
        }
        return JSONWriter.object { [page] writer in
            writer.member("Entries", listing: page.items) { writer, region in
                writer.beginObject()
                writer.amazonMembers(region)
                writer.endObject()
            }
            writer.member("NextToken", page.next)
        }
    }

    /// The largest number of vertices on a page of geofences, unless the first geofence has more. Keeps a page to some
    /// megabytes.
    private static let pageVertices = 100_000

    /// The number of these regions that fit on a page.
    private static func countOnPage(_ regions: [Region]) -> Int {
        var vertices = 0
        for (index, region) in regions.enumerated() {
            vertices += region.shape?.positionCount ?? 0
            if vertices > pageVertices, index > 0 { return index }
        }
        return regions.count
    }

    private func putFence(_ call: AmazonCall) async throws -> [UInt8] {
        let id = try call.parameter("region")
        if let fault = AmazonText.id.fault(in: id) { throw AmazonError.validation("GeofenceId", fault) }
        let draft = try call.read { FenceDraft($0, id: id, &$1) }
        guard let draft else { throw AmazonError.internalError }
        // Checks the caller's rights before the costly check of the geometry.
        _ = try changeableCollection(call, in: coordinator.directory)
        let (fences, failures) = try await coordinator.read { _ in Self.sound([draft]) }
        if let failure = failures.first { throw AmazonError.validation("Geometry", failure.message) }
        let times = try await storeFences(fences, call)
        return JSONWriter.object { $0.amazonMembers(putAs: id, times[id]) }
    }

    private func putFences(_ call: AmazonCall) async throws -> [UInt8] {
        let drafts = try call.read { request, faults in
            request.objects("Entries", 1...10, &faults).compactMap { entry in
                FenceDraft(entry, id: entry.text("GeofenceId", .id, required: true, &faults), &faults)
            }
        }
        // Checks the caller's rights before the costly check of the geometry.
        _ = try changeableCollection(call, in: coordinator.directory)
        let (fences, failures) = try await coordinator.read { _ in Self.sound(drafts) }
        let times = fences.isEmpty ? [:] : try await storeFences(fences, call)
        return JSONWriter.object { writer in
            writer.member("Successes", listing: fences) { writer, fence in
                writer.beginObject()
                writer.amazonMembers(putAs: fence.id, times[fence.id])
                writer.endObject()
            }
            writer.amazonFailures(failures)
        }
    }

    /// Separates the valid geofences from the failures of the others.
    private static func sound(_ drafts: [FenceDraft]) -> ([SoundFence], [FenceFailure]) {
        var fences: [SoundFence] = []
        var failures: [FenceFailure] = []
        for draft in drafts {
            do throws(AmazonGeometryError) {
                let shape = try draft.geometry.shape()
                if fences.contains(where: { $0.id == draft.id }) {
                    failures.append(.init(draft.id, "ValidationError", "The batch contains this id twice."))
                } else {
                    fences.append(SoundFence(id: draft.id, shape: shape, properties: draft.properties))
                }
            } catch {
                failures.append(.init(draft.id, "ValidationError", error.message))
            }
        }
        return (fences, failures)
    }

    /// Stores geofences, and replaces those with the same ids. Attributes that only Muster knows, such as being a
    /// muster region, stay.
    ///
    /// - Returns: when each was created and changed.
    private func storeFences(_ fences: [SoundFence], _ call: AmazonCall) async throws -> [String: EditTimes] {
        let collection = try await coordinator.edit(by: call.author) { directory, draft in
            let collection = try changeableCollection(call, in: directory)
            let fresh = fences.count { directory.region($0.id, in: collection.number) == nil }
            guard directory.regionCount(in: collection.number) + fresh <= Quota.fences,
                directory.regions.count + fresh <= Directory.regionLimit
            else { throw AmazonError.quota("A collection has at most \(Quota.fences) geofences.") }
            for fence in fences {
                var region =
                    try directory.region(fence.id, in: collection.number)
                    ?? Region(
                        number: draft.transaction.nextRegionNumber(), collection: collection.number, id: fence.id,
                        name: fence.id, shape: fence.shape)
                // A geofence from AWS is always decided by positions.
                region.shape = fence.shape
                region.beacon = nil
                region.properties = fence.properties
                draft.edits.append(.putRegion(region))
            }
            return collection.number
        }
        let directory = coordinator.directory
        return Dictionary(
            fences.compactMap { fence in directory.region(fence.id, in: collection).map { (fence.id, $0.times) } },
            uniquingKeysWith: { $1 })
    }

    private func deleteFences(_ call: AmazonCall) async throws -> [UInt8] {
        let ids = try call.read { $0.texts("GeofenceIds", 1...10, .id, &$1) }
        let failures = try await coordinator.edit(by: call.author) { directory, draft in
            let collection = try changeableCollection(call, in: directory)
            var failures: [FenceFailure] = []
            for id in Set(ids).sorted() {
                if let region = directory.region(id, in: collection.number) {
                    draft.edits.append(.removeRegion(region.number, from: collection.number))
                } else {
                    failures.append(.init(id, "ResourceNotFoundError", "Geofence not found: \(id)."))
                }
            }
            return failures
        }
        return JSONWriter.object { $0.amazonFailures(failures) }
    }
}

/// The failure of one geofence of a batch.
private struct FenceFailure: Sendable {
    let id: String
    let code: String
    let message: String

    init(_ id: String, _ code: String, _ message: String) {
        self.id = id
        self.code = code
        self.message = message
    }
}

extension JSONWriter {
    fileprivate mutating func amazonFailures(_ failures: [FenceFailure]) {
        member("Errors", listing: failures) { writer, failure in
            writer.beginObject()
            writer.member("GeofenceId", failure.id)
            writer.amazonItemError(failure.code, failure.message)
            writer.endObject()
        }
    }

    fileprivate mutating func amazonMembers(putAs id: String, _ times: EditTimes?) {
        let times = times ?? EditTimes()
        member("GeofenceId", id)
        member("CreateTime", times.createdAt)
        member("UpdateTime", times.updatedAt)
    }

    fileprivate mutating func amazonMembers(_ region: Region) {
        amazonMembers(putAs: region.id, region.times)
        member("Status", "ACTIVE")
        key("Geometry")
        if let shape = region.shape { amazonGeometry(shape) } else { raw("null") }
        let properties = AmazonProperties.fitting(region.properties, most: 3, valueLimit: 40)
        if !properties.isEmpty {
            key("GeofenceProperties")
            amazonMap(properties)
        }
    }
}

import HTTPTypes
import MusterCore
import MusterServer
import MusterStore
import MusterWire

/// The settings of identity pools, for an admin: push applications, streams, and the sync trigger.
extension CognitoSyncService {
    func addPools(to routes: inout RouteTable) {
        add(
            "GetIdentityPoolConfiguration", .get, "\(Self.pool)/configuration", admits: [.admin], to: &routes,
            getConfiguration)
        add(
            "SetIdentityPoolConfiguration", .post, "\(Self.pool)/configuration", admits: [.admin], to: &routes,
            setConfiguration)
        add("GetCognitoEvents", .get, "\(Self.pool)/events", admits: [.admin], to: &routes, getEvents)
        add("SetCognitoEvents", .post, "\(Self.pool)/events", admits: [.admin], to: &routes, setEvents)
    }

    private func getConfiguration(_ call: AmazonCall) async throws -> [UInt8] {
        let team = try pool(call)
        return poolJSON(team, try await coordinator.read { try $0.poolSettings(of: team) })
    }

    private func poolJSON(_ team: TeamNumber?, _ settings: PoolSettings) -> [UInt8] {
        JSONWriter.object { writer in
            writer.member("IdentityPoolId", coordinator.origin.text(of: .pool(team)))
            if let configuration = settings.configuration { writer.members(of: Array(configuration.utf8)) }
        }
    }

    private func setConfiguration(_ call: AmazonCall) async throws -> [UInt8] {
        let team = try pool(call)
        let directory = coordinator.directory
        let configuration = try call.read { members, faults in
            JSONWriter.object { writer in
                if let push = members.object("PushSync", &faults) { writer.push(push, &faults) }
                if let streams = members.object("CognitoStreams", &faults) {
                    writer.streams(streams, directory, &faults)
                }
            }
        }
        return poolJSON(
            team,
            try await change(team, by: call.author) {
                $0.configuration = String(decoding: configuration, as: UTF8.self)
            })
    }

    /// Changes a pool's settings, and returns them.
    private func change(
        _ team: TeamNumber?, by author: Author, _ change: @escaping @Sendable (inout PoolSettings) -> Void
    ) async throws -> PoolSettings {
        let id = coordinator.origin.text(of: .pool(team))
        return try await coordinator.edit(by: author) { _, draft in
            var settings = try draft.transaction.settings(ofPool: team)
            change(&settings)
            try draft.transaction.put(settings, ofPool: team)
            draft.addAction(.poolChanged, label: id)
            return settings
        }
    }

    // MARK: The sync trigger

    private static let trigger = "SyncTrigger"

    private func getEvents(_ call: AmazonCall) async throws -> [UInt8] {
        let team = try pool(call)
        let settings = try await coordinator.read { try $0.poolSettings(of: team) }
        return JSONWriter.object { writer in
            writer.key("Events")
            writer.beginObject()
            writer.member("SyncTrigger", settings.syncTrigger)
            writer.endObject()
        }
    }

    private func setEvents(_ call: AmazonCall) async throws -> [UInt8] {
        let team = try pool(call)
        let events = try call.read { members, faults in
            members.map("Events", most: 1, keys: .any, values: .arn, required: true, &faults) ?? []
        }
        guard events.allSatisfy({ $0.key == Self.trigger }) else {
            throw AmazonError.validation("Events", "has no event but \(Self.trigger)")
        }
        if let arn = events.first?.value {
            let target = EventOrigin.targetName(in: arn).flatMap { coordinator.directory.targets[$0] }
            guard let target, target.kind == .webhook else {
                throw AmazonError.validation(
                    "Events.SyncTrigger", "must be a webhook target's: arn:aws:muster:REGION:ACCOUNT:target/NAME")
            }
        }
        let arn = events.first?.value
        _ = try await change(team, by: call.author) { $0.syncTrigger = arn }
        return []
    }
}

extension JSONWriter {
    fileprivate mutating func push(_ members: AmazonMembers, _ faults: inout AmazonFaults) {
        let applications =
            members.value("ApplicationArns", &faults) == nil
            ? nil : members.texts("ApplicationArns", 0...100, .arn, &faults)
        let role = members.text("RoleArn", .arn, &faults)
        key("PushSync")
        beginObject()
        if let applications { member("ApplicationArns", listing: applications) { $0.value($1) } }
        member("RoleArn", role)
        endObject()
    }

    fileprivate mutating func streams(
        _ members: AmazonMembers, _ directory: Directory, _ faults: inout AmazonFaults
    ) {
        let name = members.text("StreamName", .any, &faults)
        let role = members.text("RoleArn", .arn, &faults)
        let status = members.text("StreamingStatus", .any, &faults)
        if let status, status != "ENABLED", status != "DISABLED" {
            faults.addFault(members.name("StreamingStatus"), "Member must satisfy enum value set: [ENABLED, DISABLED]")
        }
        if let name, directory.targets[name]?.kind != .webhook {
            faults.addFault(members.name("StreamName"), "The stream '\(name)' is not a webhook target of this server")
        }
        if name == nil, status == "ENABLED" {
            faults.addFault(members.name("StreamName"), "Member must not be null", isMissing: true)
        }
        key("CognitoStreams")
        beginObject()
        member("StreamName", name)
        member("RoleArn", role)
        member("StreamingStatus", status)
        endObject()
    }
}

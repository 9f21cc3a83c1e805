import HTTPTypes
import MusterCore
import MusterServer
import MusterStore
import MusterWire

/// Cognito Sync's operations on usage. An admin may read how much every identity stores, but not another identity's
/// records.
extension CognitoSyncService {
    func addUsage(to routes: inout RouteTable) {
        add(
            "ListIdentityPoolUsage", .get, Self.pools, admits: [.admin],
            query: [
                .init("nextToken", "The `NextToken` of the page before.", schema: Schema.cursor),
                .init("maxResults", "How many items at most.", schema: #"{"type":"integer","minimum":1}"#),
            ], to: &routes, listPoolUsage)
        add("DescribeIdentityPoolUsage", .get, Self.pool, admits: [.admin], to: &routes, describePoolUsage)
        add(
            "DescribeIdentityUsage", .get, Self.identity, admits: Self.owners, to: &routes, describeIdentityUsage)
    }

    /// The most identity pools of one page, as at Amazon.
    private static let poolLimit = 60

    private func listPoolUsage(_ call: AmazonCall) async throws -> [UInt8] {
        let limit = try pageSize(call, most: Self.poolLimit)
        let directory = coordinator.directory
        let token = Query(call.request).text("nextToken")
        let page = try AmazonToken.page(of: directory.teams.all, limit: limit, after: token, .pools)
        // The pool of users without a team is on the first page, beside the others.
        let pools = (token == nil ? [nil] : []) + page.items.map { Optional($0.number) }
        let usage = try await usage(of: pools, in: directory)
        return JSONWriter.object { writer in
            writer.member("IdentityPoolUsages", listing: zip(pools, usage)) { writer, pool in
                writer.amazonPoolUsage(coordinator.origin.text(of: .pool(pool.0)), pool.1)
            }
            writer.member("MaxResults", Int64(limit))
            writer.member("Count", Int64(pools.count))
            writer.member("NextToken", page.next)
        }
    }

    private func describePoolUsage(_ call: AmazonCall) async throws -> [UInt8] {
        let team = try pool(call)
        let usage = try await usage(of: [team], in: coordinator.directory)
        return JSONWriter.object { writer in
            writer.key("IdentityPoolUsage")
            writer.amazonPoolUsage(coordinator.origin.text(of: .pool(team)), usage[0])
        }
    }

    /// Returns how much the users of each pool store, and how many bytes its guests store.
    private func usage(
        of pools: [TeamNumber?], in directory: Directory
    ) async throws -> [(users: DatasetUsage?, guestBytes: Int64)] {
        let users = directory.users.all.map { ($0.number, $0.team) }
        return try await coordinator.read { store in
            let usage = try store.datasetUsage(of: users.map(\.0))
            return try pools.map { pool in
                let stored = users.filter { $0.1 == pool }.compactMap { usage[$0.0] }.reduce(nil) { sum, next in
                    DatasetUsage(
                        datasets: (sum?.datasets ?? 0) + next.datasets, bytes: (sum?.bytes ?? 0) + next.bytes,
                        modifiedAt: max(sum?.modifiedAt ?? next.modifiedAt, next.modifiedAt))
                }
                return (stored, try store.guestUsage(ofPool: pool).bytes)
            }
        }
    }

    private func describeIdentityUsage(_ call: AmazonCall) async throws -> [UInt8] {
        let team = try pool(call)
        let (user, identity): (UserNumber, String)
        if call.access(in: coordinator.directory).mayReadDatasetUsageOfOthers,
            case .identity(let named) = coordinator.origin.cognitoID(try call.parameter("identity")),
            coordinator.directory.users[named] != nil
        {
            (user, identity) = (named, coordinator.origin.text(of: .identity(named)))
        } else {
            let own = try ownIdentity(call)
            (user, identity) = (own.owner, own.text)
        }
        let usage = try await coordinator.read { try $0.datasetUsage(of: [user])[user] }
        return JSONWriter.object { writer in
            writer.key("IdentityUsage")
            writer.beginObject()
            writer.member("IdentityId", identity)
            writer.member("IdentityPoolId", coordinator.origin.text(of: .pool(team)))
            if let usage { writer.amazonEpoch("LastModifiedDate", usage.modifiedAt) }
            writer.member("DatasetCount", Int64(usage?.datasets ?? 0))
            writer.member("DataStorage", Int64(usage?.bytes ?? 0))
            writer.endObject()
        }
    }
}

extension JSONWriter {
    fileprivate mutating func amazonPoolUsage(_ pool: String, _ usage: (users: DatasetUsage?, guestBytes: Int64)) {
        beginObject()
        member("IdentityPoolId", pool)
        // Muster does not count sync sessions.
        member("SyncSessionsCount", Int64(0))
        member("DataStorage", Int64(usage.users?.bytes ?? 0) + usage.guestBytes)
        if let usage = usage.users { amazonEpoch("LastModifiedDate", usage.modifiedAt) }
        endObject()
    }
}

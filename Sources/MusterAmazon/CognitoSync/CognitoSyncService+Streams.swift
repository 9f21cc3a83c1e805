import HTTPTypes
import Hummingbird
import MusterCore
import MusterServer
import MusterStore
import MusterWire
import NIOCore

/// Streams: a pool sends its updates of datasets to a webhook target; a bulk publish sends the stored datasets there.
extension CognitoSyncService {
    func addStreams(to routes: inout RouteTable) {
        add("BulkPublish", .post, "\(Self.pool)/bulkpublish", admits: [.admin], to: &routes, bulkPublish)
        add(
            "GetBulkPublishDetails", .post, "\(Self.pool)/getBulkPublishDetails", admits: [.admin], to: &routes,
            getBulkPublishDetails)
        routes.add(
            Route(
                .get, "\(Self.records)/{token}", admits: .anyone,
                .init(
                    Self.title,
                    "The records of a large update, at the address that a record of the stream names. Whoever has it "
                        + "may read them for a week.",
                    answers: [
                        .init(200, "The records.", json: "StreamRecords"), .init(404, "The address names no records."),
                    ]), handler: readRecords))
    }

    private static let records = "/aws/stream-records"

    /// The path at which the records of an update are read.
    static func path(of reference: StreamReference, sealedBy vault: SecretVault) -> String {
        "\(records)/\(reference.token(sealedBy: vault))"
    }

    private func readRecords(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        guard let reference = StreamReference(token: try context.parameter("token"), openedBy: vault),
            reference.expiresAt > coordinator.now()
        else { throw Problem.notFound }
        let page = try await coordinator.readDataset(
            reference.dataset, of: reference.owner, since: reference.since, after: nil, limit: Self.pageLimit)
        let contents = StreamRecord.contents(page.records.filter { $0.syncCount <= reference.through })
        return Response(
            status: .ok, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(bytes: contents)))
    }

    private func bulkPublish(_ call: AmazonCall) async throws -> [UInt8] {
        let team = try pool(call)
        do {
            try await publisher.begin(pool: team, by: call.author)
        } catch let refusal as BulkPublisher.Refusal {
            throw AmazonError(mapping: refusal)
        }
        return JSONWriter.object { $0.member("IdentityPoolId", coordinator.origin.text(of: .pool(team))) }
    }

    private func getBulkPublishDetails(_ call: AmazonCall) async throws -> [UInt8] {
        let team = try pool(call)
        let last = try await coordinator.read { try $0.bulkPublish(ofPool: team) }
        return JSONWriter.object { writer in
            writer.member("IdentityPoolId", coordinator.origin.text(of: .pool(team)))
            writer.member("BulkPublishStatus", last?.state.amazonName ?? "NOT_STARTED")
            if let last { writer.amazonEpoch("BulkPublishStartTime", last.startedAt) }
            if let end = last?.endedAt { writer.amazonEpoch("BulkPublishCompleteTime", end) }
            writer.member("FailureMessage", last?.failure)
        }
    }
}

extension BulkPublish.State {
    fileprivate var amazonName: String {
        switch self {
        case .underWay: "IN_PROGRESS"
        case .failed: "FAILED"
        case .succeeded: "SUCCEEDED"
        }
    }
}

extension AmazonError {
    /// The error for a bulk publish that does not begin.
    fileprivate init(mapping refusal: BulkPublisher.Refusal) {
        switch refusal {
        case .noStream:
            self.init(
                400, "InvalidParameterException",
                "The identity pool has no stream that is enabled: set CognitoStreams to a webhook target before.")
        case .isUnderWay:
            self.init(400, "DuplicateRequestException", "A bulk publish of this identity pool is in progress.")
        case .wasDone:
            self.init(
                400, "AlreadyStreamedException",
                "A bulk publish of this identity pool has succeeded in the last 24 hours.")
        }
    }
}

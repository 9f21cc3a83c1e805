import HTTPTypes
import Hummingbird
import MusterServer
import MusterWire
import NIOCore

/// Amazon Location's trackers and geofences for unmodified AWS clients (rest-json, 2020-11-19; docs/aws.md).
///
/// Translates between both models: a tracker is a team's tracker, a geofence is a region, and positions go through the
/// same pipeline as all others. Clients see the same data as those of the other endpoints.
struct LocationService: AmazonRESTService {
    let coordinator: StoreCoordinator
    let keys: AmazonKeys
    let configuration: Configuration

    static let title = "Amazon Location"
    static let signingName = "geo"
    static let contentType = "application/json"
    /// The largest body of a batch of geofences, in bytes: ten geofences of a thousand vertices, or of a geobuf each.
    static let largeBodyLimit = 10_000_000

    /// The default quotas of an AWS account.
    enum Quota {
        static let trackers = 500
        static let fences = 50_000
        static let consumers = 5
    }

    /// Adds all routes, at the paths that clients know and below `/aws`.
    func register(in routes: inout RouteTable) {
        addTrackers(to: &routes)
        addConsumers(to: &routes)
        addPositionUpdates(to: &routes)
        addPositions(to: &routes)
        addHistory(to: &routes)
        addCollections(to: &routes)
        addFences(to: &routes)
        addFenceBatches(to: &routes)
        addEvaluation(to: &routes)
        addForecast(to: &routes)
        addTags(to: &routes)
    }

    /// The name of a resource, as clients see it.
    func arn(_ resource: AmazonResource) -> String {
        resource.arn(region: configuration.amazon.region, account: configuration.amazon.account)
    }
}

extension AmazonError {
    /// The error for what the API model does not allow.
    init(mapping faults: AmazonFaults) {
        let fields = faults.fields.map { Field($0.name, $0.message) }
        let isMissing = faults.fields.allSatisfy(\.isMissing)
        let list = fields.prefix(3).map { "\($0.name): \($0.message)" }.joined(separator: "; ")
        self = .validation(
            "\(fields.count) validation error\(fields.count == 1 ? "" : "s") detected: \(list)",
            isMissing ? .missing : .fieldValidationFailed, fields)
    }

    /// The tracker does not exist, or the caller may not use it for this purpose.
    static func noTracker(_ name: String) -> AmazonError { .notFound("Tracker not found: \(name).") }
    /// The collection does not exist.
    static func noCollection(_ name: String) -> AmazonError { .notFound("Geofence collection not found: \(name).") }
    /// A leader may change only collections that belong to the leader's team alone.
    static let notYourCollection = AmazonError.denied(
        "This collection is not your team's, or other teams use it too: an admin can change it.")
    /// The client's token is not valid for this list.
    static let badToken = AmazonError.validation("NextToken", "must be a token of an earlier response")
}

extension JSONWriter {
    /// Writes a failure within a batch.
    mutating func amazonItemError(_ code: String, _ message: String) {
        key("Error")
        beginObject()
        member("Code", code)
        member("Message", message)
        endObject()
    }
}

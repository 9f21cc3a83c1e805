import Hummingbird
package import MusterServer

/// AWS's services for unmodified AWS clients: Amazon Location, the rules of Amazon EventBridge and Amazon Cognito Sync
/// (docs/aws.md).
package struct AmazonEndpoint: Endpoint {
    private let location: LocationService
    private let sync: CognitoSyncService
    private let jsonServices: AmazonJSONServices

    package init(_ parts: ServerParts) {
        let keys = AmazonKeys(
            identity: parts.identity, requestsPerSecond: parts.configuration.amazon.requestsPerSecond)
        location = LocationService(
            coordinator: parts.coordinator, keys: keys, configuration: parts.configuration)
        sync = CognitoSyncService(coordinator: parts.coordinator, keys: keys, pushes: parts.pushes)
        jsonServices = AmazonJSONServices(
            keys: keys, services: [EventsService(coordinator: parts.coordinator)])
    }

    package func register(in routes: inout RouteTable) {
        location.register(in: &routes)
        sync.register(in: &routes)
        jsonServices.register(in: &routes)
        routes.answerUnrouted(AmazonError.isAmazons) { _ in
            AmazonError.unserved.response(as: "application/json")
        }
    }
}

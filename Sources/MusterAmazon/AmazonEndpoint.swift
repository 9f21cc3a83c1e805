import Hummingbird
package import MusterServer
package import ServiceLifecycle

/// AWS's services for unmodified AWS clients: Amazon Location, the rules of Amazon EventBridge (docs/aws.md) and Amazon
/// Cognito's user pools, identity pools and Sync (docs/cognito.md).
package struct AmazonEndpoint: Endpoint {
    private let location: LocationService
    private let sync: CognitoSyncService
    private let userPool: CognitoUserPoolService
    private let jsonServices: AmazonJSONServices
    private let publisher: BulkPublisher

    package var services: [any Service] { [publisher] }

    package init(_ parts: ServerParts) {
        let keys = AmazonKeys(
            identity: parts.identity, requestsPerSecond: parts.configuration.amazon.requestsPerSecond)
        location = LocationService(
            coordinator: parts.coordinator, keys: keys, configuration: parts.configuration)
        let (coordinator, vault) = (parts.coordinator, parts.identity.vault)
        if let address = parts.configuration.publicURL {
            coordinator.setAddressesOfRecords { address + CognitoSyncService.path(of: $0, sealedBy: vault) }
        }
        publisher = BulkPublisher(coordinator: coordinator, dispatcher: parts.dispatcher) {
            coordinator.address(of: $0)
        }
        sync = CognitoSyncService(
            coordinator: parts.coordinator, guestLimiter: parts.identity.guestLimiter, keys: keys,
            pushes: parts.pushes, trigger: parts.syncTrigger,
            publisher: publisher, vault: vault)
        userPool = CognitoUserPoolService(parts)
        jsonServices = AmazonJSONServices(
            keys: keys,
            services: [EventsService(coordinator: parts.coordinator), userPool, CognitoIdentityService(parts)],
            configuration: parts.configuration)
    }

    package func register(in routes: inout RouteTable) {
        location.register(in: &routes)
        sync.register(in: &routes)
        userPool.register(in: &routes)
        jsonServices.register(in: &routes)
        routes.answerUnrouted(AmazonError.isAmazons) { _ in
            AmazonError.unserved.response(as: "application/json")
        }
    }
}

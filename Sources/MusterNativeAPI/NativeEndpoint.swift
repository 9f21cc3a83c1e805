package import MusterServer
package import ServiceLifecycle

/// Muster's own API, `/api/v1`. It translates requests into queries and edits, and results into JSON. It makes no
/// decisions of its own.
package struct NativeEndpoint: Endpoint {
    private let groups: [any NativeRoutes]
    private let server: ServerParts

    package init(_ server: ServerParts) {
        self.server = server
        groups = Self.groups.map { $0.init(server: server) }
        server.metrics.addSource { [relay = server.relay] in relay.families }
    }

    /// The service that ends connections to the relay whose sender has lost the right to them.
    package var services: [any Service] {
        [
            ProofWatch(server, beatSeconds: Self.proofSeconds, demand: server.relay.demand) { [server] in
                await server.relay.verifyRights(by: server.identity)
            }
        ]
    }

    /// Seconds between two checks of the credentials of connections that stay open.
    private static let proofSeconds: Double = 30

    /// Every group of routes, in the order in which OpenAPI describes them.
    private static let groups: [any NativeRoutes.Type] = [
        SessionRoutes.self,
        UserRoutes.self,
        UserImportRoutes.self,
        ViewerRoutes.self,
        PasswordRoutes.self,
        TeamRoutes.self,
        CrewRoutes.self,
        TeamSafetyRoutes.self,
        DeclarationRoutes.self,
        CheckInRoutes.self,
        PauseRoutes.self,
        AttendanceRoutes.self,
        ProximityRoutes.self,
        IncidentRoutes.self,
        IncidentReportRoutes.self,
        ContactRoutes.self,
        RollRoutes.self,
        CallRoutes.self,
        PARRoutes.self,
        AuditRoutes.self,
        DeviceRoutes.self,
        DeviceCredentialRoutes.self,
        JoinRoutes.self,
        EncryptionKeyRoutes.self,
        ReportRoutes.self,
        LatestPositionRoutes.self,
        PresenceRoutes.self,
        HistoryRoutes.self,
        ReplayRoutes.self,
        SightingRoutes.self,
        SignalRoutes.self,
        RangeRoutes.self,
        NoteRoutes.self,
        CollectionRoutes.self,
        RegionRoutes.self,
        RegionImportRoutes.self,
        TrackerRoutes.self,
        RuleRoutes.self,
        ChangeRoutes.self,
        DatasetRoutes.self,
        PushRoutes.self,
        LocationRequestRoutes.self,
        KeyRoutes.self,
        LinkRoutes.self,
        SharedRoutes.self,
        CognitoRoutes.self,
        ServiceRoutes.self,
        RefusedReportRoutes.self,
        LiveRoutes.self,
        RelayRoutes.self,
        TargetRoutes.self,
    ]

    package func register(in routes: inout RouteTable) {
        for group in groups { group.register(in: &routes) }
    }
}

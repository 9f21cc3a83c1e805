import MusterAmazon
import MusterCouchDB
import MusterGateways
import MusterGraphQL
import MusterIFTTT
import MusterMQTT
import MusterMaps
import MusterMeshblu
import MusterNativeAPI
import MusterOwnTracks
import MusterSMS
package import MusterServer
import MusterTAK
import MusterTrackers
import MusterWarnings

/// Every endpoint that a server has. A new endpoint is a target of its own and a line here.
package enum AllEndpoints {
    /// The types, in the order in which their routes are added and described.
    package static let types: [any Endpoint.Type] = [
        NativeEndpoint.self,
        OwnTracksEndpoint.self,
        TrackersEndpoint.self,
        MQTTEndpoint.self,
        TAKEndpoint.self,
        GatewayEndpoint.self,
        SMSEndpoint.self,
        WarningsEndpoint.self,
        MeshbluEndpoint.self,
        IFTTTEndpoint.self,
        GraphQLEndpoint.self,
        MapsEndpoint.self,
        AmazonEndpoint.self,
        CouchEndpoint.self,
    ]
}

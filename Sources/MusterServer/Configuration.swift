import Foundation
package import MusterCore
package import MusterHTTP
package import MusterWire

/// The settings of a server. Every setting has a default that works on one machine.
package struct Configuration: Sendable {
    /// The folder that holds all of the server's data.
    package var dataDirectory: String
    /// The address to listen on.
    package var host = "127.0.0.1"
    /// The port to listen on; 0 for any free one.
    package var port = 8080
    /// The ports of the MQTT endpoint.
    package var mqtt = MQTT()
    /// The port for TAK clients.
    package var tak = TAK()
    /// The gateway of texts by SMS.
    package var sms = SMS()
    /// The official warnings that the server follows.
    package var warnings = Warnings()
    /// PEM files of the certificate chain and its key; nil for plain HTTP.
    package var tls: TLSFiles?
    /// The folder with the web page; nil to serve none.
    package var webRoot: String?
    /// The operator's files of map tiles, in the order in which they are drawn.
    package var tiles: [Tiles] = []
    /// A style at another server for the live map; nil to draw the map from this server alone.
    package var mapStyle: MapStyle?
    /// The origins whose pages may send requests with their users' credentials (`https://app.example`).
    package var origins: Set<String> = []
    /// How many days positions and changes are kept.
    package var retentionDays: Double = 30
    /// The password of `admin` at the first start; nil to generate one.
    package var adminPassword: String?
    /// Whether the server is started for one command of the command line and stops soon. Other commands wait for its
    /// end instead of using it. It generates no password for `admin`; the first server that keeps running does, and
    /// shows it.
    package var isForOneCommand = false
    /// Whether to replace a lost `secrets.key` by a new one. Secrets sealed with the lost key can never be opened
    /// again.
    package var renewsSecretsKey = false
    /// Whether to start although the store was lost, or has lost changes.
    package var acceptsLoss = false
    /// Whether anyone may create their own account (`PUT /api/users/:id`).
    package var registration = Registration.closed
    /// The address by which clients call the server, without a slash at its end; nil to use the address that each
    /// request was sent to.
    package var publicURL: String?
    /// The name of the webhook target that sends the codes of new accounts and passwords; nil where an admin hands them
    /// over.
    package var codeTarget: String?
    /// Whether clients without credentials may read the places (`GET /api/places`).
    package var placesArePublic = false
    /// The settings of the AWS services.
    package var amazon = Amazon()
    /// How and how often deliveries are tried.
    package var delivery = DeliveryPolicy()
    /// How messages are sent by push services.
    package var push = PushSettings()
    /// Whether targets may be on this machine or in a private network.
    package var allowsPrivateTargets = false
    /// A PEM file of certificate authorities to trust for targets, besides the system's.
    package var targetRoots: String?
    /// The limits of connections and request bodies.
    package var connections = ConnectionLimits()
    /// The quotas of each user, each team and the whole server.
    package var quotas = QuotaSettings()
    /// The bounds of the relay.
    package var relay = RelayLimits()
    /// The proxies that the server trusts to state a client's address.
    package var trustedProxies = TrustedProxies()
    /// The server warns when the data folder's disk has less free room than this, in bytes, and less than a twentieth
    /// of its size.
    package var diskWarningBytes: Int64 = 512 << 20
    /// Seconds between two heartbeats of a live feed.
    package var heartbeatSeconds: Double = 5
    /// The clock.
    package var now: @Sendable () -> Instant

    /// The defaults, over a data directory.
    package init(dataDirectory: String, now: @escaping @Sendable () -> Instant = Instant.systemClock) {
        self.dataDirectory = dataDirectory
        self.now = now
    }

    /// The ports on which MQTT clients connect.
    package struct MQTT: Hashable, Sendable {
        /// The port for TCP, or TLS where the server has a certificate; nil for none.
        package var port: Int?
        /// The port for WebSocket; nil for none.
        package var webSocketPort: Int?

        package init() {}
    }

    /// The port on which TAK clients connect.
    package struct TAK: Hashable, Sendable {
        /// The port, always with TLS; nil for none.
        package var port: Int?
        /// The names and addresses by which clients reach the port, for its certificate.
        package var hosts: [String] = []

        package init() {}
    }

    /// The names and addresses in the certificate of the port for TAK clients: those of `tak`, the public one, and
    /// those of this machine.
    package var takHosts: [String] {
        var hosts = tak.hosts
        if let name = publicURL.flatMap({ URL(string: $0)?.host() }) { hosts.append(name) }
        hosts += ["localhost", "127.0.0.1", "::1"]
        if !["0.0.0.0", "::", "127.0.0.1"].contains(host) { hosts.append(host) }
        return hosts
    }

    /// The gateway that posts the texts that people send by SMS.
    package struct SMS: Hashable, Sendable {
        /// The name of the gateway user who posts them; nil for nobody.
        package var gateway: String?
        /// The auth token with which Twilio signs its posts; nil where Twilio is not used.
        package var twilioToken: String?
        /// The digits of the country code of numbers that have none.
        package var country: String?
        /// The language of answers to texts that show none, such as "SOS".
        package var language = TextLanguage.english

        package init() {}
    }

    /// A file of map tiles.
    package struct Tiles: Hashable, Sendable {
        /// Its name in addresses (`EntityName`).
        package var name: String
        package var path: String

        /// A file that an operator names by `FILE` or `NAME=FILE`. Without a name the file's own, without its ending,
        /// is taken.
        ///
        /// - Throws: `TilesSettingError` when that is no name, or the name of the map of the world.
        package init(_ text: String) throws(TilesSettingError) {
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            if parts.count == 2, EntityName.isValid(parts[0]) {
                (name, path) = (parts[0], parts[1])
            } else {
                path = text
                let file = text.split(separator: "/").last ?? ""
                name = String(file.prefix(upTo: file.lastIndex(of: ".") ?? file.endIndex))
            }
            guard EntityName.isValid(name) else { throw .name(name) }
            guard name != TileCatalog.world else { throw .isOfTheWorld }
        }
    }

    /// The callers that may create accounts.
    package enum Registration: String, CaseIterable, Sendable {
        /// Anyone who can reach the server may, at a limited rate.
        case open
        /// Only an admin may.
        case closed
    }

    /// The account and region that the AWS services state, and their limit of requests.
    package struct Amazon: Hashable, Sendable {
        /// The account in resource names: twelve digits.
        package var account = "000000000000"
        /// The region in resource names and events.
        package var region = "us-east-1"
        /// The largest number of requests a second with one access key.
        package var requestsPerSecond: Double = 10_000

        package init() {}
    }
}

extension Configuration: CustomStringConvertible {
    /// The data folder and address. Libraries may print a configuration into a log, so this reveals no secret.
    package var description: String { "Configuration(\(dataDirectory), \(host):\(port))" }
}

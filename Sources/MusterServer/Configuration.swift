package import MusterCore

/// How a server runs. Every value has a default that works on one machine.
package struct Configuration: Sendable {
    /// Where everything is kept.
    package var dataDirectory: String
    /// The address to listen on.
    package var host = "127.0.0.1"
    /// The port to listen on; 0 takes a free one.
    package var port = 8080
    /// PEM files of the certificate chain and its key; nil for plain HTTP.
    package var tls: TLSFiles?
    /// The folder with the web page; nil serves none.
    package var webRoot: String?
    /// The origins whose pages may ask with their users' credentials (`https://app.example`).
    package var origins: Set<String> = []
    /// Days that positions and changes are kept.
    package var retentionDays: Double = 30
    /// The password that `admin` gets at the first start; nil generates one.
    package var adminPassword: String?
    /// Whether it is started for one command of the command line and stops soon: others wait for its end rather than
    /// turn to it, and a password for `admin` is left for the first server that stays to make and tell.
    package var isForOneCommand = false
    /// Whether a lost `secrets.key` is replaced by a new one; what was sealed with it stays sealed for ever.
    package var renewsSecretsKey = false
    /// Whether a store that was lost, or that lost changes, is gone on without.
    package var acceptsLoss = false
    /// Who may make an account for himself (`PUT /api/users/:id`).
    package var registration = Registration.closed
    /// Whether places are told to those who do not say who they are (`GET /api/places`).
    package var placesArePublic = false
    /// How AWS's services are answered.
    package var amazon = Amazon()
    /// How deliveries are tried.
    package var delivery = DeliveryPolicy()
    /// Whether targets may be on this machine or in a private network.
    package var allowsPrivateTargets = false
    /// A PEM file of authorities that targets' certificates may come from, beside the system's.
    package var targetRoots: String?
    /// What connections and bodies may take.
    package var connections = ConnectionLimits()
    /// How much each user, each team and all together may take.
    package var quotas = QuotaSettings()
    /// Proxies whose word about a client's address counts.
    package var trustedProxies = TrustedProxies()
    /// With less free room than this on the disk of the data folder (and less than a twentieth of it) warnings begin.
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

    /// Who may make an account for himself.
    package enum Registration: String, CaseIterable, Sendable {
        /// Anyone who reaches the server, some at a time.
        case open
        /// Nobody: an admin makes accounts.
        case closed
    }

    /// What AWS's clients are told of the server, and how much they may ask of it.
    package struct Amazon: Hashable, Sendable {
        /// The account in resource names: twelve digits.
        package var account = "000000000000"
        /// The region in resource names and events.
        package var region = "us-east-1"
        /// Requests a second that one access key may send.
        package var requestsPerSecond: Double = 10_000

        /// The defaults.
        package init() {}
    }

    /// Where the certificate and its key are.
    package struct TLSFiles: Hashable, Sendable {
        /// The server's certificate, then those that vouch for it.
        package var certificateChain: String
        /// The private key of the first of them.
        package var privateKey: String

        /// Two paths.
        package init(certificateChain: String, privateKey: String) {
            self.certificateChain = certificateChain
            self.privateKey = privateKey
        }
    }
}

extension Configuration: CustomStringConvertible {
    /// Where it serves what. Whoever holds a configuration may be printed into a log by a library: no secret is told.
    package var description: String { "Configuration(\(dataDirectory), \(host):\(port))" }
}

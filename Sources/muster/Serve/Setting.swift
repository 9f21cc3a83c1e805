/// One setting of `muster serve`, with one name everywhere: `--retention-days` on the command line is
/// `MUSTER_RETENTION_DAYS` in the environment and in a configuration file.
struct Setting: Hashable, Sendable {
    /// How the value of a setting is written.
    enum Kind: Sendable {
        /// One value.
        case value
        /// The path of a file that the server reads.
        case file
        /// Values separated by commas. On the command line the option is repeated instead.
        case list
        /// `true` or `false`. On the command line the option without a value means `true`.
        case flag
    }

    /// The option's name without its dashes.
    let name: String
    let kind: Kind

    /// The name of the setting in the environment and in a configuration file.
    var variable: String { Self.prefix + name.uppercased().replacing("-", with: "_") }

    /// The prefix of all variables.
    static let prefix = "MUSTER_"

    /// Every option of `muster serve` except those meant for a single start: `--accept-loss`, `--renew-secrets-key`.
    static let all: [Setting] =
        [
            "data", "host", "port", "mqtt-port", "mqtt-websocket-port", "retention-days", "web", "aws-account",
            "aws-region", "aws-requests-per-second", "tak-port", "sms-gateway", "sms-country", "sms-language",
            "registration", "public-url", "code-target", "delivery-hours", "request-seconds", "body-memory",
            "disk-warning", "log-level",
            "push-contact", "apns-key-id", "apns-team-id", "apns-topic", "apns-url", "fcm-url",
            "quota-positions-per-second", "quota-position-burst", "quota-signals-per-second", "quota-signal-burst",
            "quota-user-mib", "quota-database-mib", "quota-store-mib", "quota-implicit-users", "quota-collections",
            "quota-databases", "map-style", "warnings-severity", "warnings-language", "warnings-area",
            "warnings-seconds",
        ].map { Setting(name: $0, kind: .value) }
        + ["tls-certificate", "tls-key", "target-roots", "apns-key", "fcm-account", "twilio-auth-token"]
        .map { Setting(name: $0, kind: .file) }
        + ["cors-origin", "trusted-proxy", "tiles", "tak-host", "warnings"].map { Setting(name: $0, kind: .list) }
        + ["allow-private-targets", "public-places"].map { Setting(name: $0, kind: .flag) }

    /// The variables that Muster's commands read and that are not settings of the server.
    static let otherVariables: Set<String> = [
        "MUSTER_ADMIN_PASSWORD", "MUSTER_CONFIG", "MUSTER_PASSWORD", "MUSTER_TOKEN",
    ]
}

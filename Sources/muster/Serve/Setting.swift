/// One thing that `muster serve` can be told, under one name everywhere: `--retention-days` on the command line is
/// `MUSTER_RETENTION_DAYS` in the environment and in a configuration file.
struct Setting: Hashable, Sendable {
    /// How its value is written.
    enum Kind: Sendable {
        /// One value.
        case value
        /// The path of a file that the server reads.
        case file
        /// Values separated by commas; on the command line the option is repeated.
        case list
        /// `true` or `false`; on the command line the option alone is `true`.
        case flag
    }

    /// The option's name without its dashes.
    let name: String
    let kind: Kind

    /// Its environment variable, which is its name in a configuration file too.
    var variable: String { Self.prefix + name.uppercased().replacing("-", with: "_") }

    /// What the names of all variables begin with.
    static let prefix = "MUSTER_"

    /// Every option of `muster serve` but those that are meant for one start: `--accept-loss`, `--renew-secrets-key`.
    static let all: [Setting] =
        [
            "data", "host", "port", "retention-days", "web", "aws-account", "aws-region", "aws-requests-per-second",
            "registration", "delivery-hours", "request-seconds", "body-memory", "disk-warning", "log-level",
            "quota-positions-per-second", "quota-position-burst", "quota-user-mib", "quota-database-mib",
            "quota-store-mib", "quota-implicit-users", "quota-collections", "quota-databases",
        ].map { Setting(name: $0, kind: .value) }
        + ["tls-certificate", "tls-key", "target-roots"].map { Setting(name: $0, kind: .file) }
        + ["cors-origin", "trusted-proxy"].map { Setting(name: $0, kind: .list) }
        + ["allow-private-targets", "public-places"].map { Setting(name: $0, kind: .flag) }

    /// Variables that Muster's commands read and that are no settings of the server.
    static let otherVariables: Set<String> = [
        "MUSTER_ADMIN_PASSWORD", "MUSTER_CONFIG", "MUSTER_PASSWORD", "MUSTER_TOKEN",
    ]
}

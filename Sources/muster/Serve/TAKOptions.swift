import ArgumentParser
import MusterServer

/// The port for TAK clients (docs/tak.md).
struct TAKOptions: ParsableArguments {
    @Option(
        name: .customLong("tak-port"),
        help: "The port for TAK clients, with TLS and certificates of its own; 0 picks a free one. Off by default.")
    var takPort: Int?
    @Option(
        name: .customLong("tak-host"),
        help: "A name or address by which TAK clients reach this server, for its certificate; may be repeated.")
    var takHosts: [String] = []

    /// The most names that a certificate may have.
    private static let hostLimit = 20

    func validate() throws {
        if let takPort, !(0...65_535).contains(takPort) {
            throw ValidationError("--tak-port: \(takPort) is not 0 to 65535")
        }
        for host in takHosts where !Self.isHost(host) {
            throw ValidationError("--tak-host: '\(host)' is neither a name nor an address, without a port")
        }
        guard takHosts.count <= Self.hostLimit else {
            throw ValidationError("--tak-host: \(takHosts.count) hosts; \(Self.hostLimit) at most")
        }
    }

    /// Whether a text is a host's name, or an IPv4 or IPv6 address without brackets.
    static func isHost(_ text: String) -> Bool {
        text.wholeMatch(of: /[A-Za-z0-9._\-]{1,253}|[0-9A-Fa-f]*:[0-9A-Fa-f]*:[0-9A-Fa-f:.]{0,45}/) != nil
    }

    /// The port and the hosts that the options set.
    var settings: Configuration.TAK {
        var settings = Configuration.TAK()
        settings.port = takPort
        settings.hosts = takHosts
        return settings
    }
}

import ArgumentParser
import Foundation
import Logging
import MusterHTTP
import MusterServer
import MusterStore
import MusterTerminal

/// `muster serve`: runs the server until a signal stops it.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Run the server.",
        discussion: """
            Every option except --accept-loss and --renew-secrets-key can also be set by an environment variable \
            (--retention-days by MUSTER_RETENTION_DAYS), or by a line of that name in a configuration file. The \
            command line overrides the environment, and the environment overrides the file. See also: muster config \
            check.
            """)

    @Option(help: "A file with settings, one NAME=value a line. MUSTER_CONFIG sets it too.", completion: .file())
    var config: String?
    @OptionGroup var data: DataOption
    @Option(help: "The address to listen on.") var host = "127.0.0.1"
    @Option(help: "The port to listen on; 0 picks a free one.") var port = 8080
    @OptionGroup(title: "MQTT") var mqtt: MQTTOptions
    @OptionGroup(title: "TAK") var tak: TAKOptions
    @OptionGroup(title: "SMS") var sms: SMSOptions
    @OptionGroup(title: "Warnings") var warnings: WarningOptions
    @Option(name: .customLong("tls-certificate"), help: "PEM file with the certificate chain.", completion: .file())
    var tlsCertificate: String?
    @Option(name: .customLong("tls-key"), help: "PEM file with the certificate's private key.", completion: .file())
    var tlsKey: String?
    @Option(help: "The number of days for which positions are kept.") var retentionDays: Double = 30
    @Option(help: "The folder with the web page.", completion: .directory) var web: String?
    @Option(
        name: .customLong("cors-origin"),
        help: "An origin whose pages may send their users' credentials, such as https://app.example; may be repeated.")
    var corsOrigins: [String] = []
    @Option(help: "The account in AWS resource names: twelve digits.") var awsAccount = "000000000000"
    @Option(help: "The region in AWS resource names and events.") var awsRegion = "us-east-1"
    @Option(help: "The requests a second that one AWS key may send.") var awsRequestsPerSecond: Double = 10_000
    @Flag(help: "Replace a lost secrets.key. AWS keys and webhook secrets must then be created again.")
    var renewSecretsKey = false
    @Flag(help: "Start this once although the store was lost or has lost changes.") var acceptLoss = false
    @Flag(help: "Allow targets of rules and peers of replications on this machine and in private networks.")
    var allowPrivateTargets = false
    @Option(
        help: "PEM file of authorities to trust for targets and peers of replications, besides the system's.",
        completion: .file())
    var targetRoots: String?
    @Option(help: "Who may create an account: open (anyone who reaches this server) or closed (only admins).")
    var registration = "closed"
    @Option(
        name: .customLong("public-url"),
        help: "The address by which clients call this server, such as https://muster.example: tokens name it.")
    var publicURL: String?
    @Option(help: "The webhook target that sends the codes of new accounts and passwords.") var codeTarget: String?
    @Flag(help: "Let anyone search the places without signing in.") var publicPlaces = false
    @Option(help: "Hours after which the server gives up a delivery to a target.") var deliveryHours: Double = 24
    @Option(
        name: .customLong("trusted-proxy"), parsing: .upToNextOption,
        help: "Addresses of proxies, such as 10.0.0.0/8, whose headers name the addresses of their clients.")
    var trustedProxies: [String] = []
    @Option(help: "Seconds within which the head of a request must arrive, and before the rate of a body counts.")
    var requestSeconds: Double = 20
    @Option(help: "MiB for the bodies of current requests; one address may use half of it, one user three eighths.")
    var bodyMemory = 256
    @Option(help: "Warn when the disk has less free space than this, in MiB, and less than a twentieth of its size.")
    var diskWarning = 512
    @OptionGroup(title: "Maps") var maps: MapOptions
    @OptionGroup(title: "Push") var push: PushOptions
    @OptionGroup(title: "Quotas") var quotas: QuotaOptions
    @Option(help: "The least severe messages to log: trace, debug, info, notice, warning, error or critical.")
    var logLevel = "notice"

    /// Returns the path of the configuration file that the arguments name, before they are parsed.
    static func configurationPath(in arguments: [String]) -> String? {
        for (index, argument) in arguments.enumerated() {
            if argument == "--config" { return arguments.dropFirst(index + 1).first }
            if argument.hasPrefix("--config=") { return String(argument.dropFirst("--config=".count)) }
        }
        return nil
    }

    func validate() throws {
        guard (tlsCertificate == nil) == (tlsKey == nil) else {
            throw ValidationError("--tls-certificate and --tls-key go together")
        }
        guard (0...65_535).contains(port) else { throw ValidationError("--port: \(port) is not 0 to 65535") }
        for origin in corsOrigins where origin.wholeMatch(of: /https?:\/\/[A-Za-z0-9.\-\[\]:]+/) == nil {
            throw ValidationError("--cors-origin: '\(origin)' is not of the form https://app.example")
        }
        guard awsAccount.wholeMatch(of: /[0-9]{12}/) != nil else {
            throw ValidationError("--aws-account: '\(awsAccount)' is not twelve digits")
        }
        guard awsRegion.wholeMatch(of: /[a-z0-9-]{1,40}/) != nil else {
            throw ValidationError("--aws-region: '\(awsRegion)' is not a region: use a to z, 0 to 9 and -, 1 to 40")
        }
        try ValidationError.require("--aws-requests-per-second", awsRequestsPerSecond, in: 0.0001...1_000_000_000)
        guard Configuration.Registration(rawValue: registration) != nil else {
            throw ValidationError("--registration: '\(registration)' is neither open nor closed")
        }
        if let publicURL, publicURL.wholeMatch(of: /https?:\/\/[A-Za-z0-9.\-\[\]:]+(\/[A-Za-z0-9._~\-\/]*)?/) == nil {
            throw ValidationError("--public-url: '\(publicURL)' is not of the form https://muster.example")
        }
        if sms.twilioAuthToken != nil, publicURL == nil {
            throw ValidationError("--twilio-auth-token needs --public-url: Twilio signs the address that it posts to")
        }
        for range in trustedProxies where AddressRange(range) == nil {
            throw ValidationError("--trusted-proxy: '\(range)' is not an address or a range such as 10.0.0.0/8")
        }
        try ValidationError.require("--request-seconds", requestSeconds, in: 0.01...86_400)
        guard (1...1_048_576).contains(bodyMemory) else {
            throw ValidationError("--body-memory: \(bodyMemory) is not 1 to 1048576")
        }
        guard (0...1_048_576).contains(diskWarning) else {
            throw ValidationError("--disk-warning: \(diskWarning) is not 0 to 1048576")
        }
        try ValidationError.require("--delivery-hours", deliveryHours, in: 0.0001...87_600)
        // A hundred years stand for ever.
        try ValidationError.require("--retention-days", retentionDays, in: 0.0001...36_500)
        guard Logger.Level(rawValue: logLevel) != nil else {
            let levels = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("--log-level: '\(logLevel)' is not a level: use one of \(levels)")
        }
    }

    func run() async throws {
        // A write beyond a limit on the size of files must fail like a write to a full disk, and not end the server.
        signal(SIGXFSZ, SIG_IGN)
        var settings = Configuration(dataDirectory: data.data)
        settings.host = host
        settings.port = port
        settings.mqtt = mqtt.settings
        settings.tak = tak.settings
        settings.sms = try sms.settings()
        settings.warnings = try warnings.settings
        settings.retentionDays = retentionDays
        settings.origins = Set(corsOrigins)
        settings.amazon.account = awsAccount
        settings.amazon.region = awsRegion
        settings.amazon.requestsPerSecond = awsRequestsPerSecond
        settings.renewsSecretsKey = renewSecretsKey
        settings.acceptsLoss = acceptLoss
        settings.allowsPrivateTargets = allowPrivateTargets
        settings.targetRoots = targetRoots
        settings.registration = Configuration.Registration(rawValue: registration) ?? .closed
        settings.publicURL = publicURL.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
        settings.codeTarget = codeTarget
        settings.placesArePublic = publicPlaces
        settings.delivery.lifetimeSeconds = deliveryHours * 3600
        settings.trustedProxies = TrustedProxies(trustedProxies.compactMap { AddressRange($0) })
        settings.connections.headSeconds = requestSeconds
        settings.connections.bodyGraceSeconds = requestSeconds
        settings.connections.bodyBytes = bodyMemory << 20
        settings.connections.bodyBytesOfAddress = bodyMemory << 19
        settings.connections.bodyBytesOfUser = (bodyMemory << 20) / 8 * 3
        settings.diskWarningBytes = Int64(diskWarning) << 20
        settings.push = try push.settings()
        settings.quotas = quotas.settings
        settings.tiles = try maps.tileSettings
        settings.mapStyle = maps.style
        settings.webRoot = web ?? WebRoot.find()
        settings.adminPassword = ProcessInfo.processInfo.environment["MUSTER_ADMIN_PASSWORD"]
        if let tlsCertificate, let tlsKey {
            settings.tls = TLSFiles(certificateChain: tlsCertificate, privateKey: tlsKey)
        }
        var logger = Logger(label: "muster")
        logger.logLevel = Logger.Level(rawValue: logLevel) ?? .notice
        let server = try await open(settings, logger)
        try await reportingFailures(ofListeningAt: host, port: port) {
            try await server.run { [logger] address in
                do {
                    try StandardOutput.writeOrThrow(Data("Muster is ready at \(address)\n".utf8))
                } catch {
                    logger.warning("Muster is ready", metadata: ["address": "\(address)", "note": "\(error)"])
                }
            }
        }
    }

    /// Opens the data folder. If a command uses it, this waits until the command ends, at most
    /// `FolderWait.limitSeconds`; if a server runs over it, this fails.
    private func open(_ settings: Configuration, _ logger: Logger) async throws -> Server {
        var hasTold = false
        // Polls often, because the time between two commands of a script is short.
        let opened = try await FolderWait(looksPerSecond: 100).open(
            settings, logger: logger,
            showPassword: { password in
                let line = "First start. Sign in as admin with the password: \(password)\n"
                try StandardOutput.writeOrThrow(Data(line.utf8))
            }
        ) {
            if !hasTold {
                guard try await Connection.running(over: data.data) == nil else { return false }
                remark("\(data.data) is in use; waiting for a command to end, \(FolderWait.limitSeconds) s at most")
                hasTold = true
            }
            return true
        }
        guard let opened else { throw CommandFailure(StoreError.inUse(path: data.data).description) }
        return opened
    }
}

/// Finds the web page: installed with the program, beside a build, or in the current folder.
enum WebRoot {
    static func find() -> String? {
        let program = (Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0]))
            .resolvingSymlinksInPath().deletingLastPathComponent()
        // Installed, the program is bin/muster and the page is in share/muster/Web.
        let installed = program.deletingLastPathComponent().appending(path: "share/muster")
        // A build is a few folders below the checkout: .build/<platform>/<configuration>/muster.
        var candidates = [installed, URL(filePath: FileManager.default.currentDirectoryPath), program]
        for _ in 0..<4 { candidates.append(candidates[candidates.count - 1].deletingLastPathComponent()) }
        return candidates.map { $0.appending(path: "Web").path }
            .first { FileManager.default.fileExists(atPath: $0 + "/index.html") }
    }
}

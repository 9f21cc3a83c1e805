import Foundation
import Hummingbird
import HummingbirdCore
package import Logging
import MusterCore
import MusterHTTP
import MusterStore
import MusterWire
import NIOCore
import ServiceLifecycle
import Synchronization
import UnixSignals

/// A whole server over one data folder: the store, the coordinator, the live feed, identity and the endpoints, on one
/// port.
package struct Server: Sendable {
    private let endpointTypes: [any Endpoint.Type]
    private let settings: Configuration
    private let logger: Logger
    private let coordinator: StoreCoordinator
    private let identity: Identity
    private let dispatcher: DeliveryDispatcher
    private let pushes: PushDispatcher
    private let feeds: LogFeeds
    private let client: CheckedHTTPClient
    private let metrics: Metrics
    private let connections: OpenConnections
    private let tiles: TileCatalog
    /// The TLS certificates; nil where the server uses no TLS.
    private let certificates: CertificateFiles?

    /// The password generated for `admin` at the first start of a server that stays, where none was configured; nil
    /// otherwise. Show it once.
    package let generatedPassword: String?

    /// Opens the data folder, and creates it where it does not exist.
    ///
    /// - Parameter showPassword: shows the password that is generated for `admin` at the first start, before it is
    ///   stored. If it throws, none is stored, and the next start generates one.
    /// - Throws: `TooFewOpenFiles`, `TooLittleMemory`; `TileFileError` when a file of map tiles cannot be read;
    ///   `StoreError` when the store is in use, damaged, or of a newer version; `SecretVaultError` when the key to its
    ///   secrets is missing; `IdentityError` for an unusable admin password.
    package init(
        _ settings: Configuration, endpoints endpointTypes: [any Endpoint.Type], logger: Logger,
        showPassword: (String) throws -> Void = { _ in }
    ) async throws {
        self.endpointTypes = endpointTypes
        self.settings = settings
        self.logger = logger
        ProcessMemory.shareArenas()
        try OpenFiles.requireEnough()
        try ProcessMemory.requireEnough()
        ProcessMetrics.begin()
        tiles = try TileCatalog(settings, logger: logger)
        certificates = try settings.tls.map { try CertificateFiles($0, logger: logger) }
        let storage = StorageHealth(now: settings.now)
        storage.recordSpace(DiskSpace(ofFileSystemAt: settings.dataDirectory))
        var options = SQLiteStore.Options()
        options.health = storage
        options.acceptsLoss = settings.acceptsLoss
        let store = try SQLiteStore(in: settings.dataDirectory, options: options)
        store.onDamage { logger.error("DAMAGED \($0). The server leaves out what it held; run muster doctor.") }
        if let limit = ControlGroup.memoryLimitBytes(), limit < ControlGroup.warningBytes {
            logger.warning(
                "The system may end this process under load: its control group has little memory",
                metadata: ["mebibytes": "\(limit >> 20)", "recommended": "\(ControlGroup.warningBytes >> 20)"])
        }
        let notifier = CommitNotifier()
        let quotas = Quotas(
            settings.quotas,
            log: { fault in
                logger.warning(
                    "A request was over a quota", metadata: ["quota": "\(fault.quota.rawValue)", "why": "\(fault)"])
            })
        coordinator = try StoreCoordinator(
            store: store, storage: storage, amazon: settings.amazon, quotas: quotas,
            reads: ReadStatistics(logger: logger), now: settings.now,
            announce: { notifier.announce($0) })
        feeds = LogFeeds(coordinator: coordinator)
        metrics = Metrics()
        connections = OpenConnections(
            limits: settings.connections, proxies: settings.trustedProxies, policy: Self.connectionPolicy)
        do {
            let vault = try await SecretVault.open(
                in: settings.dataDirectory, of: coordinator, isRenewed: settings.renewsSecretsKey, now: settings.now())
            identity = Identity(
                coordinator: coordinator, issuer: "muster", vault: vault, logger: logger, now: settings.now)
            client = try Self.client(settings, logger)
            let caller = TargetCaller(
                coordinator: coordinator, vault: vault, client: client, texts: settings.sms, logger: logger,
                now: settings.now)
            dispatcher = DeliveryDispatcher(
                coordinator: coordinator, caller: caller, policy: settings.delivery, metrics: metrics, now: settings.now
            )
            pushes = PushDispatcher(
                coordinator: coordinator, vault: vault,
                senders: PushSenders(
                    settings, coordinator: coordinator, vault: vault, client: client,
                    subscriptionClient: try Self.client(settings, resolver: SubscriptionResolver())),
                policy: settings.push.policy, logger: logger, now: settings.now)
            metrics.addSource { [pushes] in pushes.statistics.families }
            metrics.addSource { [connections] in connections.families }
            metrics.addSources(
                coordinator: coordinator, feeds: feeds, identity: identity,
                dataDirectory: settings.dataDirectory, certificates: certificates)
            notifier.connect(to: feeds, dispatcher, pushes)
            try await identity.load()
            generatedPassword = try await identity.bootstrap(
                adminPassword: settings.adminPassword, isForLater: settings.isForOneCommand, show: showPassword)
            do {
                try await coordinator.makePlaces()
                try await coordinator.fillIndexes()
            } catch CoordinatorError.unwritable {
                // The storage watch catches up once the disk accepts writes again.
            }
        } catch {
            try await coordinator.close()
            throw error
        }
    }

    /// Makes the client that calls targets and peers of replications.
    ///
    /// - Throws: an error when the file of further authorities cannot be read.
    private static func client(_ settings: Configuration, _ logger: Logger) throws -> CheckedHTTPClient {
        let client = try Self.client(settings, resolver: SystemResolver())
        if !client.hasSystemRoots {
            logger.warning(
                """
                This system has no list of certificate authorities (Debian: ca-certificates): targets with https are \
                not trusted, but by --target-roots
                """)
        }
        return client
    }

    private static func client(_ settings: Configuration, resolver: any HostResolver) throws -> CheckedHTTPClient {
        let policy = AddressPolicy(allowsPrivate: settings.allowsPrivateTargets)
        return try CheckedHTTPClient(resolver: resolver, policy: policy, roots: settings.targetRoots)
    }

    /// The rules that CouchDB's clients need. At paths of databases, a POST may name another method. The body of a
    /// refusal is an error in CouchDB's form, which other clients can read as well.
    private static let connectionPolicy = ConnectionPolicy(
        allowsMethodOverride: { ReservedPaths.isCouchDB($0) },
        refusalBody: { reason in
            JSONWriter.object {
                $0.member("error", "too_many_requests")
                $0.member("reason", reason)
            }
        })

    /// The folder that holds all of the server's data.
    package var dataDirectory: String { settings.dataDirectory }

    /// Why the disk refuses writes, in the operating system's or SQLite's words; nil while it accepts them.
    package var writeRefusal: String? {
        let status = coordinator.storage.status
        return status.isWritable ? nil : status.lastRefusal ?? "the disk refuses writes"
    }

    /// Makes a one-time code with which a browser on this machine signs in as this user.
    ///
    /// - Returns: nil when the user does not exist.
    package func signInCode(for user: String) -> String? {
        coordinator.directory.users[user].map { identity.issueCode(for: $0.number) }
    }

    /// Serves until SIGTERM or SIGINT, then lets requests finish and closes the store.
    ///
    /// - Parameter onReady: called with the server's address once it accepts connections.
    package func run(onReady: @escaping @Sendable (String) async -> Void) async throws {
        try await closing { try await services(signals: [.sigterm, .sigint], onReady: onReady).run() }
    }

    /// Serves while `body` runs, and stops when it returns or throws.
    ///
    /// - Parameter body: receives the server's address.
    package func runWhile<Result>(_ body: (String) async throws -> Result) async throws -> Result {
        try await closing {
            let (addresses, address) = AsyncStream.makeStream(of: String.self)
            let services = try await services(signals: []) { address.yield($0) }
            let serving = Task {
                defer { address.finish() }
                try await services.run()
            }
            for await ready in addresses {
                do {
                    let result = try await body(ready)
                    await services.triggerGracefulShutdown()
                    try await serving.value
                    return result
                } catch {
                    await services.triggerGracefulShutdown()
                    // The caller should receive the error that stopped the body.
                    try? await serving.value
                    throw error
                }
            }
            // The address did not come: the server failed, or this task was cancelled. Until the services run, a
            // graceful shutdown would be lost.
            if Task.isCancelled { serving.cancel() }
            try await serving.value
            throw CancellationError()
        }
    }

    private func services(
        signals: [UnixSignal], onReady: @escaping @Sendable (String) async -> Void
    ) async throws -> ServiceGroup {
        let control = ControlAccess(directory: settings.dataDirectory, isForOneCommand: settings.isForOneCommand)
        try await openControl(control)
        let parts = ServerParts(
            coordinator: coordinator, feeds: feeds, identity: identity, dispatcher: dispatcher,
            pushes: pushes, client: client, connections: connections, metrics: metrics, tiles: tiles,
            certificates: certificates, configuration: settings, logger: logger)
        let endpoints = Endpoints(endpointTypes, over: parts)
        let router = endpoints.router(logger: logger)
        let isEncrypted = certificates != nil
        let port = port(router, host: settings.host, port: settings.port, certificates) { url in
            // A port that cannot be opened ends the server, which then was never ready.
            let isOpen: Void? = try? await cancelWhenGracefulShutdown { try await parts.ports.wait() }
            guard isOpen != nil else { return }
            if !isEncrypted { leaveControlFile(control, url: url) }
            await onReady(url)
        }
        var services: [ServiceGroupConfiguration.ServiceConfiguration] = [
            .init(
                service: RetentionService(
                    coordinator: coordinator, identity: identity, days: settings.retentionDays, now: settings.now)),
            .init(service: storageWatch(control)),
            .init(
                service: ControlWatch(
                    control: control, identity: identity, coordinator: coordinator, logger: logger)),
            .init(service: UsageWatch(coordinator: coordinator)),
            .init(service: dispatcher),
            .init(service: pushes),
            .init(service: port, successTerminationBehavior: .gracefullyShutdownGroup),
            .init(service: feeds),
        ]
        services += endpoints.services.map { .init(service: $0) }
        services.append(.init(service: connections))
        if isEncrypted {
            // The certificate does not cover the address that the command line on this machine uses.
            let isOpen = parts.ports.expectPort()
            let control = self.port(router, host: "127.0.0.1", port: 0, nil) {
                leaveControlFile(control, url: $0)
                isOpen()
            }
            services.insert(.init(service: control), at: 0)
        }
        if let certificates, !signals.isEmpty { services.append(.init(service: certificates)) }
        // Services stop in reverse order: the feeds must end before the port can wait for its requests.
        return ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: services, gracefulShutdownSignals: signals, logger: logger))
    }

    private func storageWatch(_ control: ControlAccess) -> StorageWatch {
        StorageWatch(
            coordinator: coordinator, directory: settings.dataDirectory, warningBytes: settings.diskWarningBytes,
            logger: logger,
            now: settings.now
        ) {
            try await identity.storeUnstoredSessions()
            try await coordinator.makePlaces()
            try await coordinator.fillIndexes()
            if !control.isComplete {
                control.setKey(try await identity.makeControlKey())
                try control.write()
            }
        }
    }

    /// Makes the key of the command line. While the disk refuses writes, the server runs without it.
    private func openControl(_ control: ControlAccess) async throws {
        do {
            control.setKey(try await identity.makeControlKey())
        } catch let error as CoordinatorError {
            guard case .unwritable = error else { throw error }
            logger.warning(
                "The command line cannot reach this server until the disk takes writes", metadata: ["error": "\(error)"]
            )
        }
    }

    private func leaveControlFile(_ control: ControlAccess, url: String) {
        control.setAddress(url)
        do {
            try control.write()
        } catch {
            logger.warning("The command line cannot reach this server", metadata: ["error": "\(error)"])
        }
    }

    /// Closes the store after `body`, whether it returned or threw.
    private func closing<Result>(_ body: () async throws -> Result) async throws -> Result {
        do {
            let result = try await body()
            await close()
            return result
        } catch {
            await close()
            throw error
        }
    }

    private func close() async {
        ControlFile.remove(in: settings.dataDirectory)
        do {
            // In a task of its own, so that the store is closed even when this task was cancelled.
            try await Task { try await coordinator.close() }.value
        } catch {
            logger.error("The store did not close cleanly", metadata: ["error": "\(error)"])
        }
    }

    private func port(
        _ router: Router<AppRequestContext>, host: String, port: Int, _ certificates: CertificateFiles?,
        onReady: @escaping @Sendable (String) async -> Void
    ) -> any Service {
        let connection = HTTPConnection(router.buildResponder(), connections: connections, logger: logger)
        let name = host.contains(":") ? "[\(host)]" : host
        let isReady: @Sendable (Int) async -> Void = {
            await onReady("\(certificates == nil ? "http" : "https")://\(name):\($0)")
        }
        guard let certificates else {
            return HTTPListener(
                host: host, port: port, connection: connection, connections: connections, logger: logger,
                onReady: isReady)
        }
        let encrypted = EncryptedConnection(
            base: connection, certificates: certificates, handshakeSeconds: connections.limits.headSeconds)
        return HTTPListener(
            host: host, port: port, connection: encrypted, connections: connections, logger: logger, onReady: isReady)
    }
}

/// Passes the coordinator's announcements to its listeners, which are made after it.
private final class CommitNotifier: Sendable {
    private let listeners = Mutex<(feeds: LogFeeds, dispatcher: DeliveryDispatcher, pushes: PushDispatcher)?>(nil)

    func connect(to feeds: LogFeeds, _ dispatcher: DeliveryDispatcher, _ pushes: PushDispatcher) {
        listeners.withLock { $0 = (feeds, dispatcher, pushes) }
    }

    func announce(_ sequence: LogSequence) {
        guard let listeners = listeners.withLock({ $0 }) else { return }
        listeners.feeds.announce(sequence)
        listeners.dispatcher.announceWhatIsNew()
        listeners.pushes.announce()
    }
}

import Hummingbird
import MusterCore
import MusterHTTP
import MusterServer
import MusterStore
import MusterWire
import NIOCore

/// Routes for the health check (readiness), metrics and the state of the server.
struct ServiceRoutes: NativeRoutes {
    let server: ServerParts

    func register(in routes: inout RouteTable) {
        routes.add(
            Route(
                .get, "/.well-known/jwks.json", admits: .anyone,
                .init(
                    "Service", "Read the public keys that verify access tokens.",
                    answers: [.init(200, "A JSON Web Key Set.", json: "KeySet")]), handler: seeKeySet))
        routes.add(
            Route(
                .get, "/.well-known/apple-app-site-association", admits: .anyone,
                .init(
                    "Service", "Read which iPhone app opens links to this server.",
                    answers: [
                        .init(200, "Apple's association file.", json: "AppAssociation"),
                        .init(404, "The server pushes to no iPhone app."),
                    ]),
                handler: seeAppAssociation))
        let health = Route.Documentation(
            "Service", "Check whether the server works.",
            answers: [.init(200, "It works, perhaps in a degraded state.", json: "Health")])
        routes.add(Route(.get, "/health", admits: .anyone, health, handler: seeHealth))
        routes.add(Route(.get, "\(Self.root)/health", admits: .anyone, health, handler: seeHealth))
        routes.add(
            Route(
                .get, "/metrics", admits: .adminOrLoopback,
                .init(
                    "Service", "Read the server's metrics, for Prometheus.",
                    answers: [.init(200, "The Prometheus text format 0.0.4.", body: ["text/plain": "Text"])]),
                handler: seeMetrics))
    }

    private func seeKeySet(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        Response(
            status: .ok, headers: [.contentType: "application/json", .cacheControl: "public, max-age=300"],
            body: .init(byteBuffer: ByteBuffer(string: identity.keySet)))
    }

    /// The server is healthy when it can answer: the writer's thread runs, the store can be read and passwords can be
    /// verified. Where work waits too long, the answer names the queue. A disk that refuses writes makes the server
    /// degraded but not unhealthy, because positions can still be read and there is no second server to use instead.
    private func seeHealth(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let now = configuration.now()
        let waits = coordinator.waits + [("hashing", identity.hasher.oldestWaitSeconds)]
        let stalled = waits.filter { $0.seconds >= Self.standstillSeconds }
        guard stalled.isEmpty else { return standstill(stalled, at: now) }
        let isKnown = await isKnown(request, context)
        let (sequence, clock) = try await coordinator.inspect { engine, _, sequence in
            (sequence, engine.suspectServerClock(now: now))
        }
        let (storage, damage) = (coordinator.storage.status, coordinator.knownDamage)
        return .json { writer in
            writer.beginObject()
            writer.member("status", !damage.isEmpty ? "damaged" : storage.isWritable ? "ok" : "degraded")
            if !damage.isEmpty { writer.member("damaged", Int64(damage.count)) }
            if isKnown { writer.member("sequence", sequence.rawValue) }
            writer.member("at", now)
            writer.member(storage, isKnown: isKnown, warningBytes: configuration.diskWarningBytes)
            if isKnown {
                writer.member(clock)
                if let certificates = server.certificates { writer.member(certificates, at: now) }
                writer.member(server.pushes.statistics.faults)
                writer.member(server.warnings.all.filter { $0.isSilent(at: now) }, at: now)
            } else if clock != nil {
                writer.key("serverClock")
                writer.beginObject()
                writer.member("suspect", true)
                writer.endObject()
            }
            writer.endObject()
        }
    }

    /// Whether the caller is authenticated or is this machine itself. Other callers do not learn how busy the server
    /// is.
    private func isKnown(_ request: Request, _ context: AppRequestContext) async -> Bool {
        if context.isFromLoopback, request.isOfThisMachine { return true }
        guard let authorization = request.headers[.authorization] else { return false }
        return (try? await identity.authenticate(authorization, from: context.remoteAddress)) != nil
    }

    /// The seconds of waiting after which `/health` reports that work has stalled.
    private static let standstillSeconds: Double = 10

    private func standstill(_ stalled: [(part: String, seconds: Double)], at now: Instant) -> Response {
        .json(.serviceUnavailable) { writer in
            writer.beginObject()
            writer.member("status", "stalled")
            writer.member("stalled", listing: stalled) { writer, wait in
                writer.beginObject()
                writer.member("part", wait.part)
                writer.member("waitingSeconds", Int64(wait.seconds))
                writer.endObject()
            }
            writer.member("at", now)
            writer.endObject()
        }
    }

    private func seeMetrics(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        Response(
            status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
            body: .init(byteBuffer: ByteBuffer(string: server.metrics.text(coordinator.statistics))))
    }
}

extension JSONWriter {
    /// Writes when the TLS certificate ends, and whether an operator should replace it now.
    fileprivate mutating func member(_ certificates: CertificateFiles, at now: Instant) {
        key("certificate")
        beginObject()
        member("endsAt", Instant(milliseconds: Int64(certificates.endsAt * 1000)))
        member("ending", certificates.isEnding(at: Double(now.milliseconds) / 1000))
        endObject()
    }

    /// Writes the platforms whose push services refuse the operator's configuration; nothing where there is none.
    fileprivate mutating func member(_ faults: [PushPlatform: PushFault]) {
        guard !faults.isEmpty else { return }
        member("pushFaults", listing: faults.sorted { $0.key.rawValue < $1.key.rawValue }) { writer, fault in
            writer.beginObject()
            writer.member("platform", fault.key.rawValue)
            writer.member("reason", fault.value.reason)
            writer.member("advice", fault.value.advice)
            writer.member("since", fault.value.since)
            writer.endObject()
        }
    }

    /// Writes the feeds of official warnings that have not been heard for long; nothing where there is none.
    fileprivate mutating func member(_ silent: [WarningStatus], at now: Instant) {
        guard !silent.isEmpty else { return }
        member("warningFaults", listing: silent) { writer, status in
            writer.beginObject()
            writer.member("team", status.team)
            writer.member("host", status.host)
            writer.member("detail", status.silence(at: now))
            writer.endObject()
        }
    }

    /// Writes that the server's own clock may be wrong; writes nothing where there is no sign of that.
    mutating func member(_ clock: ServerClock?) {
        guard let clock else { return }
        key("serverClock")
        beginObject()
        member("suspect", true)
        member("aheadSeconds", Int64(clock.aheadSeconds.rounded(.towardZero)))
        member("devices", Int64(clock.devices))
        member("heard", Int64(clock.heard))
        endObject()
    }
}

public import MusterCore
import MusterGeometry

/// A connection to an accessory that delivers whole messages, as Bluetooth does. For a serial line,
/// `AccessoryStreamReader` splits the bytes into messages.
public protocol AccessoryConnection: Sendable {
    /// The accessory's messages, until the connection ends.
    func messages() -> AsyncThrowingStream<[UInt8], any Error>
    /// Sends one whole message to the accessory.
    func send(_ message: [UInt8]) async throws
}

/// The ultra-wideband radio of this device, which ranges with an accessory once both are configured.
public protocol AccessoryRadio: Sendable {
    /// Returns this device's configuration, made for an accessory's configuration.
    func configuration(for accessory: [UInt8]) async throws -> [UInt8]
    /// Ranges until the reader stops.
    func ranges() -> AsyncThrowingStream<AccessoryRange, any Error>
}

/// A distance and a direction that a radio measured, unchecked.
public struct AccessoryRange: Hashable, Sendable {
    /// Metres; nil when the radio measured none.
    public var distance: Double?
    /// A vector towards the accessory, in the axes of `Direction`; nil when the radio measured none.
    public var direction: SIMD3<Double>?
    /// When the radio measured, by this device's clock.
    public var time: Instant

    /// Creates a measurement as a radio made it.
    public init(distance: Double?, direction: SIMD3<Double>? = nil, time: Instant) {
        self.distance = distance
        self.direction = direction
        self.time = time
    }
}

/// Ranging with an ultra-wideband accessory, by the public protocol: the accessory's configuration, this device's,
/// start, ranging, stop.
public struct AccessoryRanging: RangingSource {
    /// The kind of this source: `.accessory`.
    public let kind = RangingKind.accessory
    private let connection: any AccessoryConnection
    private let radio: (any AccessoryRadio)?

    /// Creates a source for one accessory.
    ///
    /// - Parameters:
    ///   - connection: the connection to the accessory.
    ///   - radio: this device's radio; nil when it has none: then the source supports nothing.
    public init(_ connection: any AccessoryConnection, radio: (any AccessoryRadio)?) {
        self.connection = connection
        self.radio = radio
    }

    /// A precise distance and a direction, where there is a radio.
    public var capabilities: RangingCapabilities {
        radio == nil ? RangingCapabilities() : RangingCapabilities(distance: .precise, direction: true, reach: 50)
    }

    /// Measures the accessory. The stream throws `AccessoryError`, `MeasurementError`, and the errors of connection and
    /// radio.
    public func measurements(over link: RangingLink) -> AsyncThrowingStream<RangeMeasurement, any Error> {
        let (stream, continuation) = AsyncThrowingStream<RangeMeasurement, any Error>.makeStream(
            bufferingPolicy: .bufferingNewest(8))
        guard let radio else {
            continuation.finish(throwing: NearbyError(.unsupportedPlatform, "this device has no ultra-wideband radio"))
            return stream
        }
        let run = AccessoryRun(connection: connection, radio: radio) { continuation.yield($0) }
        let task = Task {
            do {
                try await run.run()
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }
        continuation.onTermination = { reason in
            guard case .cancelled = reason else { return }
            // Tells the accessory to stop, and then ends everything.
            Task {
                await run.stop()
                task.cancel()
            }
        }
        return stream
    }
}

/// One ranging with an accessory, from the first message to the last.
private actor AccessoryRun {
    private var machine = AccessoryMachine()
    private let connection: any AccessoryConnection
    private let radio: any AccessoryRadio
    private let yield: @Sendable (RangeMeasurement) -> Void
    private var ranging: Task<Void, any Error>?
    private var fault: (any Error)?
    private var isOver = false

    init(
        connection: any AccessoryConnection, radio: any AccessoryRadio,
        yield: @escaping @Sendable (RangeMeasurement) -> Void
    ) {
        self.connection = connection
        self.radio = radio
        self.yield = yield
    }

    func run() async throws {
        let messages = connection.messages()
        defer { ranging?.cancel() }
        try await handle(.start)
        for try await bytes in messages {
            try await handle(.received(AccessoryMessage(bytes)))
            if isOver { break }
        }
        if !isOver { try await handle(.closed) }
        if let fault { throw fault }
    }

    func stop() async { try? await handle(.stop) }

    private func handle(_ event: AccessoryMachine.Event) async throws {
        for effect in machine.handle(event) {
            switch effect {
            case .send(let message): try await connection.send(message.bytes)
            case .configureRadio(let data):
                ranging?.cancel()
                try await handle(.configured(radio.configuration(for: data)))
            case .beginRanging: beginRanging()
            case .end(let cause):
                fault = fault ?? cause
                isOver = true
            }
        }
    }

    /// Ranges while messages continue. If the radio breaks, the accessory is told to stop; its last message then ends
    /// the run.
    private func beginRanging() {
        let (ranges, yield) = (radio.ranges(), yield)
        ranging = Task {
            do {
                for try await range in ranges { yield(try Self.measurement(of: range)) }
            } catch {
                if !Task.isCancelled { fault = error }
                await stop()
            }
        }
    }

    private static func measurement(of range: AccessoryRange) throws(MeasurementError) -> RangeMeasurement {
        var direction: Direction?
        if let raw = range.direction { direction = try Direction(x: raw.x, y: raw.y, z: raw.z) }
        return try RangeMeasurement(
            source: .accessory, time: range.time, distance: range.distance.map { Metres($0) }, direction: direction,
            quality: RangeMeasurement.Quality(distanceError: range.distance.map { _ in 0.1 }),
            noDistance: .outOfRange, noDirection: range.distance == nil ? .outOfRange : .outsideFieldOfView)
    }
}

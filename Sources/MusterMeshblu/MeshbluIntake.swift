import HTTPTypes
import MusterCoding
import MusterCore
package import MusterServer
import MusterStore
import MusterWire

/// Meshblu's operations, shared by the HTTP endpoint and MQTT. A client reaches only its owner's devices: another
/// owner's device is refused like one that does not exist.
package struct MeshbluIntake: Sendable {
    let uuids: MeshbluUUIDs
    let coordinator: StoreCoordinator
    private let identity: Identity
    private let configuration: Configuration

    package init(_ parts: ServerParts) {
        coordinator = parts.coordinator
        identity = parts.identity
        configuration = parts.configuration
        uuids = MeshbluUUIDs(storeID: parts.coordinator.storeID)
    }

    /// The name of the signals that data is stored as.
    static let dataName = "data"

    // MARK: Devices

    /// The caller's own device with this UUID.
    ///
    /// - Throws: `MeshbluRefusal.noDevice` for a device that does not exist or that is somebody else's.
    func ownDevice(_ uuid: String, of access: Access) throws(MeshbluRefusal) -> Device {
        guard let device = uuids.device(uuid, of: access.principal.user, in: access.directory), access.mayRead(device)
        else { throw MeshbluRefusal.noDevice }
        return device
    }

    /// The properties that clients set on a device.
    func properties(of device: DeviceNumber) async throws -> MeshbluProperties {
        let notes = try await coordinator.read { store in
            try store.notes(of: device, kind: .properties, after: nil, limit: 1)
        }
        return notes.first.map { MeshbluProperties(stored: $0.body) } ?? MeshbluProperties()
    }

    /// Changes properties of a device, and returns all of its properties.
    ///
    /// - Throws: `MeshbluRefusal`, `MeshbluPropertiesError`; the errors of the store.
    func change(_ device: Device, _ parameters: MeshbluParameters, by access: Access) async throws -> MeshbluProperties
    {
        guard access.mayReport(for: device) else {
            throw MeshbluRefusal(.unauthorized, "A device's token changes that device alone.")
        }
        let changes = try MeshbluProperties(parameters)
        let stored = try await coordinator.changeNote(
            DeviceNote.Name(.properties), of: device.number, by: access.principal
        ) { former in
            // The device may have been removed since the request arrived.
            guard coordinator.directory.devices[device.number] != nil else { throw MeshbluRefusal.noDevice }
            var properties = former.map { MeshbluProperties(stored: $0) } ?? MeshbluProperties()
            try properties.merge(changes)
            return properties.text
        }
        return MeshbluProperties(stored: stored)
    }

    /// Makes a token of a device.
    ///
    /// - Parameter isOnly: whether all earlier tokens of the device end.
    /// - Throws: `MeshbluRefusal` unless the caller may change the device; `IdentityError`; the errors of the store.
    func makeToken(of device: Device, isOnly: Bool, by access: Access) async throws -> String {
        guard let owner = access.directory.users[device.user], access.mayChangeDevices(of: owner) else {
            throw MeshbluRefusal(.unauthorized, "You may not make tokens.")
        }
        let author = Author(access.principal)
        if isOnly { try await identity.removeDeviceTokens(of: device.number, by: author) }
        return try await identity.makeDeviceToken(for: device.number, by: author)
    }

    // MARK: Data and messages

    /// Returns the data of a device as an observation to store.
    ///
    /// - Parameter key: the idempotency key: data with the same key is stored once, however often it is sent. nil for
    ///   data that is new each time.
    func data(
        _ parameters: MeshbluParameters, of device: Device, by access: Access, key: String?
    ) throws(MeshbluRefusal) -> Observation {
        guard access.mayReport(for: device) else {
            throw MeshbluRefusal(.unauthorized, "A device's token fires for that device alone.")
        }
        let values = parameters.signalValues
        if let fault = SignalValues.fault(of: values) {
            throw MeshbluRefusal(.unprocessableContent, "The data \(fault).")
        }
        let now = configuration.now()
        let sampleTime = parameters["timestamp"].map { MeshbluParameters.instant($0) } ?? now
        guard let sampleTime else {
            throw MeshbluRefusal(.unprocessableContent, MeshbluEndpoint.noTime("timestamp"))
        }
        let window = SignalIntake.Window(now: now, retentionDays: configuration.retentionDays)
        if parameters["timestamp"] != nil, let fault = window.fault(of: sampleTime) {
            throw MeshbluRefusal(.unprocessableContent, "timestamp \(fault).")
        }
        let signal = Signal(
            id: Self.id(key, named: Self.dataName), name: Self.dataName, sampleTime: sampleTime, receivedTime: now,
            values: values)
        return SignalIntake.observation(of: signal, of: device.number, by: access)
    }

    /// Returns a message of the caller's device, and the observation to store for it.
    func message(
        _ parameters: MeshbluParameters, by access: Access, key: String?
    ) throws(MeshbluRefusal) -> (message: MeshbluMessage, observation: Observation) {
        guard let number = access.principal.device, let device = access.directory.devices[number] else {
            throw MeshbluRefusal(.unauthorized, "A message needs a sender: use a device's UUID and token.")
        }
        guard let message = MeshbluMessage(parameters) else {
            throw MeshbluRefusal(.unprocessableContent, "Invalid Message Format")
        }
        if let fault = SignalValues.fault(of: message.values) {
            throw MeshbluRefusal(.unprocessableContent, "The message \(fault).")
        }
        let now = configuration.now()
        let name = MeshbluMessage.signalName
        let signal = Signal(
            id: Self.id(key, named: name), name: name, sampleTime: now, receivedTime: now, values: message.values)
        return (message, SignalIntake.observation(of: signal, of: device.number, by: access))
    }

    /// Returns the id of the signal with an idempotency key; a new id where there is no key.
    ///
    /// Data, messages and signals of the native API may have the same key without being the same signal, so the id
    /// begins with the name. A digest replaces a key that would make the id too long, or that has characters which ids
    /// do not allow.
    private static func id(_ key: String?, named name: String) -> String {
        guard let key else { return SignalIntake.makeID() }
        let id = "\(name).\(key)"
        return Signal.isValid(word: id) ? id : "\(name).\(TokenDigest(of: key).bytes.hexadecimal.prefix(48))"
    }
}

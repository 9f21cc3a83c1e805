import HTTPTypes
import Hummingbird
import MusterCore
import MusterServer
import MusterStore
import MusterWire

/// Devices and their tokens. The properties that clients give a device are stored as a note of the device.
extension MeshbluEndpoint {
    func makeDevice(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let parameters = try await parameters(request)
        let properties = try MeshbluProperties(parameters)
        guard let author = context.author else { throw IdentityError.missing }
        let now = server.configuration.now()
        // One transaction makes both, because a device is of no use if its token never reached the client.
        let (device, token) = try await coordinator.edit(by: author) { directory, draft in
            let access = try context.access(in: directory)
            guard let user = directory.users[access.principal.user], access.mayChangeDevices(of: user) else {
                throw MeshbluRefusal(.unauthorized, "You may not make devices.")
            }
            guard directory.devices(of: user.number).count < Directory.deviceLimit else {
                throw MeshbluRefusal(
                    .unprocessableContent, "You have \(Directory.deviceLimit) devices already: remove one first.")
            }
            let number = try draft.transaction.nextDeviceNumber()
            let wanted = parameters["name"]?.string ?? ""
            let isFree = EntityName.isValid(wanted) && directory.device(named: wanted, of: user.number) == nil
            let name = isFree ? wanted : "device-" + uuids.uuid(of: number).prefix(8)
            let device = Device(number: number, name: name, user: user.number)
            draft.edits = [.putDevice(device)]
            let token = try draft.addDeviceToken(for: device, by: author, at: now, in: directory)
            if !properties.members.isEmpty {
                let note = DeviceNote(DeviceNote.Name(.properties), receivedTime: now, body: properties.text)
                try draft.transaction.put(note, of: number)
                try draft.transaction.append(.note(note.name, of: number))
            }
            return (device, token)
        }
        return .json(.created) { $0.value(device, properties, uuids, token: token) }
    }

    func listDevices(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let access = try context.access(in: coordinator.directory)
        let wanted = try MeshbluParameters(query: request.uri.query ?? "", body: [], mediaType: nil)
        let devices = access.directory.devices(of: access.principal.user).compactMap { access.directory.devices[$0] }
            .filter { access.mayRead($0) }
        var found: [(device: Device, properties: MeshbluProperties)] = []
        for device in devices {
            let properties = try await intake.properties(of: device.number)
            if properties.match(wanted, identity: identity(of: device)) { found.append((device, properties)) }
        }
        guard !found.isEmpty else { throw MeshbluRefusal.noDevice }
        return response(found)
    }

    /// The members of a device that are not properties.
    private func identity(of device: Device) -> [String: String] {
        ["uuid": uuids.uuid(of: device.number), "owner": uuids.uuid(of: device.user), "name": device.name]
    }

    func seeDevice(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let device = try ownDevice(context).device
        return response([(device, try await intake.properties(of: device.number))])
    }

    private func response(_ devices: [(device: Device, properties: MeshbluProperties)]) -> Response {
        .json { writer in
            writer.beginObject()
            writer.member("devices", listing: devices) { $0.value($1.device, $1.properties, uuids, token: nil) }
            writer.endObject()
        }
    }

    func changeDevice(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let parameters = try await parameters(request)
        let (device, access) = try ownDevice(context)
        let properties = try await intake.change(device, parameters, by: access)
        return .json { $0.value(device, properties, uuids, token: nil) }
    }

    func removeDevice(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let uuid = uuids.uuid(of: try ownDevice(context).device.number)
        try await coordinator.edit(by: context.author) { _, draft in
            let (device, access) = try ownDevice(context)
            guard let owner = access.directory.users[device.user], access.mayErase(owner) else {
                throw MeshbluRefusal(.unauthorized, "You may not remove this device.")
            }
            draft.edits = [.removeDevice(device.number)]
        }
        return .json { writer in
            writer.beginObject()
            writer.member("uuid", uuid)
            writer.endObject()
        }
    }

    // MARK: Tokens

    func replaceTokens(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        try await respond(withTokenOf: context, isOnly: true, .created)
    }

    func makeToken(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        try await respond(withTokenOf: context, isOnly: false, .ok)
    }

    func removeToken(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let (device, author) = try changeableDevice(context)
        let token = try context.parameter("token")
        guard try await identity.removeDeviceToken(token, of: device.number, by: author) else {
            throw MeshbluRefusal(.notFound, "The device has no such token.")
        }
        return .noContent
    }

    private func changeableDevice(_ context: AppRequestContext) throws -> (device: Device, author: Author) {
        let (device, access) = try ownDevice(context)
        guard let author = context.author, let owner = access.directory.users[device.user],
            access.mayChangeDevices(of: owner)
        else { throw MeshbluRefusal(.unauthorized, "You may not make tokens.") }
        return (device, author)
    }

    private func respond(
        withTokenOf context: AppRequestContext, isOnly: Bool, _ status: HTTPResponse.Status
    ) async throws -> Response {
        let (device, access) = try ownDevice(context)
        let token = try await intake.makeToken(of: device, isOnly: isOnly, by: access)
        return .json(status) { writer in
            writer.beginObject()
            writer.member("uuid", uuids.uuid(of: device.number))
            writer.member("token", token)
            writer.endObject()
        }
    }

    /// Answers whether a token is valid for a device. Passwords are not tried: they are slow to verify and can be
    /// guessed.
    func authenticate(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let name = try context.parameter("uuid")
        let proof = MeshbluProof(
            name: name, token: Query(request).text("token") ?? "", address: context.remoteAddress, uuids: uuids)
        var isGood = false
        do {
            if proof.isToken { isGood = try await proof.verify(by: identity, atOpening: true).device != nil }
        } catch IdentityError.refused {}
        return .json(isGood ? .ok : .notFound) { writer in
            writer.beginObject()
            writer.member("uuid", name)
            writer.member("authentication", isGood)
            writer.endObject()
        }
    }
}

extension JSONWriter {
    /// Writes a device as Meshblu does: what identifies it, then its properties.
    mutating func value(
        _ device: Device, _ properties: MeshbluProperties, _ uuids: MeshbluUUIDs, token: String?
    ) {
        beginObject()
        member("uuid", uuids.uuid(of: device.number))
        member("owner", uuids.uuid(of: device.user))
        member("name", device.name)
        member("token", token)
        for property in properties.members {
            key(property.key)
            value(property.value)
        }
        endObject()
    }
}

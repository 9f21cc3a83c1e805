import Hummingbird
import MusterCore
import MusterServer

/// Lookups that the routes about devices share.
extension NativeRoutes {
    /// The device that the path names, if the caller may change it.
    func changeableDevice(_ context: AppRequestContext, _ access: Access) throws(Problem) -> Device {
        let device = try device(context, access)
        guard let owner = access.directory.users[device.user], access.mayChangeDevices(of: owner) else {
            throw .forbidden
        }
        return device
    }

    /// The page that a request asks for, with the devices that the caller may see.
    func visibleDevices(_ request: Request, _ context: AppRequestContext) throws -> (Page<Device>, Directory) {
        var query = Query(request)
        let limit = query.limit()
        let owner = query.text("user")
        try query.finish()
        let directory = coordinator.directory
        let access = try context.access(in: directory)
        let cursor = query.text("cursor")
        if let owner {
            let devices = directory.users[owner].map { directory.devices(of: $0.number) } ?? []
            let visible = devices.compactMap { directory.devices[$0] }.filter { access.mayRead($0) }
            return (try Page(of: visible, limit: limit, after: cursor), directory)
        }
        let visible = directory.devices.all.lazy.filter { access.mayRead($0) }
        return (try Page(of: visible, limit: limit, after: cursor), directory)
    }

    /// The positions of devices at one moment, and the log's sequence number at that moment.
    func whereabouts(
        of devices: [DeviceNumber]
    ) async throws -> ([DeviceNumber: Whereabouts], MusterCore.LogSequence) {
        try await coordinator.inspect { engine, _, sequence in
            var known: [DeviceNumber: Whereabouts] = [:]
            for device in devices {
                known[device] = Whereabouts(device, in: engine)
            }
            return (known, sequence)
        }
    }
}

import Hummingbird
import MusterCore
import MusterWire

extension NativeEndpoint {
    func addDeviceCredentials(to routes: inout RouteTable) {
        let device = "\(Self.root)/users/{user}/devices/{device}"
        let writers: Route.Admission = .roles([.admin, .leader, .member], devices: false)
        routes.add(
            Route(
                .post, "\(device)/token", admits: writers,
                .init(
                    "Devices", "Make a token with which the device reports. Earlier ones stay good.",
                    answers: [.init(201, "The token, shown this once.", json: "DeviceToken")]),
                handler: makeToken))
        routes.add(
            Route(
                .delete, "\(device)/token", admits: writers,
                .init("Devices", "Revoke all tokens of a device.", answers: [.init(204, "Revoked.")]),
                handler: removeTokens))
    }

    private func makeToken(_ request: Request, _ exchange: Exchange) async throws -> Response {
        let directory = ledger.directory
        let device = try changeableDevice(exchange, exchange.access(in: directory))
        let token = try await identity.makeDeviceToken(for: device.number)
        return .json(.created) { writer in
            writer.beginObject()
            writer.member("device", directory.qualifiedName(of: device.number))
            writer.member("token", token)
            writer.endObject()
        }
    }

    private func removeTokens(_ request: Request, _ exchange: Exchange) async throws -> Response {
        let device = try changeableDevice(exchange, exchange.access(in: ledger.directory))
        try await identity.removeDeviceTokens(of: device.number)
        return .noContent
    }
}

import HTTPTypes
import MusterServer
import MusterWire

/// Cognito Sync's push operations: register a device, subscribe it to a dataset, unsubscribe it.
extension CognitoSyncService {
    func addDevices(to routes: inout RouteTable) {
        let everyone = Route.Admission.everyRole
        // Amazon's path has "identity" here and "identities" elsewhere.
        add(
            "RegisterDevice", .post, "\(Self.pool)/identity/{identity}/device", admits: everyone, to: &routes,
            registerDevice)
        let subscription = "\(Self.dataset)/subscriptions/{device}"
        add("SubscribeToDataset", .post, subscription, admits: everyone, to: &routes, subscribeToDataset)
        add("UnsubscribeFromDataset", .delete, subscription, admits: everyone, to: &routes, unsubscribeFromDataset)
    }

    /// The platforms of the API model. Amazon Device Messaging is one that the server cannot send by.
    private enum Platform: String, CaseIterable {
        case apns = "APNS"
        case apnsSandbox = "APNS_SANDBOX"
        case fcm = "GCM"
        case adm = "ADM"

        var own: PushPlatform? {
            switch self {
            case .apns: .apns
            case .apnsSandbox: .apnsSandbox
            case .fcm: .fcm
            case .adm: nil
            }
        }
    }

    private func registerDevice(_ call: AmazonCall) async throws -> [UInt8] {
        let owner = try ownIdentity(call).owner
        let (platform, token) = try call.read { request, faults -> (Platform?, String?) in
            _ = request.value("Platform", required: true, &faults)
            let platform: Platform? = request.word("Platform", &faults)
            return (platform, request.text("Token", .pushToken, required: true, &faults))
        }
        guard let platform, let token else { throw AmazonError.validation("Platform", "is required") }
        guard let own = platform.own else {
            throw AmazonError.validation("Platform", "ADM is not served: register with APNS, APNS_SANDBOX or GCM")
        }
        do {
            let address = try PushAddress(own, token: token)
            let device = try await pushes.register(address, for: owner, by: call.author)
            return JSONWriter.object { $0.member("DeviceId", device.id) }
        } catch let fault as PushAddress.ParsingError {
            throw AmazonError.validation("Token", fault.detail)
        }
    }

    private func subscribeToDataset(_ call: AmazonCall) async throws -> [UInt8] {
        let owner = try ownIdentity(call).owner
        try await pushes.subscribe(try call.parameter("device"), to: try datasetName(call), of: owner)
        return JSONWriter.object { _ in }
    }

    private func unsubscribeFromDataset(_ call: AmazonCall) async throws -> [UInt8] {
        let owner = try ownIdentity(call).owner
        try await pushes.unsubscribe(try call.parameter("device"), from: try datasetName(call), of: owner)
        return JSONWriter.object { _ in }
    }
}

extension AmazonError {
    /// The error for a push device that cannot be used.
    init(mapping fault: PushDeviceError) {
        switch fault {
        // Amazon's devices have no Live Activities.
        case .unknown, .notCalled: self = .notFound("Device not found.")
        case .tooMany: self.init(400, "LimitExceededException", fault.description)
        case .notServed: self.init(400, "InvalidConfigurationException", fault.description)
        case .tooManyTests: self.init(429, "TooManyRequestsException", fault.description)
        }
    }
}

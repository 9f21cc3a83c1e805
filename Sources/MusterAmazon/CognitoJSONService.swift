import MusterServer

/// A Cognito service of the json-1.1 protocol: some operations that clients do not sign, and some for admins.
protocol CognitoJSONService: AmazonJSONService {
    var coordinator: StoreCoordinator { get }
    /// Operations that clients do not sign. Each authenticates the caller by its own members.
    var openOperations: [String: CognitoOperation] { get }
    /// Operations of admins on other people's accounts.
    var adminOperations: [String: CognitoOperation] { get }
    /// Maps Amazon Location's name of an error to the name that this service uses.
    static var errorNames: [String: String] { get }

    /// The error for what the user pool or an account refuses; nil for any other.
    func refusal(mapping error: any Error, of operation: String) -> AmazonError?
}

/// Carries out an operation, and returns its answer as JSON text.
typealias CognitoOperation = @Sendable (AmazonJSONCall) async throws -> [UInt8]

extension CognitoJSONService {
    var unsignedOperations: Set<String> { Set(openOperations.keys) }

    func respond(to call: AmazonJSONCall) async throws -> [UInt8] {
        if let operation = openOperations[call.operation] { return try await operation(call) }
        let principal = try call.principal
        guard let operation = adminOperations[call.operation] else {
            throw AmazonError.unknownOperation(call.operation)
        }
        guard Access(principal, in: coordinator.directory).mayAdministerUserPool else {
            throw AmazonError.denied("You are not authorized to perform \(signingName):\(call.operation).")
        }
        return try await operation(call)
    }

    /// Errors as the service's model names them. All but the server's own have the status 400.
    func error(mapping error: any Error, in call: AmazonJSONCall) -> AmazonError? {
        if let refusal = refusal(mapping: error, of: call.operation) { return refusal }
        guard var fault = AmazonError(mapping: error), (400..<500).contains(fault.status), fault.status != 413 else {
            return nil
        }
        if let name = Self.errorNames[fault.code] { fault.code = name }
        fault.status = 400
        fault.reason = nil
        return fault
    }
}

extension AmazonError {
    /// The caller may not do this: the name or the password is wrong, a token has ended.
    static func notAuthorized(_ message: String) -> AmazonError {
        AmazonError(400, "NotAuthorizedException", message)
    }
}

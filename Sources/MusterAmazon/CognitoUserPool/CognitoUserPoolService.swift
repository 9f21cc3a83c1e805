import HTTPTypes
import Hummingbird
import MusterServer
import MusterWire
import NIOCore

/// Amazon Cognito user pools for unmodified AWS clients (json-1.1, 2016-04-18; docs/cognito.md).
///
/// All users of the store are one user pool with one client, which has no secret. A group is a role.
struct CognitoUserPoolService: CognitoJSONService {
    let coordinator: StoreCoordinator
    let identity: Identity
    let configuration: Configuration
    /// Sends codes by a target; nil where an admin hands them over.
    let codeSender: CodeSender?

    init(_ parts: ServerParts) {
        coordinator = parts.coordinator
        identity = parts.identity
        configuration = parts.configuration
        codeSender = parts.configuration.codeTarget.map { target in
            CodeSender(
                target: target, identity: parts.identity, caller: parts.dispatcher.caller, logger: parts.logger)
        }
    }

    var targetPrefix: String { "AWSCognitoIdentityProviderService" }
    var signingName: String { "cognito-idp" }

    var openOperations: [String: CognitoOperation] {
        [
            "InitiateAuth": initiateAuth, "RespondToAuthChallenge": respondToAuthChallenge, "GetUser": getUser,
            "ChangePassword": changePassword, "GlobalSignOut": globalSignOut, "RevokeToken": revokeToken,
            "GetTokensFromRefreshToken": getTokensFromRefreshToken, "SignUp": signUp,
            "ConfirmSignUp": confirmSignUp, "ResendConfirmationCode": resendConfirmationCode,
            "ForgotPassword": forgotPassword, "ConfirmForgotPassword": confirmForgotPassword, "DeleteUser": deleteUser,
        ]
    }

    var adminOperations: [String: CognitoOperation] {
        [
            "AdminCreateUser": adminCreateUser, "AdminGetUser": adminGetUser, "AdminDeleteUser": adminDeleteUser,
            "AdminSetUserPassword": adminSetUserPassword, "AdminConfirmSignUp": adminConfirmSignUp,
            "AdminInitiateAuth": adminInitiateAuth, "AdminUserGlobalSignOut": adminUserGlobalSignOut,
            "AdminAddUserToGroup": adminAddUserToGroup, "AdminRemoveUserFromGroup": adminRemoveUserFromGroup,
            "AdminListGroupsForUser": adminListGroupsForUser, "GetGroup": getGroup, "ListGroups": listGroups,
            "AdminRespondToAuthChallenge": adminRespondToAuthChallenge,
            "AdminResetUserPassword": adminResetUserPassword, "AdminUpdateUserAttributes": adminUpdateUserAttributes,
            "ListUsers": listUsers, "ListUsersInGroup": listUsersInGroup, "ListUserPools": listUserPools,
            "ListUserPoolClients": listUserPoolClients, "DescribeUserPool": describeUserPool,
        ]
    }

    // MARK: Public keys

    /// Adds the routes of the public keys that verify tokens, and of the description that has their address.
    func register(in routes: inout RouteTable) {
        for prefix in ["", "/aws"] {
            let root = "\(prefix)/\(coordinator.origin.userPoolID)/.well-known"
            // Clients look for the keys of a user pool at the first path, and for those of identities at the second.
            for path in ["\(root)/jwks.json", "\(prefix)/.well-known/jwks_uri"] {
                routes.add(
                    Route(
                        .get, path, admits: .anyone,
                        .init(
                            "Amazon Cognito", "The key that verifies tokens of Cognito's clients (RFC 7517).",
                            answers: [.init(200, "A JSON Web Key Set.", json: "KeySet")])
                    ) { _, _ in
                        let keySet = try await identity.userPoolKeySet()
                        // The key is made with the first token, so clients must not cache a set without it.
                        let caching = keySet.hasKey ? "public, max-age=300" : "no-store"
                        return Response(
                            status: .ok, headers: [.contentType: "application/json", .cacheControl: caching],
                            body: .init(byteBuffer: ByteBuffer(string: keySet.text)))
                    })
            }
            routes.add(
                Route(
                    .get, "\(root)/openid-configuration", admits: .anyone,
                    .init(
                        "Amazon Cognito", "Where the user pool's keys are (OpenID Connect Discovery).",
                        answers: [.init(200, "The description.", json: "Object")])
                ) { request, _ in
                    describe(
                        issuer: issuer(at: request.serverAddress(in: configuration) + prefix))
                })
        }
    }

    private func describe(issuer: String) -> Response {
        .json { writer in
            writer.beginObject()
            writer.member("issuer", issuer)
            writer.member("jwks_uri", "\(issuer)/.well-known/jwks.json")
            writer.member("response_types_supported", listing: ["token"]) { $0.value($1) }
            writer.member("subject_types_supported", listing: ["public"]) { $0.value($1) }
            writer.member("id_token_signing_alg_values_supported", listing: ["RS256"]) { $0.value($1) }
            writer.endObject()
        }
    }

    /// The issuer of the user pool's tokens, for clients that call the server by this address.
    func issuer(at serverAddress: String) -> String { "\(serverAddress)/\(coordinator.origin.userPoolID)" }

    // MARK: Errors

    func refusal(mapping error: any Error, of operation: String) -> AmazonError? {
        switch error {
        case let fault as UserPoolError: AmazonError(ofTokens: fault, in: operation)
        case let fault as IdentityError: AmazonError(ofAccounts: fault)
        default: nil
        }
    }

    static let errorNames = [
        "ValidationException": "InvalidParameterException", "ThrottlingException": "TooManyRequestsException",
        "ServiceQuotaExceededException": "LimitExceededException", "ConflictException": "UsernameExistsException",
    ]

    /// Checks that the client of a call is the user pool's.
    func requireClient(_ id: String?) throws(AmazonError) {
        guard let id, id != coordinator.origin.userPoolClientID else { return }
        throw AmazonError(400, "ResourceNotFoundException", "User pool client \(id) does not exist.")
    }
}

extension AmazonError {
    /// The error for a refused sign-in or password.
    init(ofAccounts fault: IdentityError) {
        switch fault {
        case .missing, .refused: self = .notAuthorized("Incorrect username or password.")
        case .tooManyTries(let seconds):
            self = .notAuthorized("Password attempts exceeded")
            retryAfterSeconds = seconds
        case .busy:
            self.init(400, "TooManyRequestsException", "Too many sign-ins wait to be checked.")
            retryAfterSeconds = 1
        case .tooMany(let kind, let limit):
            self.init(400, "LimitExceededException", "There are \(limit) \(kind) already.")
        case .unusablePassword:
            self.init(
                400, "InvalidPasswordException",
                "Password did not conform with policy: Password must have \(Identity.shortestPassword) characters or "
                    + "more, and \(Identity.longestPasswordBytes) bytes or less")
        case .unknown: self.init(400, "UserNotFoundException", "User does not exist.")
        }
    }

    fileprivate init(ofTokens fault: UserPoolError, in operation: String) {
        let isRefresh = operation == "InitiateAuth" || operation == "GetTokensFromRefreshToken"
        let token = isRefresh ? "Refresh Token" : "Access Token"
        switch fault {
        case .invalidToken: self = .notAuthorized("Invalid \(token)")
        case .expiredToken: self = .notAuthorized("\(token) has expired")
        case .invalidNumber: self.init(400, "InvalidParameterException", "SRP_A is not a valid number.")
        case .invalidChallenge: self = .notAuthorized("Invalid session for the user, or it has expired.")
        case .nameTaken: self.init(400, "UsernameExistsException", "User already exists")
        case .passwordResetRequired:
            self.init(400, "PasswordResetRequiredException", "Password reset required for the user")
        case .wrongCode:
            self.init(400, "CodeMismatchException", "Invalid verification code provided, please try again.")
        }
    }
}

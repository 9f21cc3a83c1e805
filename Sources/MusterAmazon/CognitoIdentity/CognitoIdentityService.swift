import MusterCore
import MusterServer
import MusterWire

/// Amazon Cognito identity pools for unmodified AWS clients (json-1.1, 2014-06-30; docs/cognito.md).
///
/// A team is an identity pool, and so are the users without a team. A user is an identity, authenticated by a token of
/// the user pool. A pool that allows guests gives identities to anyone.
struct CognitoIdentityService: CognitoJSONService {
    let coordinator: StoreCoordinator
    let identity: Identity

    init(_ parts: ServerParts) {
        coordinator = parts.coordinator
        identity = parts.identity
    }

    var targetPrefix: String { "AWSCognitoIdentityService" }
    var signingName: String { "cognito-identity" }

    var openOperations: [String: CognitoOperation] {
        [
            "GetId": getID, "GetOpenIdToken": getOpenIDToken, "GetCredentialsForIdentity": getCredentials,
        ]
    }

    var adminOperations: [String: CognitoOperation] {
        [
            "ListIdentityPools": listPools, "DescribeIdentityPool": describePool, "CreateIdentityPool": createPool,
            "UpdateIdentityPool": updatePool, "DeleteIdentityPool": deletePool, "ListIdentities": listIdentities,
            "DescribeIdentity": describeIdentity,
        ]
    }

    func refusal(mapping error: any Error, of operation: String) -> AmazonError? {
        switch error {
        case UserPoolError.expiredToken: .notAuthorized("Invalid login token. Token expired.")
        case is UserPoolError, is IdentityError: .notAuthorized("Invalid login token.")
        default: nil
        }
    }

    /// The refusal of a caller who has not signed in, where the pool gives no identities to guests.
    static let noGuests = AmazonError.notAuthorized(
        "Unauthenticated access is not supported for this identity pool.")

    static let errorNames = [
        "ValidationException": "InvalidParameterException", "ThrottlingException": "TooManyRequestsException",
        "ServiceQuotaExceededException": "LimitExceededException", "ConflictException": "ResourceConflictException",
        "AccessDeniedException": "NotAuthorizedException",
    ]

    // MARK: Values of members

    /// The team whose pool a member names; nil for the pool of users without a team.
    func pool(_ text: String?) throws(AmazonError) -> TeamNumber? {
        guard let text, case .pool(let team) = coordinator.origin.cognitoID(text),
            team.map({ coordinator.directory.teams[$0] != nil }) ?? true
        else { throw .notFound("IdentityPool '\(text ?? "")' not found.") }
        return team
    }

    /// Returns the user, and the session, that the tokens in `Logins` prove.
    ///
    /// - Throws: `AmazonError`, `UserPoolError`.
    func proof(by logins: [(key: String, value: String)]?) async throws -> UserPoolProof {
        guard let logins, !logins.isEmpty else { throw Self.noGuests }
        let ending = "/\(coordinator.origin.userPoolID)"
        guard logins.count == 1, logins[0].key.hasSuffix(ending) else {
            throw AmazonError.notAuthorized("Token is not from a supported provider of this identity pool.")
        }
        return try await identity.proof(ofIDToken: logins[0].value)
    }
}

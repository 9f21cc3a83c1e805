import MusterCoding
import MusterCore
import MusterServer
import MusterWire

/// Sign-ins: by password, by a proof of it (SRP), and by a refresh token.
extension CognitoUserPoolService {
    /// The parameters of a sign-in: a map from texts to texts.
    struct AuthParameters {
        private let values: [String: String]

        init(_ members: AmazonMembers, _ name: String, _ faults: inout AmazonFaults) {
            let pairs = members.map(name, most: 100, keys: .any, values: .authParameter, &faults) ?? []
            values = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
        }

        /// A parameter that must be present.
        func required(_ key: String) throws(AmazonError) -> String {
            guard let value = values[key], !value.isEmpty else {
                throw AmazonError(400, "InvalidParameterException", "Missing required parameter \(key)")
            }
            return value
        }
    }

    func initiateAuth(_ call: AmazonJSONCall) async throws -> [UInt8] {
        let (flow, client, parameters) = try call.read { members, faults in
            (
                members.text("AuthFlow", .any, required: true, &faults),
                members.text("ClientId", .any, required: true, &faults),
                AuthParameters(members, "AuthParameters", &faults)
            )
        }
        try requireClient(client)
        guard let flow, !flow.hasPrefix("ADMIN_") else {
            throw AmazonError(400, "InvalidParameterException", "This flow is one of AdminInitiateAuth.")
        }
        return try await signIn(by: flow, parameters, call)
    }

    /// Carries out one flow of a sign-in.
    func signIn(by flow: String, _ parameters: AuthParameters, _ call: AmazonJSONCall) async throws -> [UInt8] {
        switch flow {
        case "USER_PASSWORD_AUTH", "ADMIN_USER_PASSWORD_AUTH", "ADMIN_NO_SRP_AUTH":
            let name = try parameters.required("USERNAME")
            let password = try parameters.required("PASSWORD")
            let session = try await requiringNoReset(of: name) {
                try await identity.signInToUserPool(
                    name: name, password: password, issuer: issuer(at: call.serverAddress),
                    from: call.context.remoteAddress)
            }
            return sessionJSON(session)
        case "REFRESH_TOKEN_AUTH", "REFRESH_TOKEN":
            let session = try await identity.refreshUserPool(
                parameters.required("REFRESH_TOKEN"), issuer: issuer(at: call.serverAddress))
            return sessionJSON(session)
        case "USER_SRP_AUTH":
            let challenge = try await identity.beginProof(
                ofUserNamed: parameters.required("USERNAME"), clientNumber: parameters.required("SRP_A"),
                from: call.context.remoteAddress)
            return JSONWriter.object { writer in
                writer.member("ChallengeName", "PASSWORD_VERIFIER")
                writer.key("ChallengeParameters")
                writer.beginObject()
                writer.member("SALT", challenge.salt.hexadecimal)
                writer.member("SECRET_BLOCK", Base64.encode(challenge.secretBlock))
                writer.member("SRP_B", challenge.publicNumber)
                writer.member("USERNAME", challenge.user)
                writer.member("USER_ID_FOR_SRP", challenge.user)
                writer.endObject()
            }
        default:
            throw AmazonError(
                400, "InvalidParameterException",
                "Muster has no flow \(flow): it has USER_SRP_AUTH, USER_PASSWORD_AUTH and REFRESH_TOKEN_AUTH.")
        }
    }

    /// Runs a sign-in. Where it fails and an admin has invalidated the user's password, throws
    /// `UserPoolError.passwordResetRequired`, so that the app asks for the code. Like every sign-in, each counts as a
    /// password attempt.
    private func requiringNoReset<Made>(of name: String, _ signIn: () async throws -> Made) async throws -> Made {
        do {
            return try await signIn()
        } catch IdentityError.refused {
            guard let user = coordinator.directory.users[name], identity.isPasswordResetRequired(of: user.number) else {
                throw IdentityError.refused
            }
            throw UserPoolError.passwordResetRequired
        }
    }

    func respondToAuthChallenge(_ call: AmazonJSONCall) async throws -> [UInt8] {
        try await respond(toChallenge: call) { _, _ in }
    }

    func adminRespondToAuthChallenge(_ call: AmazonJSONCall) async throws -> [UInt8] {
        try await respond(toChallenge: call) { requirePool($0, &$1) }
    }

    /// - Parameter check: checks what the members hold besides the response.
    private func respond(
        toChallenge call: AmazonJSONCall, _ check: (AmazonMembers, inout AmazonFaults) -> Void
    ) async throws -> [UInt8] {
        let (name, client, responses) = try call.read { members, faults in
            check(members, &faults)
            return (
                members.text("ChallengeName", .any, required: true, &faults),
                members.text("ClientId", .any, required: true, &faults),
                AuthParameters(members, "ChallengeResponses", &faults)
            )
        }
        try requireClient(client)
        guard name == "PASSWORD_VERIFIER" else {
            throw AmazonError(
                400, "InvalidParameterException", "Muster has no challenge \(name ?? ""): it has PASSWORD_VERIFIER.")
        }
        guard let block = Base64.decode(try responses.required("PASSWORD_CLAIM_SECRET_BLOCK")),
            let signature = Base64.decode(try responses.required("PASSWORD_CLAIM_SIGNATURE"))
        else {
            throw AmazonError(
                400, "InvalidParameterException", "The secret block and the signature must be base64.")
        }
        do {
            let (user, time) = (try responses.required("USERNAME"), try responses.required("TIMESTAMP"))
            let session = try await requiringNoReset(of: user) {
                try await identity.finishProof(
                    ofUserNamed: user, secretBlock: block, signature: signature, time: time,
                    issuer: issuer(at: call.serverAddress), from: call.context.remoteAddress)
            }
            return sessionJSON(session)
        } catch IdentityError.refused {
            // The message is the same for every name, so it does not reveal whether the user exists.
            throw AmazonError.notAuthorized(
                "Incorrect username or password. A password that was set before Muster knew USER_SRP_AUTH works with "
                    + "it after one sign-in by USER_PASSWORD_AUTH.")
        }
    }

    func getTokensFromRefreshToken(_ call: AmazonJSONCall) async throws -> [UInt8] {
        let (token, client) = try call.read { members, faults in
            (
                members.text("RefreshToken", .authParameter, required: true, &faults),
                members.text("ClientId", .any, required: true, &faults)
            )
        }
        try requireClient(client)
        let session = try await identity.refreshUserPool(token ?? "", issuer: issuer(at: call.serverAddress))
        return JSONWriter.object { $0.authenticationResult(session) }
    }

    func revokeToken(_ call: AmazonJSONCall) async throws -> [UInt8] {
        let (token, client) = try call.read { members, faults in
            (
                members.text("Token", .authParameter, required: true, &faults),
                members.text("ClientId", .any, required: true, &faults)
            )
        }
        try requireClient(client)
        try await identity.revokeUserPool(token ?? "")
        return JSONWriter.object { _ in }
    }

    func globalSignOut(_ call: AmazonJSONCall) async throws -> [UInt8] {
        let user = try await self.user(of: call)
        try await identity.signOutEverywhere(user.number, by: Author(user: user.number))
        return JSONWriter.object { _ in }
    }

    private func sessionJSON(_ session: UserPoolSession) -> [UInt8] {
        JSONWriter.object { writer in
            writer.key("ChallengeParameters")
            writer.beginObject()
            writer.endObject()
            writer.authenticationResult(session)
        }
    }
}

extension JSONWriter {
    fileprivate mutating func authenticationResult(_ session: UserPoolSession) {
        key("AuthenticationResult")
        beginObject()
        member("AccessToken", session.accessToken)
        member("ExpiresIn", session.expiresIn)
        member("IdToken", session.idToken)
        member("RefreshToken", session.refreshToken)
        member("TokenType", "Bearer")
        endObject()
    }
}

import MusterCoding
import MusterCore
import MusterServer
import MusterWire

/// Sign-ins: by password, by a proof of it (SRP), and by a refresh token.
extension CognitoUserPoolService {
    /// The parameters of a sign-in: a map from texts to texts.
    struct AuthParameters {
        private let name: String
        private let values: [String: String]

        init(_ members: AmazonMembers, _ name: String, _ faults: inout AmazonFaults) {
            self.name = name
            let pairs = members.map(name, most: 100, keys: .any, values: .authParameter, &faults) ?? []
            values = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
        }

        subscript(_ key: String) -> String? { values[key] }

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
            let session = try await identity.signInToUserPool(
                name: parameters.required("USERNAME"), password: parameters.required("PASSWORD"),
                issuer: issuer(at: call.serverAddress), from: call.context.remoteAddress)
            return answer(session)
        case "REFRESH_TOKEN_AUTH", "REFRESH_TOKEN":
            let session = try await identity.refreshUserPool(
                parameters.required("REFRESH_TOKEN"), issuer: issuer(at: call.serverAddress))
            return answer(session)
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

    func respondToAuthChallenge(_ call: AmazonJSONCall) async throws -> [UInt8] {
        let (name, client, responses) = try call.read { members, faults in
            (
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
            let session = try await identity.finishProof(
                ofUserNamed: responses.required("USERNAME"), secretBlock: block, signature: signature,
                time: responses.required("TIMESTAMP"), issuer: issuer(at: call.serverAddress),
                from: call.context.remoteAddress)
            return answer(session)
        } catch IdentityError.refused {
            // The same to everyone: it tells nothing about whether the user exists.
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
        return answer(try await identity.refreshUserPool(token ?? "", issuer: issuer(at: call.serverAddress)))
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

    private func answer(_ session: UserPoolSession) -> [UInt8] {
        JSONWriter.object { writer in
            writer.key("ChallengeParameters")
            writer.beginObject()
            writer.endObject()
            writer.key("AuthenticationResult")
            writer.beginObject()
            writer.member("AccessToken", session.accessToken)
            writer.member("ExpiresIn", session.expiresIn)
            writer.member("IdToken", session.idToken)
            writer.member("RefreshToken", session.refreshToken)
            writer.member("TokenType", "Bearer")
            writer.endObject()
        }
    }
}

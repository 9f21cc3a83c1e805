import MusterCore
import MusterServer
import MusterWire

/// New accounts and forgotten passwords. An admin hands over the codes (`GET /api/v1/codes`).
extension CognitoUserPoolService {
    /// The name and the client of a call.
    private func readSubject(_ members: AmazonMembers, _ faults: inout AmazonFaults) -> (name: String, client: String?)
    {
        (
            members.text("Username", .userName, required: true, &faults) ?? "",
            members.text("ClientId", .any, required: true, &faults)
        )
    }

    private static let noSubject = "00000000-0000-0000-0000-000000000000"

    func signUp(_ call: AmazonJSONCall) async throws -> [UInt8] {
        let (subject, password) = try call.read { members, faults in
            (readSubject(members, &faults), members.text("Password", .any, required: true, &faults))
        }
        try requireClient(subject.client)
        try requireOpenRegistration()
        guard EntityName.isValid(subject.name) else {
            throw AmazonError.validation("Username", "must satisfy: \(EntityName.pattern)")
        }
        try Self.requireFreeForUsers(subject.name)
        try await identity.beginSignUp(
            name: subject.name, password: password ?? "", from: call.context.remoteAddress)
        return JSONWriter.object { writer in
            writer.member("UserConfirmed", false)
            // The account is made when it is confirmed, and has its `sub` from then on.
            writer.member("UserSub", Self.noSubject)
            writer.codeDelivery()
        }
    }

    private func requireOpenRegistration() throws(AmazonError) {
        guard configuration.registration == .open else {
            throw .notAuthorized("SignUp is not permitted for this user pool")
        }
    }

    func resendConfirmationCode(_ call: AmazonJSONCall) async throws -> [UInt8] {
        let subject = try call.read { readSubject($0, &$1) }
        try requireClient(subject.client)
        try requireOpenRegistration()
        try identity.renewSignUp(name: subject.name, from: call.context.remoteAddress)
        return JSONWriter.object { $0.codeDelivery() }
    }

    func confirmSignUp(_ call: AmazonJSONCall) async throws -> [UInt8] {
        let (subject, code) = try call.read { members, faults in
            (readSubject(members, &faults), members.text("ConfirmationCode", .any, required: true, &faults))
        }
        try requireClient(subject.client)
        try requireOpenRegistration()
        try await identity.confirmSignUp(
            name: subject.name, code: code ?? "", by: nil, from: call.context.remoteAddress)
        return JSONWriter.object { _ in }
    }

    func forgotPassword(_ call: AmazonJSONCall) async throws -> [UInt8] {
        let subject = try call.read { readSubject($0, &$1) }
        try requireClient(subject.client)
        try await identity.beginPasswordReset(name: subject.name, from: call.context.remoteAddress)
        return JSONWriter.object { $0.codeDelivery() }
    }

    func confirmForgotPassword(_ call: AmazonJSONCall) async throws -> [UInt8] {
        let (subject, code, password) = try call.read { members, faults in
            (
                readSubject(members, &faults), members.text("ConfirmationCode", .any, required: true, &faults),
                members.text("Password", .any, required: true, &faults)
            )
        }
        try requireClient(subject.client)
        try await identity.finishPasswordReset(
            name: subject.name, code: code ?? "", password: password ?? "", from: call.context.remoteAddress)
        return JSONWriter.object { _ in }
    }
}

extension JSONWriter {
    /// Writes how a code reaches the person: by an admin.
    fileprivate mutating func codeDelivery() {
        key("CodeDeliveryDetails")
        beginObject()
        member("Destination", "an admin of this server")
        endObject()
    }
}

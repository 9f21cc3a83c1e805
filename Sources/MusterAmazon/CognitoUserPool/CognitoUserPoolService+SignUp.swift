import MusterServer
import MusterWire

/// New accounts and forgotten passwords. An admin hands over the codes (`GET /api/v1/codes`), or a target sends them.
extension CognitoUserPoolService {
    /// The name and the client of a call.
    private func readSubject(_ members: AmazonMembers, _ faults: inout AmazonFaults) -> (name: String, client: String?)
    {
        (
            members.text("Username", .userName, required: true, &faults) ?? "",
            members.text("ClientId", .any, required: true, &faults)
        )
    }

    func signUp(_ call: AmazonJSONCall) async throws -> [UInt8] {
        let (subject, password, contact) = try call.read { members, faults in
            (
                readSubject(members, &faults), members.text("Password", .any, required: true, &faults),
                members.contact(&faults)
            )
        }
        try requireClient(subject.client)
        try requireOpenRegistration()
        guard EntityName.isValid(subject.name) else {
            throw AmazonError.validation("Username", "must satisfy: \(EntityName.pattern)")
        }
        try Self.requireFreeForUsers(subject.name)
        let code = try await identity.beginSignUp(
            name: subject.name, password: password ?? "", contact: contact, from: call.context.remoteAddress)
        codeSender?.send(code)
        return JSONWriter.object { writer in
            writer.member("UserConfirmed", false)
            writer.member("UserSub", code.newUser.map { coordinator.origin.subject(of: $0) })
            writeDelivery(&writer)
        }
    }

    /// Writes how a code reaches the person.
    private func writeDelivery(_ writer: inout JSONWriter) {
        writer.key("CodeDeliveryDetails")
        writer.beginObject()
        writer.member(
            "Destination", codeSender == nil ? "an admin of this server" : "the message service of this server")
        writer.endObject()
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
        if let code = try identity.renewSignUp(name: subject.name, from: call.context.remoteAddress) {
            codeSender?.send(code)
        }
        return JSONWriter.object { writeDelivery(&$0) }
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
        // The server sends the code after this answer, so that the time does not tell who has an account.
        if let code = try await identity.beginPasswordReset(name: subject.name, from: call.context.remoteAddress) {
            codeSender?.send(code)
        }
        return JSONWriter.object { writeDelivery(&$0) }
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

extension AmazonMembers {
    /// The addresses among the attributes of a new user. Muster keeps no others.
    fileprivate func contact(_ faults: inout AmazonFaults) -> ConfirmationCodes.Contact? {
        guard value("UserAttributes", &faults) != nil else { return nil }
        var addresses: [String: String] = [:]
        for attribute in objects("UserAttributes", 0...50, &faults) {
            let name = attribute.text("Name", .any, required: true, &faults) ?? ""
            let value = attribute.text("Value", .any, &faults)
            guard name == "email" || name == "phone_number", let value else { continue }
            if value.utf8.count > Self.addressLimit {
                faults.addFault(attribute.name("Value"), "Must have at most \(Self.addressLimit) bytes")
            }
            addresses[name] = value
        }
        return ConfirmationCodes.Contact(email: addresses["email"], phoneNumber: addresses["phone_number"])
    }

    /// The longest address, in bytes: as long as one of mail can be (RFC 5321).
    private static let addressLimit = 254
}

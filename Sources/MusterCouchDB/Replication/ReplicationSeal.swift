import MusterCoding
import MusterCore
import MusterReplication
import MusterServer
import MusterWire

/// Prepares documents of `_replicator` for storage: adds the owner, and seals the credentials for the peers.
///
/// A sealed password can be opened only for the peer and user name that it was given for. A copy of it in another order
/// is useless.
struct ReplicationSeal: Sendable {
    let vault: SecretVault

    /// The member that names the owner of an order, as in CouchDB.
    static let ownerKey = "owner"
    private static let sides = ["source", "target"]
    private static let sealedKey = "sealed"

    // MARK: Storing

    /// Returns the edits as they are to be stored. The author becomes the owner of the orders among them, whatever the
    /// documents say.
    ///
    /// - Throws: `JSONError` for a body that is not JSON.
    func edits(_ edits: [DocumentEdit], by author: String) throws -> [DocumentEdit] {
        try edits.map { edit in
            guard !edit.isDeleted, !edit.id.hasPrefix(DocumentID.designPrefix) else { return edit }
            var edit = edit
            edit.body.json = try sealed(edit.body.json, owner: author)
            return edit
        }
    }

    /// Returns a body with its secrets sealed.
    ///
    /// - Parameter owner: the owner to write; nil leaves the body's own.
    func sealed(_ json: [UInt8], owner: String?) throws -> [UInt8] {
        let named = owner.map { _ in [Self.ownerKey] } ?? []
        let rest = try ReplicationDocument.members(of: json) { !(Self.sides + named).contains($0) }
        let said = try ReplicationDocument.members(of: json) { Self.sides.contains($0) }
        let value = try JSONValue(
            parsing: said, depthLimit: CouchDocument.depthLimit + 1, valueLimit: 2 * CouchLimits.names)
        var writer = JSONWriter()
        writer.beginObject()
        writer.members(of: rest)
        for side in Self.sides {
            guard let told = value[side] else { continue }
            writer.key(side)
            writer.raw(String(decoding: sealed(told).bytes, as: UTF8.self))
        }
        if let owner {
            writer.key(Self.ownerKey)
            writer.value(owner)
        }
        writer.endObject()
        return writer.takeBytes()
    }

    /// Whether a document contains a secret in plain text, as an earlier version stored it.
    func hasPlainSecret(_ json: [UInt8]) -> Bool {
        guard
            let said = try? ReplicationDocument.members(of: json, where: { Self.sides.contains($0) }),
            let value = try? JSONValue(
                parsing: said, depthLimit: CouchDocument.depthLimit + 1, valueLimit: 2 * CouchLimits.names)
        else { return false }
        return Self.sides.contains { side in value[side].map { sealed($0) != $0 } ?? false }
    }

    private func sealed(_ side: JSONValue) -> JSONValue {
        guard let text = side.string ?? side["url"]?.string, let address = DatabaseAddress(text) else { return side }
        // Credentials in the URL are moved to a member beside it.
        var members = side.members ?? []
        if case .basic(let name, let password) = address.credentials {
            members.removeAll { $0.key == "url" }
            members.insert(.init("url", .string(address.description)), at: 0)
            if side["auth"] == nil {
                members.append(
                    .init(
                        "auth",
                        .object([
                            .init(
                                "basic",
                                .object([.init("username", .string(name)), .init("password", .string(password))]))
                        ])))
            }
        }
        guard !members.isEmpty else { return side }
        for index in members.indices {
            switch members[index].key {
            case "auth": members[index].value = sealedAuth(members[index].value, at: address)
            case "headers": members[index].value = sealedHeaders(members[index].value, at: address)
            default: continue
            }
        }
        return .object(members)
    }

    private func sealedAuth(_ auth: JSONValue, at address: DatabaseAddress) -> JSONValue {
        auth.replacing("basic") { basic in
            let name = basic["username"]?.string ?? ""
            return basic.replacing("password") { seal($0, for: Self.purpose(at: address, name)) }
        }
    }

    private func sealedHeaders(_ headers: JSONValue, at address: DatabaseAddress) -> JSONValue {
        guard let members = headers.members else { return headers }
        return .object(
            members.map { member in
                guard member.key.lowercased() == "authorization" else { return member }
                return .init(member.key, seal(member.value, for: Self.purpose(at: address, "header")))
            })
    }

    private func seal(_ value: JSONValue, for purpose: String) -> JSONValue {
        guard let secret = value.string else { return value }
        let bytes = vault.seal(Array(secret.utf8), for: purpose)
        return .object([.init(Self.sealedKey, .string(Base64.encodeUnpadded(bytes, .forURLs)))])
    }

    // MARK: Reading

    /// Returns the password in an order, which may be sealed or plain.
    func password(_ value: JSONValue?, of name: String, at address: DatabaseAddress) throws -> String? {
        try text(value, for: Self.purpose(at: address, name))
    }

    /// Returns the `Authorization` header in an order, which may be sealed or plain.
    func header(_ value: JSONValue, at address: DatabaseAddress) throws -> String? {
        try text(value, for: Self.purpose(at: address, "header"))
    }

    private func text(_ value: JSONValue?, for purpose: String) throws -> String? {
        guard let sealed = value?[Self.sealedKey]?.string else { return value?.string }
        guard let bytes = Base64.decodeUnpadded(sealed, .forURLs), let secret = try? vault.open(bytes, for: purpose)
        else {
            throw CouchError.badRequest("A sealed password works only for the peer and name that it was given for.")
        }
        return String(decoding: secret, as: UTF8.self)
    }

    private static func purpose(at address: DatabaseAddress, _ name: String) -> String {
        "replication with \(address.description) as \(name)"
    }
}

extension JSONValue {
    /// The object with one member replaced; unchanged if it lacks the member.
    fileprivate func replacing(_ key: String, by value: (JSONValue) -> JSONValue) -> JSONValue {
        guard let members else { return self }
        return .object(members.map { $0.key == key ? .init(key, value($0.value)) : $0 })
    }
}

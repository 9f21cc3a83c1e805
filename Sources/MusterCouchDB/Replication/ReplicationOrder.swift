import Crypto
import MusterCoding
import MusterReplication
import MusterWire

/// An order to replicate: the body of `_replicate`, or a document of `_replicator`.
struct ReplicationOrder: Hashable, Sendable {
    /// The source or the target.
    enum Side: Hashable, Sendable {
        /// A database of this server.
        case local(String)
        /// A database of another server.
        case remote(DatabaseAddress)

        /// The name or URL without credentials.
        var description: String {
            switch self {
            case .local(let name): name
            case .remote(let address): address.description
            }
        }
    }

    var source: Side
    var target: Side
    /// The filter, and how the replication runs.
    var options: Replication.Options

    /// Parses an order.
    ///
    /// - Parameter seal: opens the sealed secrets in the order.
    /// - Throws: `CouchError` for a malformed order, or one that requires an unsupported feature.
    init(_ value: JSONValue, openedBy seal: ReplicationSeal) throws {
        guard value.members != nil else { throw CouchError.badRequest("Request body must be a JSON object") }
        source = try Self.side(value["source"], "source", seal)
        target = try Self.side(value["target"], "target", seal)
        options = Replication.Options()
        options.isContinuous = try Self.flag(value, "continuous")
        options.createsTarget = try Self.flag(value, "create_target")
        options.takesWinnersOnly = try Self.flag(value, "winning_revs_only")
        options.keepsLogs = try Self.flag(value, "use_checkpoints", otherwise: true)
        options.since = value["since_seq"].map { PeerSequence(json: String(decoding: $0.bytes, as: UTF8.self)) }
        for proxy in ["proxy", "source_proxy", "target_proxy"] where value[proxy] != nil {
            // A client that requires a proxy must not be connected without it.
            throw CouchError.unsupported("Proxies")
        }
        if value["filter"] != nil { throw CouchError.notImplemented("Filters other than doc_ids and selector") }
        options.filter = try Self.filter(value)
    }

    private static func flag(_ value: JSONValue, _ name: String, otherwise: Bool = false) throws -> Bool {
        guard let said = value[name] else { return otherwise }
        guard let flag = said.boolean else { throw CouchError.badRequest("parameter `\(name)` must be a boolean") }
        return flag
    }

    private static func filter(_ value: JSONValue) throws -> ReplicationFilter {
        guard let list = value["doc_ids"] else {
            guard let selector = value["selector"] else { return .all }
            do throws(SelectorError) {
                _ = try Selector(selector)
            } catch {
                throw CouchError.badRequest("The selector is invalid: \(error.reason)")
            }
            return .selector(String(decoding: selector.bytes, as: UTF8.self))
        }
        guard value["selector"] == nil else {
            throw CouchError.badRequest("`doc_ids` and `selector` are mutually exclusive")
        }
        guard let ids = list.elements else { throw CouchError.badRequest("parameter `doc_ids` must be an array") }
        guard ids.count <= CouchLimits.names else { throw CouchError.badRequest("doc_ids has too many entries.") }
        return .documents(
            try ids.map { id in
                guard let text = id.string else { throw CouchError.badRequest("`doc_ids` must be strings") }
                return text
            })
    }

    private static func side(
        _ value: JSONValue?, _ name: String, _ seal: ReplicationSeal
    ) throws -> Side {
        guard let text = value?.string ?? value?["url"]?.string else {
            throw CouchError.badRequest("\(name) must be the name or the URL of a database.")
        }
        guard text.contains("://") else { return .local(text) }
        guard var address = DatabaseAddress(text) else {
            throw CouchError.badRequest("\(name) is not an http or https URL.")
        }
        if let basic = value?["auth"]?["basic"], let user = basic["username"]?.string,
            let password = try seal.password(basic["password"], of: user, at: address)
        {
            address = address.authenticated(by: .basic(name: user, password: password))
        } else {
            for header in value?["headers"]?.members ?? [] {
                guard header.key.lowercased() == "authorization",
                    let text = try seal.header(header.value, at: address)
                else {
                    throw otherHeader
                }
                address = try address.authenticated(by: credentials(text))
            }
        }
        return .remote(address)
    }

    private static let otherHeader = CouchError.badRequest(
        "The only supported header is Authorization, with Basic or Bearer.")

    private static func credentials(_ header: String) throws -> PeerCredentials {
        if header.hasPrefix("Bearer ") { return .bearer(String(header.dropFirst(7))) }
        if header.hasPrefix("Basic "), let bytes = Base64.decode(String(header.dropFirst(6))) {
            let pair = String(decoding: bytes, as: UTF8.self).split(separator: ":", maxSplits: 1)
            if pair.count == 2 { return .basic(name: String(pair[0]), password: String(pair[1])) }
        }
        throw otherHeader
    }

    /// The id of the order. Orders with the same databases, filter and kind have the same id, and run as one job.
    var id: String {
        var words = [source.description, target.description]
        switch options.filter {
        case .all: break
        case .documents(let ids): words += ids.sorted()
        case .selector(let selector): words.append(selector)
        }
        if options.takesWinnersOnly { words.append("winners") }
        if let since = options.since { words.append("since \(since.name)") }
        if !options.keepsLogs { words.append("without logs") }
        let text = JSONValue.array(words.map { .string($0) }).bytes
        let digest = SHA256.hash(data: text).prefix(16)
        return digest.hexadecimal + (options.isContinuous ? "+continuous" : "")
    }
}

import Crypto
import MusterCore
import MusterReplication
import MusterWire

/// What someone wants to be replicated: the body of `_replicate`, or a document of `_replicator`.
struct ReplicationOrder: Hashable, Sendable {
    /// One side.
    enum Side: Hashable, Sendable {
        /// A database of this server.
        case local(String)
        /// A database elsewhere.
        case remote(PeerAddress)

        /// What may be shown of it.
        var description: String {
            switch self {
            case .local(let name): name
            case .remote(let address): address.description
            }
        }
    }

    /// Where from.
    var source: Side
    /// Where to.
    var target: Side
    /// What and how.
    var options: Replication.Options

    /// Reads an order.
    ///
    /// - Throws: `CouchFault` for one that says nothing, or asks for what there is not.
    init(_ value: JSONValue) throws {
        guard value.members != nil else { throw CouchFault.badRequest("Request body must be a JSON object") }
        source = try Self.side(value["source"], "source")
        target = try Self.side(value["target"], "target")
        options = Replication.Options()
        options.isContinuous = value["continuous"]?.boolean ?? false
        options.createsTarget = value["create_target"]?.boolean ?? false
        if value["filter"]?.string != nil { throw CouchFault.notImplemented("Filters in JavaScript") }
        if let ids = value["doc_ids"]?.elements {
            guard ids.count <= CouchLimits.names else { throw CouchFault.badRequest("doc_ids are too many.") }
            options.filter = .documents(ids.compactMap(\.string))
        } else if let selector = value["selector"] {
            do throws(SelectorFault) {
                _ = try Selector(selector)
            } catch {
                throw CouchFault.badRequest("The selector cannot be read.")
            }
            options.filter = .selector(String(decoding: selector.bytes, as: UTF8.self))
        }
    }

    private static func side(_ value: JSONValue?, _ name: String) throws -> Side {
        guard let text = value?.string ?? value?["url"]?.string else {
            throw CouchFault.badRequest("\(name) must be the name or the URL of a database.")
        }
        guard text.contains("://") else { return .local(text) }
        guard var address = PeerAddress(text) else { throw CouchFault.badRequest("\(name) is no http or https URL.") }
        if let basic = value?["auth"]?["basic"], let user = basic["username"]?.string,
            let password = basic["password"]?.string
        {
            address = address.asked(by: .basic(name: user, password: password))
        } else if let header = value?["headers"]?["Authorization"]?.string {
            address = try address.asked(by: credentials(header))
        }
        return .remote(address)
    }

    private static func credentials(_ header: String) throws -> PeerCredentials {
        if header.hasPrefix("Bearer ") { return .bearer(String(header.dropFirst(7))) }
        if header.hasPrefix("Basic "), let bytes = Base64.decode(String(header.dropFirst(6))) {
            let pair = String(decoding: bytes, as: UTF8.self).split(separator: ":", maxSplits: 1)
            if pair.count == 2 { return .basic(name: String(pair[0]), password: String(pair[1])) }
        }
        throw CouchFault.badRequest("Of headers, only Authorization with Basic or Bearer is sent.")
    }

    /// What tells orders apart: the same sides, filter and kind are one job.
    var id: String {
        var words = [source.description, target.description]
        switch options.filter {
        case .all: break
        case .documents(let ids): words += ids.sorted()
        case .selector(let selector): words.append(selector)
        }
        let text = JSONValue.array(words.map { .string($0) }).bytes
        let digest = SHA256.hash(data: text).prefix(16)
        let hex = digest.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        return hex + (options.isContinuous ? "+continuous" : "")
    }
}

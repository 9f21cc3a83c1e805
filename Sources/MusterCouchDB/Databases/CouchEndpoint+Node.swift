import Hummingbird
import MusterCore
import MusterServer
import MusterWire

/// What CouchDB tells of its cluster: here it is one node, and each database one shard on it.
extension CouchEndpoint {
    /// What CouchDB calls a node that is in no cluster.
    static let node = "nonode@nohost"

    func addNode(to routes: inout RouteTable) {
        add(.get, "/_membership", "The nodes: this one.", to: &routes) { call in
            try Self.requireAdmin(call)
            return .json { writer in
                writer.beginObject()
                writer.member("all_nodes", listing: [Self.node]) { $0.value($1) }
                writer.member("cluster_nodes", listing: [Self.node]) { $0.value($1) }
                writer.endObject()
            }
        }
        add(.get, "/_cluster_setup", "That nothing needs to be set up.", to: &routes) { call in
            try Self.requireAdmin(call)
            return .json { writer in
                writer.beginObject()
                writer.member("state", "single_node_enabled")
                writer.endObject()
            }
        }
        add(.post, "/_cluster_setup", "Refused: nothing needs to be set up.", statuses: [], to: &routes) { call in
            try Self.requireAdmin(call)
            throw CouchError.badRequest("Cluster is already enabled")
        }
        add(.get, "/_node/{node}", "The name of this node.", to: &routes) { call in
            try Self.requireAdmin(call)
            guard try ["_local", Self.node].contains(call.parameter("node")) else {
                throw CouchError(.notFound, "not_found", "no such node: \(try call.parameter("node"))")
            }
            return .json { writer in
                writer.beginObject()
                writer.member("name", Self.node)
                writer.endObject()
            }
        }
        addShards(to: &routes)
    }

    private func addShards(to routes: inout RouteTable) {
        add(.get, "/{db}/_shards", "The one shard of a database.", to: &routes) { call in
            _ = try call.readable()
            return .json { writer in
                writer.beginObject()
                writer.key("shards")
                writer.beginObject()
                writer.key(Self.shard)
                writer.beginArray()
                writer.value(Self.node)
                writer.endArray()
                writer.endObject()
                writer.endObject()
            }
        }
        add(.get, "/{db}/_shards/{document}", "The shard that a document is in.", to: &routes) { call in
            _ = try call.readable()
            return .json { writer in
                writer.beginObject()
                writer.member("range", Self.shard)
                writer.member("nodes", listing: [Self.node]) { $0.value($1) }
                writer.endObject()
            }
        }
        add(.post, "/{db}/_sync_shards", "There is nothing to bring together.", statuses: [202], to: &routes) { call in
            _ = try call.administered()
            return call.ok(.accepted)
        }
    }

    /// All that a document's id may be hashed to.
    private static let shard = "00000000-ffffffff"
}

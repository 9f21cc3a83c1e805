import Hummingbird
import MusterCore
import MusterServer
import MusterWire

/// The routes about the cluster: one node, with one shard for each database.
extension CouchEndpoint {
    /// CouchDB's name of a node without a cluster.
    static let node = "nonode@nohost"

    func addNode(to routes: inout RouteTable) {
        add(.get, "/_membership", "List the nodes: this one.", to: &routes) { call in
            try Self.requireAdmin(call)
            return .json { writer in
                writer.beginObject()
                writer.member("all_nodes", listing: [Self.node]) { $0.value($1) }
                writer.member("cluster_nodes", listing: [Self.node]) { $0.value($1) }
                writer.endObject()
            }
        }
        add(.get, "/_cluster_setup", "Show that the setup is complete.", to: &routes) { call in
            try Self.requireAdmin(call)
            return .json { writer in
                writer.beginObject()
                writer.member("state", "single_node_enabled")
                writer.endObject()
            }
        }
        add(.post, "/_cluster_setup", "Refused: the setup is complete.", statuses: [], to: &routes) { call in
            try Self.requireAdmin(call)
            throw CouchError.badRequest("Cluster is already enabled")
        }
        add(.get, "/_node/{node}", "Show the name of this node.", to: &routes) { call in
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
        add(.get, "/{db}/_shards", "Show the one shard of a database.", to: &routes) { call in
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
        add(.get, "/{db}/_shards/{document}", "Show the shard of a document.", to: &routes) { call in
            _ = try call.readable()
            return .json { writer in
                writer.beginObject()
                writer.member("range", Self.shard)
                writer.member("nodes", listing: [Self.node]) { $0.value($1) }
                writer.endObject()
            }
        }
        add(.post, "/{db}/_sync_shards", "Does nothing: there is one shard.", statuses: [202], to: &routes) { call in
            _ = try call.administered()
            return call.ok(.accepted)
        }
    }

    /// The range of hashes of the one shard: all of them.
    private static let shard = "00000000-ffffffff"
}

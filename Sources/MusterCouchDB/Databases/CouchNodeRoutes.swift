import Hummingbird
import MusterServer
import MusterWire

/// The routes about the cluster: one node, with one shard for each database.
struct CouchNodeRoutes: CouchRoutes {
    /// CouchDB's name of a node without a cluster.
    static let name = "nonode@nohost"

    func register(in routes: inout CouchRouteTable) {
        routes.add(.get, "/_membership", "List the nodes: this one.") { call in
            try call.requireAdmin()
            return .json { writer in
                writer.beginObject()
                writer.member("all_nodes", listing: [Self.name]) { $0.value($1) }
                writer.member("cluster_nodes", listing: [Self.name]) { $0.value($1) }
                writer.endObject()
            }
        }
        routes.add(.get, "/_cluster_setup", "Show that the setup is complete.") { call in
            try call.requireAdmin()
            return .json { writer in
                writer.beginObject()
                writer.member("state", "single_node_enabled")
                writer.endObject()
            }
        }
        routes.add(.post, "/_cluster_setup", "Refused: the setup is complete.", statuses: []) { call in
            try call.requireAdmin()
            throw CouchError.badRequest("Cluster is already enabled")
        }
        routes.add(.get, "/_node/{node}", "Show the name of this node.") { call in
            try call.requireAdmin()
            guard try ["_local", Self.name].contains(call.parameter("node")) else {
                throw CouchError(.notFound, "not_found", "no such node: \(try call.parameter("node"))")
            }
            return .json { writer in
                writer.beginObject()
                writer.member("name", Self.name)
                writer.endObject()
            }
        }
        addShards(to: &routes)
    }

    private func addShards(to routes: inout CouchRouteTable) {
        routes.add(.get, "/{db}/_shards", "Show the one shard of a database.") { call in
            _ = try call.readable()
            return .json { writer in
                writer.beginObject()
                writer.key("shards")
                writer.beginObject()
                writer.key(Self.shard)
                writer.beginArray()
                writer.value(Self.name)
                writer.endArray()
                writer.endObject()
                writer.endObject()
            }
        }
        routes.add(.get, "/{db}/_shards/{document}", "Show the shard of a document.") { call in
            _ = try call.readable()
            return .json { writer in
                writer.beginObject()
                writer.member("range", Self.shard)
                writer.member("nodes", listing: [Self.name]) { $0.value($1) }
                writer.endObject()
            }
        }
        routes.add(.post, "/{db}/_sync_shards", "Does nothing: there is one shard.", statuses: [202]) { call in
            _ = try call.administered()
            return call.ok(.accepted)
        }
    }

    /// The range of hashes of the one shard: all of them.
    private static let shard = "00000000-ffffffff"
}

import MusterWire

/// The fields of pages. A page comes from a field that the caller may read, and holds only what the caller may see.
extension ServedField {
    static let structures =
        ["Person", "Team", "Device", "Region", "Incident", "Position"].flatMap { type in
            fields(of: "\(type)Connection", \.asConnection, connection) + fields(of: "\(type)Edge", \.asEdge, edge)
        } + fields(of: "PageInfo", \.asPageInfo, pageInfo)

    private static let connection: [String: Field<Connection>] = [
        "edges": .batch({ _, _ in true }) { connections, _, _ in
            connections.map { connection in .list(connection.edges.map { .object(.edge($0), type: nil) }) }
        },
        "pageInfo": .object({ _, _ in true }) { connection, _ in .pageInfo(connection) },
    ]

    private static let edge: [String: Field<Edge>] = [
        "cursor": .value({ _, _ in true }) { edge, _ in .string(edge.cursor) },
        "node": .object({ _, _ in true }) { edge, _ in edge.node },
    ]

    private static let pageInfo: [String: Field<Connection>] = [
        "hasNextPage": .value({ _, _ in true }) { connection, _ in .boolean(connection.hasNextPage) },
        "hasPreviousPage": .value({ _, _ in true }) { connection, _ in .boolean(connection.hasPreviousPage) },
        "startCursor": .value({ _, _ in true }) { connection, _ in connection.edges.first.map { .string($0.cursor) } },
        "endCursor": .value({ _, _ in true }) { connection, _ in connection.edges.last.map { .string($0.cursor) } },
    ]
}

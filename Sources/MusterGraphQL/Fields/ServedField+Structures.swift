import MusterWire

/// The fields of pages. A page comes from a field that the caller may read, and holds only what the caller may see.
extension ServedField {
    static let structures =
        ["Person", "Team", "Device", "Region", "Incident", "Position"].flatMap { pageFields(of: $0) }
        + fields(of: "PageInfo", { $0.asPageInfo }, pageInfo)

    private static func pageFields(of type: String) -> [(String, ServedField)] {
        fields(of: "\(type)Connection", { $0.asConnection }, connection)
            + fields(of: "\(type)Edge", { $0.asEdge }, edge)
    }

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

/// Where a caller's role is read: `Access` names every right, and an endpoint asks it.
enum Roles {
    /// The targets that MusterEndpoints lists.
    private static let endpoints =
        (Dependencies.allowed["MusterEndpoints"]?.own ?? []).subtracting(["MusterServer"])

    /// The files of endpoints that read a caller's role and decide nothing by it, each with its reason.
    private static let exceptions: [String: String] = [
        "Sources/MusterAmazon/AmazonProtocol.swift": "writes the role into the text of a refusal",
        "Sources/MusterCouchDB/Databases/CouchSessionRoutes.swift": "writes the roles as CouchDB's clients see them",
    ]

    /// The lines of an endpoint's file that read a principal's role.
    static func findings(in file: SourceFile) -> [Finding] {
        guard endpoints.contains(file.target ?? ""), exceptions[file.path] == nil else { return [] }
        let extendsPrincipal = file.code.contains { $0.contains(/extension Principal\b/) }
        return file.code.enumerated().compactMap { index, line in
            guard line.contains(/principal[?!]?\.role\b/) || (extendsPrincipal && line.contains(/\brole\b/)) else {
                return nil
            }
            return Finding(path: file.path, line: index + 1, message: "name this right in Access, and ask it there")
        }
    }
}

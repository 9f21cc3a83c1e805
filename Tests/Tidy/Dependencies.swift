/// Which modules a target may import: dependencies point downwards only.
enum Dependencies {
    /// What a target of ours may know.
    struct Allowance {
        /// Ours.
        var own: Set<String>
        /// Others'; nil: any.
        var foreign: Set<String>?
    }

    private static let mathematics: Set<String> = ["Glibc", "Darwin", "Musl", "Android", "Bionic", "WASILibc"]
    private static let decisions: Set<String> = ["MusterCoding", "MusterCore", "MusterGeometry"]
    private static let wire = decisions.union(["MusterWire"])
    private static let endpoint = wire.union(["MusterDocuments", "MusterHTTP", "MusterServer", "MusterStore"])
    private static let foundation: Set<String> = ["Foundation", "FoundationEssentials"]
    /// What phones run has `Mutex` of MusterMutex: iOS 17 has no Synchronization.
    private static let phones: Set<String> = [
        "MusterApp", "MusterDocuments", "MusterKit", "MusterMDNS", "MusterNearby", "MusterReplication", "MusterWire",
    ]

    /// One line per target. A target that is not here may not exist.
    static let allowed: [String: Allowance] = [
        "MusterCoding": Allowance(own: [], foreign: []),
        "MusterMutex": Allowance(own: [], foreign: ["Darwin", "Synchronization"]),
        "MusterGeometry": Allowance(own: [], foreign: mathematics),
        "MusterCore": Allowance(own: ["MusterCoding", "MusterGeometry"], foreign: ["HashTreeCollections"]),
        "MusterWire": Allowance(
            own: decisions.union(["CPCRE2", "GeobufMessages"]), foreign: mathematics.union(["SwiftProtobuf"])),
        "MusterDocuments": Allowance(
            own: wire, foreign: foundation.union(["Crypto", "GRDB", "GRDBSQLite"])),
        "MusterStore": Allowance(
            own: decisions.union(["CPageChecksums", "MusterDocuments"]),
            foreign: foundation.union(mathematics).union(["GRDB", "GRDBSQLite", "Dispatch", "Synchronization"])),
        "MusterReplication": Allowance(own: wire.union(["MusterDocuments", "MusterMutex"])),
        "MusterHTTP": Allowance(own: ["CMalloc", "CZlib", "MusterCoding"]),
        "MusterTiles": Allowance(
            own: ["MusterHTTP", "MusterWire"],
            foreign: foundation.union(["GRDBSQLite", "NIOCore", "Synchronization"])),
        "MusterServer": Allowance(
            own: wire.union(["MusterDocuments", "MusterHTTP", "MusterStore", "MusterTiles", "CGMP", "CGeos", "CSodium"])
        ),
        "MusterNativeAPI": Allowance(own: endpoint),
        "MusterAmazon": Allowance(own: endpoint),
        "MusterOwnTracks": Allowance(own: endpoint),
        "MusterTAK": Allowance(own: endpoint),
        "MusterTrackers": Allowance(own: endpoint),
        "MusterGateways": Allowance(own: endpoint),
        "MusterSMS": Allowance(own: endpoint),
        "MusterIFTTT": Allowance(own: endpoint),
        "MusterWarnings": Allowance(own: endpoint),
        "MusterMaps": Allowance(own: ["MusterHTTP", "MusterServer", "MusterTiles", "MusterWire"]),
        "MusterMeshblu": Allowance(own: endpoint),
        "MusterMQTT": Allowance(own: endpoint.union(["MusterMeshblu", "MusterOwnTracks"])),
        "MusterCouchDB": Allowance(own: endpoint.union(["MusterReplication", "CZlib"])),
        "MusterGraphQL": Allowance(own: endpoint.union(["MusterAmazon"])),
        "MusterEndpoints": Allowance(
            own: [
                "MusterServer", "MusterNativeAPI", "MusterAmazon", "MusterOwnTracks", "MusterMQTT", "MusterCouchDB",
                "MusterGateways", "MusterGraphQL", "MusterIFTTT", "MusterMaps", "MusterMeshblu", "MusterSMS",
                "MusterTAK", "MusterTrackers", "MusterWarnings",
            ]),
        "MusterKit": Allowance(
            own: wire.union(["MusterDocuments", "MusterMutex", "MusterNearby", "MusterReplication"])),
        "MusterApp": Allowance(
            own: wire.union(["MusterKit", "MusterMutex", "MusterNearby", "MusterReplication"]),
            foreign: foundation.union(["Crypto", "Observation"])),
        "MusterNearby": Allowance(own: decisions.union(["MusterMDNS", "MusterMutex"])),
        "MusterMDNS": Allowance(
            own: ["MusterCoding", "MusterMutex"], foreign: mathematics.union(["NIOCore", "NIOPosix"])),
        "MusterSimulator": Allowance(own: decisions, foreign: mathematics),
        "MusterTerminal": Allowance(own: wire.union(["MusterHTTP", "MusterSimulator", "CZlib"])),
        "muster": Allowance(
            own: wire.union([
                "MusterEndpoints", "MusterGraphQL", "MusterHTTP", "MusterStore", "MusterServer", "MusterSimulator",
                "MusterKit", "MusterNearby", "MusterReplication", "MusterTerminal", "MusterTiles",
            ])),
        "GeobufMessages": Allowance(own: [], foreign: foundation.union(["SwiftProtobuf"])),
        "CGeos": Allowance(own: [], foreign: []),
        "CMalloc": Allowance(own: [], foreign: []),
        "CPageChecksums": Allowance(own: [], foreign: []),
        "CPCRE2": Allowance(own: [], foreign: []),
        "CGMP": Allowance(own: [], foreign: []),
        "CSodium": Allowance(own: [], foreign: []),
        "CZlib": Allowance(own: [], foreign: []),
    ]

    /// The imports of a file that its target may not have.
    static func findings(in file: SourceFile) -> [Finding] {
        guard let target = file.target else { return [] }
        guard let allowance = allowed[target] else {
            return [
                Finding(path: file.path, line: 0, message: "say in Tests/Tidy what the target \(target) may import")
            ]
        }
        return imports(in: file).compactMap { line, module in
            let isOwn = allowed[module] != nil || module.hasPrefix("Muster")
            let isAllowed = isOwn ? allowance.own.contains(module) : allowance.foreign?.contains(module) ?? true
            let isOnPhones = module != "Synchronization" || !phones.contains(target)
            return isAllowed && isOnPhones
                ? nil : Finding(path: file.path, line: line, message: "\(target) must not import \(module)")
        }
    }

    /// The top-level modules that a file imports, each with its line.
    static func imports(in file: SourceFile) -> [(line: Int, module: String)] {
        let kinds: Set<String> = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias", "actor"]
        return file.code.enumerated().compactMap { index, line in
            let words = line.split(separator: " ")
            guard let keyword = words.firstIndex(of: "import") else { return nil }
            let modifiers: Set<Substring> = ["public", "package", "internal", "fileprivate", "private"]
            guard words[..<keyword].allSatisfy({ modifiers.contains($0) || $0.hasPrefix("@") }) else { return nil }
            let path = words[(keyword + 1)...].first { !kinds.contains(String($0)) } ?? ""
            return path.split(separator: ".").first.map { (index + 1, String($0)) }
        }
    }
}

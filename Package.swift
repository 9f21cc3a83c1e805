// swift-tools-version: 6.2
import PackageDescription

/// Every target of ours: Swift 6 mode, no warning tolerated, imports and existentials explicit.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6), .treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"), .enableUpcomingFeature("InternalImportsByDefault"),
]

/// What most endpoints need of others: requests and their bodies.
let http: [Target.Dependency] = [
    .product(name: "HTTPTypes", package: "swift-http-types"), .product(name: "Hummingbird", package: "hummingbird"),
    .product(name: "NIOCore", package: "swift-nio"),
]

let package = Package(
    name: "muster",
    platforms: [.macOS(.v15), .iOS(.v17)],
    products: [
        .library(name: "MusterApp", targets: ["MusterApp"]),
        .library(name: "MusterGeometry", targets: ["MusterGeometry"]),
        .library(name: "MusterKit", targets: ["MusterKit"]),
        .library(name: "MusterNearby", targets: ["MusterNearby"]),
        .library(name: "MusterReplication", targets: ["MusterReplication"]),
        .executable(name: "muster", targets: ["muster"]),
    ],
    dependencies: [
        .package(url: "https://github.com/attaswift/BigInt", from: "6.0.1"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-async-algorithms", from: "1.1.4"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: []),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
    ],
    targets: [
        // Decisions, bottom up. No target here does I/O.
        .target(name: "MusterCoding", swiftSettings: strict),
        .target(name: "MusterMutex", swiftSettings: strict),
        .target(name: "MusterGeometry", swiftSettings: strict),
        .target(
            name: "MusterCore",
            dependencies: [
                "MusterCoding", "MusterGeometry", .product(name: "HashTreeCollections", package: "swift-collections"),
            ], swiftSettings: strict),
        .target(
            name: "MusterWire",
            dependencies: [
                "MusterCoding", "MusterCore", "MusterGeometry", "GeobufMessages",
                .target(name: "CPCRE2", condition: .when(platforms: [.linux, .macOS])),
                .product(name: "SwiftProtobuf", package: "swift-protobuf"),
            ], swiftSettings: strict),
        // Made by protoc from geobuf.proto, which says how.
        .target(
            name: "GeobufMessages", dependencies: [.product(name: "SwiftProtobuf", package: "swift-protobuf")],
            exclude: ["geobuf.proto"], swiftSettings: [.swiftLanguageMode(.v6)]),

        // State and the network.
        .target(
            name: "MusterDocuments",
            dependencies: [
                "MusterCoding", "MusterCore", "MusterWire", .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"), .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ], swiftSettings: strict),
        // Only the header of SQLite is used here: whoever uses this links the library.
        .target(name: "CPageChecksums"),
        .target(
            name: "MusterStore",
            dependencies: [
                "CPageChecksums", "MusterCore", "MusterDocuments", "MusterGeometry",
                .product(name: "GRDB", package: "GRDB.swift"), .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ], swiftSettings: strict),
        .target(
            name: "MusterReplication",
            dependencies: [
                "MusterCoding", "MusterCore", "MusterDocuments", "MusterMutex", "MusterWire",
                .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"), .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTPCompression", package: "swift-nio-extras"),
            ], swiftSettings: strict),
        .target(
            name: "MusterKit",
            dependencies: [
                "MusterCoding", "MusterCore", "MusterDocuments", "MusterGeometry", "MusterMutex", "MusterNearby",
                "MusterReplication", "MusterWire", .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"), .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
            ], swiftSettings: strict),
        .target(
            name: "MusterApp",
            dependencies: [
                "MusterCoding", "MusterCore", "MusterGeometry", "MusterKit", "MusterMutex", "MusterNearby",
                "MusterReplication", "MusterWire", .product(name: "Crypto", package: "swift-crypto"),
            ], swiftSettings: strict),
        // Two devices that measure each other, without a server.
        .target(
            name: "MusterNearby",
            dependencies: [
                "MusterCoding", "MusterCore", "MusterGeometry", "MusterMDNS", "MusterMutex",
                .product(name: "Crypto", package: "swift-crypto"), .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"), .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"), .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ], swiftSettings: strict),
        // Connections, messages, files and metrics: no word of the product.
        .target(
            name: "MusterHTTP",
            dependencies: [
                "CMalloc", "CZlib", "MusterCoding", .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"), .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"), .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"), .product(name: "NIOWebSocket", package: "swift-nio"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "NIOPosix", package: "swift-nio"), .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ], swiftSettings: strict),
        // Files of map tiles, read in place.
        .target(
            name: "MusterTiles",
            dependencies: [
                "MusterHTTP", "MusterWire", .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "NIOCore", package: "swift-nio"),
            ], swiftSettings: strict),
        // Services on the local network: multicast DNS without a daemon. No word of the product.
        .target(
            name: "MusterMDNS",
            dependencies: [
                "MusterCoding", "MusterMutex", .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ], swiftSettings: strict),
        .target(
            name: "MusterServer",
            dependencies: [
                "MusterCoding", "MusterCore", "MusterDocuments", "MusterGeometry", "MusterHTTP", "MusterStore",
                "MusterTiles", "MusterWire", "CGMP", "CGeos", "CSodium",
                .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
                .product(name: "BigInt", package: "BigInt"), .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "Crypto", package: "swift-crypto"), .product(name: "Logging", package: "swift-log"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"), .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "X509", package: "swift-certificates"),
                .product(name: "NIOPosix", package: "swift-nio"), .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ], swiftSettings: strict),
        // Endpoints: a target each. They translate; MusterServer decides.
        .target(
            name: "MusterNativeAPI",
            dependencies: [
                "MusterCoding", "MusterCore", "MusterDocuments", "MusterGeometry", "MusterHTTP", "MusterServer",
                "MusterStore", "MusterWire", .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ] + http, swiftSettings: strict),
        .target(
            name: "MusterCouchDB",
            dependencies: [
                "MusterCoding", "MusterCore", "MusterDocuments", "MusterHTTP", "MusterReplication", "MusterServer",
                "MusterStore", "MusterWire", "CZlib", .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ], swiftSettings: strict),
        .target(
            name: "MusterAmazon",
            dependencies: [
                "MusterCoding", "MusterCore", "MusterGeometry", "MusterHTTP", "MusterServer", "MusterStore",
                "MusterWire", .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Logging", package: "swift-log"), .product(name: "NIOCore", package: "swift-nio"),
            ], swiftSettings: strict),
        .target(
            name: "MusterOwnTracks",
            dependencies: ["MusterCoding", "MusterCore", "MusterServer", "MusterStore", "MusterWire"] + http,
            swiftSettings: strict),
        .target(
            name: "MusterTrackers",
            dependencies: ["MusterCore", "MusterServer", "MusterStore", "MusterWire"] + http,
            swiftSettings: strict),
        .target(
            name: "MusterMQTT",
            dependencies: [
                "MusterCoding", "MusterCore", "MusterGeometry", "MusterHTTP", "MusterMeshblu", "MusterOwnTracks",
                "MusterServer", "MusterStore", "MusterWire",
                .product(name: "Logging", package: "swift-log"), .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"), .product(name: "NIOWebSocket", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ], swiftSettings: strict),
        .target(
            name: "MusterTAK",
            dependencies: [
                "MusterCore", "MusterGeometry", "MusterHTTP", "MusterServer", "MusterStore", "MusterWire",
                .product(name: "Logging", package: "swift-log"), .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"), .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ], swiftSettings: strict),
        .target(
            name: "MusterGateways",
            dependencies: ["MusterCore", "MusterServer", "MusterWire"] + http, swiftSettings: strict),
        .target(
            name: "MusterSMS",
            dependencies: [
                "MusterCoding", "MusterCore", "MusterGeometry", "MusterServer", "MusterWire",
                .product(name: "Crypto", package: "swift-crypto"), .product(name: "Logging", package: "swift-log"),
            ] + http, swiftSettings: strict),
        .target(
            name: "MusterGraphQL",
            dependencies: [
                "MusterAmazon", "MusterCoding", "MusterCore", "MusterGeometry", "MusterHTTP", "MusterServer",
                "MusterStore", "MusterWire",
            ] + http, resources: [.embedInCode("Schema/served.graphql")], swiftSettings: strict),
        .target(
            name: "MusterIFTTT", dependencies: ["MusterCore", "MusterServer", "MusterStore", "MusterWire"] + http,
            swiftSettings: strict),
        .target(
            name: "MusterWarnings",
            dependencies: [
                "MusterCoding", "MusterCore", "MusterGeometry", "MusterHTTP", "MusterServer", "MusterStore",
                .product(name: "Crypto", package: "swift-crypto"), .product(name: "Logging", package: "swift-log"),
                "MusterWire", .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ] + http, swiftSettings: strict),
        .target(
            name: "MusterMaps", dependencies: ["MusterHTTP", "MusterServer", "MusterTiles", "MusterWire"] + http,
            swiftSettings: strict),
        .target(
            name: "MusterMeshblu",
            dependencies: ["MusterCoding", "MusterCore", "MusterServer", "MusterStore", "MusterWire"] + http,
            swiftSettings: strict),
        .target(
            name: "MusterEndpoints",
            dependencies: [
                "MusterAmazon", "MusterCouchDB", "MusterGateways", "MusterGraphQL", "MusterIFTTT", "MusterMQTT",
                "MusterMaps", "MusterMeshblu", "MusterNativeAPI", "MusterOwnTracks", "MusterSMS", "MusterServer",
                "MusterTAK", "MusterTrackers", "MusterWarnings",
            ], swiftSettings: strict),
        .target(name: "MusterSimulator", dependencies: ["MusterCore", "MusterGeometry"], swiftSettings: strict),
        // What the programs at a terminal share: a connection to a server, what a person reads, walks.
        .target(
            name: "MusterTerminal",
            dependencies: [
                "MusterCoding", "MusterCore", "MusterGeometry", "MusterHTTP", "MusterSimulator", "MusterWire", "CZlib",
                .product(name: "Crypto", package: "swift-crypto"), .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "X509", package: "swift-certificates"),
            ], swiftSettings: strict),
        .executableTarget(
            name: "muster",
            dependencies: [
                "MusterCoding", "MusterCore", "MusterEndpoints", "MusterGeometry", "MusterGraphQL", "MusterHTTP",
                "MusterKit", "MusterNearby", "MusterReplication", "MusterServer", "MusterSimulator", "MusterStore",
                "MusterTerminal", "MusterTiles", "MusterWire",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "Crypto", package: "swift-crypto"), .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
            ], swiftSettings: strict),
        // Measures a server, and parts of it, on this machine: `make bench`.
        .executableTarget(
            name: "muster-bench",
            dependencies: [
                "MusterCore", "MusterDocuments", "MusterGeometry", "MusterGraphQL", "MusterKit", "MusterNearby",
                "MusterReplication", "MusterServer", "MusterSimulator", "MusterStore", "MusterTerminal", "MusterWire",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Crypto", package: "swift-crypto"), .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"), .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "NIOTLS", package: "swift-nio"), .product(name: "X509", package: "swift-certificates"),
            ],
            path: "Benchmarks/muster-bench", swiftSettings: strict),

        // What the documentation shows, compiled as an app would: public declarations alone can be used.
        .target(
            name: "Examples",
            dependencies: [
                "MusterApp", "MusterKit", "MusterNearby", .product(name: "Crypto", package: "swift-crypto"),
            ],
            path: "Examples", packageAccess: false, swiftSettings: strict),

        // C libraries of the system.
        .systemLibrary(name: "CGeos", pkgConfig: "geos", providers: [.apt(["libgeos-dev"]), .brew(["geos"])]),
        .systemLibrary(name: "CGMP", pkgConfig: "gmp", providers: [.apt(["libgmp-dev"]), .brew(["gmp"])]),
        .systemLibrary(name: "CMalloc"),
        .systemLibrary(name: "CPCRE2", pkgConfig: "libpcre2-8", providers: [.apt(["libpcre2-dev"]), .brew(["pcre2"])]),
        .systemLibrary(
            name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"]), .brew(["libsodium"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),

        // What several test targets share.
        .target(
            name: "MusterTestSupport",
            dependencies: [
                "MusterCore", "MusterDocuments", "MusterStore", .product(name: "GRDB", package: "GRDB.swift"),
            ],
            path: "Tests/Support", swiftSettings: strict),
        .testTarget(name: "MusterGeometryTests", dependencies: ["MusterGeometry"], swiftSettings: strict),
        .testTarget(
            name: "MusterCoreTests", dependencies: ["MusterCore", "MusterGeometry", "MusterTestSupport"],
            exclude: ["Golden"], swiftSettings: strict),
        .testTarget(
            name: "MusterWireTests", dependencies: ["MusterCoding", "MusterWire", "MusterCore", "MusterGeometry"],
            exclude: ["Golden", "GraphQL/Corpus"], swiftSettings: strict),
        .testTarget(
            name: "Conformance",
            dependencies: [
                "MusterTestSupport", "MusterStore", "MusterDocuments", "MusterWire", "MusterCore", "MusterGeometry",
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            exclude: ["Files"], swiftSettings: strict),
        .testTarget(
            name: "MusterServerTests",
            dependencies: [
                "MusterCoding", "MusterAmazon", "MusterCouchDB", "MusterEndpoints", "MusterGraphQL", "MusterNativeAPI",
                "MusterOwnTracks", "MusterServer", "MusterDocuments", "MusterHTTP", "MusterReplication", "MusterStore",
                "MusterWire", "MusterCore", "MusterGeometry", "MusterTAK", "MusterTestSupport", "MusterWarnings",
                .product(name: "BigInt", package: "BigInt"), .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOTLS", package: "swift-nio"), .product(name: "GRDB", package: "GRDB.swift"),
            ],
            exclude: ["Golden"], swiftSettings: strict),
        .testTarget(
            name: "MusterTilesTests",
            dependencies: [
                "MusterHTTP", "MusterTiles", .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            exclude: ["Files"], swiftSettings: strict),
        .testTarget(
            name: "MusterSimulatorTests",
            dependencies: ["MusterSimulator", "MusterCore", "MusterGeometry", "MusterTestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "MusterTerminalTests",
            dependencies: ["MusterTerminal", .product(name: "Crypto", package: "swift-crypto")],
            exclude: ["Golden"], swiftSettings: strict),
        .testTarget(
            name: "MusterReplicationTests",
            dependencies: ["MusterReplication", "MusterWire", "MusterCore"], swiftSettings: strict),
        // Kit's transport of URLSession is compiled here on Linux, where the library has none: two files are links.
        .testTarget(
            name: "MusterKitTests",
            dependencies: [
                "MusterEndpoints", "MusterKit", "MusterMutex", "MusterNearby", "MusterReplication", "MusterServer",
                "MusterWire", "MusterCore", "MusterGeometry", .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"), .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
            ], exclude: ["Golden"],
            swiftSettings: strict + [.define("MUSTER_URLSESSION", .when(platforms: [.linux]))]),
        .testTarget(
            name: "MusterAppTests",
            dependencies: [
                "MusterApp", "MusterCore", "MusterEndpoints", "MusterGeometry", "MusterKit", "MusterReplication",
                "MusterServer", "MusterWire", .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
            ], swiftSettings: strict),
        .testTarget(
            name: "MusterNearbyTests",
            dependencies: [
                "MusterCore", "MusterGeometry", "MusterNearby",
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"), .product(name: "NIOTLS", package: "swift-nio"),
            ], swiftSettings: strict),
        .testTarget(
            name: "MusterMDNSTests",
            dependencies: ["MusterMDNS", .product(name: "NIOCore", package: "swift-nio")], swiftSettings: strict),
        // Advertises and browses for the Python tests, and prints what it hears.
        .executableTarget(
            name: "mdns-probe", dependencies: ["MusterMDNS", .product(name: "NIOCore", package: "swift-nio")],
            path: "Tests/MDNSProbe", swiftSettings: strict),
        .testTarget(name: "Tidy", swiftSettings: strict),
    ]
)

// Only `make docs` needs the plugin. A package that depends on this one does not resolve it.
if Context.environment["MUSTER_DOCS"] != nil {
    package.dependencies.append(.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"))
}

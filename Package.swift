// swift-tools-version: 6.2
import PackageDescription

/// Every target of ours: Swift 6 mode, no warning tolerated, imports and existentials explicit.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
    name: "muster",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "MusterGeometry", targets: ["MusterGeometry"]),
        .library(name: "MusterCore", targets: ["MusterCore"]),
        .library(name: "MusterKit", targets: ["MusterKit"]),
        .library(name: "MusterReplication", targets: ["MusterReplication"]),
        .executable(name: "muster", targets: ["muster"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-async-algorithms", from: "1.1.4"),
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
        .target(name: "MusterGeometry", swiftSettings: strict),
        .target(name: "MusterCore", dependencies: ["MusterGeometry"], swiftSettings: strict),
        .target(
            name: "MusterWire",
            dependencies: [
                "MusterCore", "MusterGeometry", "GeobufMessages",
                .target(name: "CPCRE2", condition: .when(platforms: [.linux, .macOS])),
                .product(name: "SwiftProtobuf", package: "swift-protobuf"),
            ],
            swiftSettings: strict),
        // Made by protoc from geobuf.proto, which says how.
        .target(
            name: "GeobufMessages", dependencies: [.product(name: "SwiftProtobuf", package: "swift-protobuf")],
            exclude: ["geobuf.proto"], swiftSettings: [.swiftLanguageMode(.v6)]),

        // State and the network.
        .target(
            name: "MusterDocuments",
            dependencies: [
                "MusterCore", "MusterWire", .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"), .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            swiftSettings: strict),
        // Only the header of SQLite is used here: whoever uses this links the library.
        .target(name: "CPageChecksums"),
        .target(
            name: "MusterStore",
            dependencies: [
                "CPageChecksums", "MusterCore", "MusterDocuments", "MusterGeometry",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            swiftSettings: strict),
        .target(
            name: "MusterReplication",
            dependencies: [
                "MusterCore", "MusterDocuments", "MusterWire",
                .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTPCompression", package: "swift-nio-extras"),
            ],
            swiftSettings: strict),
        .target(
            name: "MusterKit",
            dependencies: [
                "MusterCore", "MusterDocuments", "MusterGeometry", "MusterReplication", "MusterWire",
                .product(name: "Crypto", package: "swift-crypto"), .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: strict),
        .target(
            name: "MusterServer",
            dependencies: [
                "MusterCore", "MusterDocuments", "MusterGeometry", "MusterReplication", "MusterStore", "MusterWire",
                "CGeos", "CMalloc", "CSodium", "CZlib",
                .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HummingbirdTLS", package: "hummingbird"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),
        .target(
            name: "MusterSimulator", dependencies: ["MusterCore", "MusterGeometry"], swiftSettings: strict),
        .executableTarget(
            name: "muster",
            dependencies: [
                "MusterCore", "MusterDocuments", "MusterGeometry", "MusterKit", "MusterReplication", "MusterServer",
                "MusterSimulator", "MusterStore", "MusterWire",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),

        // What the documentation shows, compiled as an app would: public declarations alone can be used.
        .target(
            name: "Examples",
            dependencies: ["MusterKit", "MusterReplication", .product(name: "Crypto", package: "swift-crypto")],
            path: "Examples", packageAccess: false, swiftSettings: strict),

        // C libraries of the system.
        .systemLibrary(name: "CGeos", pkgConfig: "geos", providers: [.apt(["libgeos-dev"]), .brew(["geos"])]),
        .systemLibrary(name: "CMalloc"),
        .systemLibrary(name: "CPCRE2", pkgConfig: "libpcre2-8", providers: [.apt(["libpcre2-dev"]), .brew(["pcre2"])]),
        .systemLibrary(
            name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"]), .brew(["libsodium"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),

        .testTarget(name: "MusterGeometryTests", dependencies: ["MusterGeometry"], swiftSettings: strict),
        .testTarget(
            name: "MusterCoreTests", dependencies: ["MusterCore", "MusterGeometry"], exclude: ["Golden"],
            swiftSettings: strict),
        .testTarget(
            name: "MusterWireTests", dependencies: ["MusterWire", "MusterCore", "MusterGeometry"], exclude: ["Golden"],
            swiftSettings: strict),
        .testTarget(
            name: "Conformance",
            dependencies: [
                "MusterStore", "MusterDocuments", "MusterWire", "MusterCore", "MusterGeometry",
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            exclude: ["Files"], swiftSettings: strict),
        .testTarget(
            name: "MusterServerTests",
            dependencies: [
                "MusterServer", "MusterDocuments", "MusterReplication", "MusterStore", "MusterWire", "MusterCore",
                "MusterGeometry", "MusterSimulator", .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            exclude: ["Golden"], swiftSettings: strict),
        .testTarget(
            name: "MusterSimulatorTests",
            dependencies: ["MusterSimulator", "MusterCore", "MusterGeometry"], swiftSettings: strict),
        .testTarget(
            name: "MusterReplicationTests",
            dependencies: ["MusterReplication", "MusterWire", "MusterCore"], swiftSettings: strict),
        .testTarget(
            name: "MusterKitTests",
            dependencies: [
                "MusterKit", "MusterReplication", "MusterServer", "MusterSimulator", "MusterWire", "MusterCore",
                "MusterGeometry", .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"), .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
            ], swiftSettings: strict),
        .testTarget(name: "Tidy", swiftSettings: strict),
    ]
)

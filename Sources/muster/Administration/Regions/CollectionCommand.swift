import ArgumentParser
import Foundation
import MusterTerminal

/// `muster collection`: manages collections of regions. Each has one crossing policy.
struct CollectionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "collection", abstract: "Add, list, show, change and remove collections of regions.",
        subcommands: [Add.self, List.self, Show.self, Policy.self, Remove.self])

    struct Collection: Codable, Sendable {
        var name: String
        var policy: String?
        var regions: Int?
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "add", abstract: "Add an empty collection.")
        @OptionGroup var data: DataOption
        @Argument(help: "The name: letters, digits and . _ -") var name: String
        @Option(help: "The policy for crossings of its regions: confident or raw.", completion: .policies)
        var policy = "confident"

        func run() async throws {
            try await Connection.withServer(over: data.data) { connection in
                _ = try await connection.send("POST", "/collections", json: Collection(name: name, policy: policy))
            }
            announce("Added collection \(name).")
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the collections: name, policy and number of regions.")
        @OptionGroup var data: DataOption
        @Flag(help: "Print a JSON array.") var json = false

        func run() async throws {
            let collections = try await Connection.withServer(over: data.data) { connection in
                try await connection.list("/collections", of: Collection.self)
            }
            if json { return announce(try encoded(collections)) }
            for collection in collections {
                announce("\(collection.name)\t\(collection.policy ?? "")\t\(collection.regions ?? 0)")
            }
        }
    }

    struct Policy: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "policy", abstract: "Change the crossing policy of a collection.")
        @OptionGroup var data: DataOption
        @Argument(help: "The collection.") var name: String
        @Argument(help: "confident or raw.", completion: .policies) var policy: String

        func run() async throws {
            try await Connection.withServer(over: data.data) { connection in
                try await connection.requireCollection(name)
                _ = try await connection.send("PATCH", "/collections/\(name.segment)", json: ["policy": policy])
            }
            announce("Collection \(name) is \(policy).")
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Remove a collection with its regions.")
        @OptionGroup var data: DataOption
        @Argument(help: "The collection.") var name: String

        func run() async throws {
            try await Connection.withServer(over: data.data) { connection in
                try await connection.requireCollection(name)
                _ = try await connection.send("DELETE", "/collections/\(name.segment)")
            }
            announce("Removed collection \(name).")
        }
    }
}

extension Connection {
    /// Checks that a collection of this name exists.
    ///
    /// - Throws: `CommandFailure` that lists the collections.
    func requireCollection(_ name: String) async throws {
        try await require(
            "collection", called: name, in: "/collections", remedy: "`muster collection add` creates one")
    }
}

import ArgumentParser
import Foundation
import MusterTerminal

/// `muster tracker`: the collections whose regions a team's devices cross, and the filter for positions.
struct TrackerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tracker",
        abstract: "Link trackers to collections and choose their filters; a team's tracker has the team's name.",
        subcommands: [Add.self, Change.self, List.self, Show.self, Remove.self])

    struct Tracker: Codable, Sendable {
        var name: String?
        var filter: String?
        var collections: [String]?
        var worksAtZero: Bool?
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Add a tracker without a team, for AWS clients; `muster team add` creates a team's.")
        @OptionGroup var data: DataOption
        @Argument(help: "Letters, digits and . _ -") var name: String
        @Option(help: "none, timeBased, distanceBased or accuracyBased.", completion: .filters) var filter: String?
        @Option(help: "A collection whose regions its devices cross. May be given several times.")
        var collection: [String] = []

        func run() async throws {
            let tracker = Tracker(name: name, filter: filter, collections: collection.isEmpty ? nil : collection)
            try await Connection.withServer(over: data.data) { connection in
                for each in collection { try await connection.requireCollection(each) }
                try await connection.send("POST", "/trackers", json: tracker)
            }
            announce("Added tracker \(name).")
        }
    }

    struct Change: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Change a tracker's filter or collections, and whether it works at 0° N 0° E."
        )
        @OptionGroup var data: DataOption
        @Argument(help: "The tracker; a team's has the team's name.") var name: String
        @Option(help: "none, timeBased, distanceBased or accuracyBased.", completion: .filters) var filter: String?
        @Option(help: "A collection whose regions its devices cross. May be given several times; replaces all.")
        var collection: [String] = []
        @Flag(help: "Remove all collections from the tracker.") var noCollections = false
        @Flag(
            inversion: .prefixedNo,
            help: "Whether devices may be at 0° N 0° E. By default a position there is a broken device's.")
        var worksAtZero: Bool?
        @Flag(help: "Print the tracker as JSON.") var json = false

        func validate() throws {
            if !collection.isEmpty, noCollections {
                throw ValidationError("--collection and --no-collections exclude each other")
            }
            if filter == nil, collection.isEmpty, !noCollections, worksAtZero == nil {
                throw ValidationError("give --filter, --collection, --no-collections or --works-at-zero")
            }
        }

        func run() async throws {
            let patch = Tracker(
                filter: filter, collections: collection.isEmpty && !noCollections ? nil : collection,
                worksAtZero: worksAtZero)
            let answer = try await Connection.withServer(over: data.data) { connection in
                for each in collection { try await connection.requireCollection(each) }
                return try await connection.send("PATCH", "/trackers/\(name.segment)", json: patch)
            }
            announce(json ? String(decoding: answer, as: UTF8.self) : "Changed tracker \(name).")
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the trackers: name, filter and collections.")
        @OptionGroup var data: DataOption
        @Flag(help: "Print a JSON array.") var json = false

        func run() async throws {
            let trackers = try await Connection.withServer(over: data.data) { connection in
                try await connection.list("/trackers", of: Tracker.self)
            }
            if json { return announce(try encoded(trackers)) }
            for tracker in trackers {
                let collections = (tracker.collections ?? []).joined(separator: ", ")
                announce("\(tracker.name ?? "")\t\(tracker.filter ?? "")\t\(collections)")
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Remove a tracker. A team's tracker is removed with its team.")
        @OptionGroup var data: DataOption
        @Argument(help: "The tracker.") var name: String

        func run() async throws {
            try await Connection.withServer(over: data.data) { connection in
                _ = try await connection.send("DELETE", "/trackers/\(name.segment)")
            }
            announce("Removed tracker \(name).")
        }
    }
}

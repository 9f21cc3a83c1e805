import ArgumentParser
import Foundation
import MusterCore
import MusterKit
import MusterReplication
import MusterTerminal
import MusterWire

/// `muster dataset`: the preferences and the state that follow a person across devices.
struct DatasetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dataset",
        abstract: "Read, change and watch datasets: records that follow a person across devices.",
        discussion: """
            Only its owner can read and change a dataset. Without --token, the commands use the admin's datasets at \
            the server over the data folder. With a key from `muster key add --user NAME`, they use that user's.
            """,
        subcommands: [List.self, Get.self, Put.self, Remove.self, Delete.self, Watch.self])

    /// A record as `--json` prints it.
    struct Record: Encodable {
        var key: String
        var value: String?
        var syncCount: Int64
        var deviceModifiedAt: String

        init(_ record: RemoteRecord) {
            key = record.key
            value = record.value
            syncCount = record.syncCount
            deviceModifiedAt = record.modifiedAt.rfc3339
        }

        private enum CodingKeys: CodingKey {
            case key, value, syncCount, deviceModifiedAt
        }

        /// A removed record's value is null, not left out.
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(key, forKey: .key)
            try container.encode(value, forKey: .value)
            try container.encode(syncCount, forKey: .syncCount)
            try container.encode(deviceModifiedAt, forKey: .deviceModifiedAt)
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "List the person's datasets.")
        @OptionGroup var owner: DatasetOwner
        @Flag(help: "Print a JSON array.") var json = false

        struct Dataset: Codable, Sendable {
            var name: String
            var syncCount: Int64
            var records: Int
            var bytes: Int
            var modifiedAt: String
            var modifiedBy: String
        }

        func run() async throws {
            let datasets = try await owner.withConnection { try await $0.list("/datasets", of: Dataset.self) }
            if json { return announce(try encoded(datasets)) }
            for dataset in datasets {
                announce("\(dataset.name)\t\(dataset.records) records\tsync count \(dataset.syncCount)")
            }
        }
    }

    struct Get: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "get", abstract: "Print a record's value; without a key, all records.")
        @OptionGroup var owner: DatasetOwner
        @OptionGroup var dataset: DatasetName
        @Argument(help: "The record's key.") var key: String?
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            let found = try await owner.withService { try await $0.whole(dataset.name) }
            guard found.exists else { throw CommandFailure("there is no dataset \(dataset.name)") }
            let records = found.records.filter { $0.value != nil }
                .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            guard let key else {
                if json { return announce(try encoded(records.map { Record($0) })) }
                for record in records { announce("\(record.key.onOneLine)\t\((record.value ?? "").onOneLine)") }
                return
            }
            guard let record = records.first(where: { ExactText($0.key) == ExactText(key) }) else {
                throw CommandFailure("there is no record \(key) in \(dataset.name)")
            }
            announce(json ? try encoded(Record(record)) : record.value ?? "")
        }
    }

    struct Put: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "put",
            abstract: "Set a record's value. The dataset is created if there is none of that name.")
        @OptionGroup var owner: DatasetOwner
        @OptionGroup var dataset: DatasetName
        @Argument(help: "The record's key.") var key: String
        @Argument(help: "The text.") var value: String

        func run() async throws {
            let count = try await owner.withService { try await $0.set(key, of: dataset.name, to: value) }
            announce("Set \(key) in \(dataset.name), now at sync count \(count).")
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "remove", abstract: "Remove a record.")
        @OptionGroup var owner: DatasetOwner
        @OptionGroup var dataset: DatasetName
        @Argument(help: "The record's key.") var key: String

        func run() async throws {
            let count = try await owner.withService { try await $0.set(key, of: dataset.name, to: nil) }
            announce("Removed \(key) from \(dataset.name), now at sync count \(count).")
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete", abstract: "Delete a dataset with its records.")
        @OptionGroup var owner: DatasetOwner
        @OptionGroup var dataset: DatasetName

        func run() async throws {
            guard try await owner.withService({ try await $0.delete(dataset.name) }) else {
                throw CommandFailure("there is no dataset \(dataset.name)")
            }
            announce("Deleted \(dataset.name).")
        }
    }
}

/// The name of a dataset, the first argument of every command about one.
struct DatasetName: ParsableArguments {
    @Argument(help: "The dataset's name.") var name: String

    func validate() throws {
        guard DatasetLimits.isName(name) else {
            throw ValidationError("a dataset's name is 1 to 128 of the characters a-z, A-Z, 0-9, _, ., : and -")
        }
    }
}

/// The owner of the datasets that a command is about, and the server.
struct DatasetOwner: ParsableArguments {
    @OptionGroup var data: DataOption
    @Option(help: "The server's address. By default, the server over the data folder.") var server: String?
    @Option(help: "A key or token of the owner of the datasets. MUSTER_TOKEN sets it too.")
    var token: String?

    /// The key or token of the option or the environment; nil for the admin of the folder.
    var key: String? {
        token ?? ProcessInfo.processInfo.environment["MUSTER_TOKEN"].flatMap { $0.isEmpty ? nil : $0 }
    }

    func validate() throws {
        guard server == nil || key != nil else {
            throw ValidationError("--server requires --token: `muster key add --user NAME` prints one")
        }
    }

    /// Runs a command through the native API as the owner of the datasets.
    ///
    /// - Throws: `CommandFailure`; the errors of `body`.
    func withConnection<Result>(_ body: (Connection) async throws -> Result) async throws -> Result {
        if let server, let key { return try await body(try Connection(base: server, token: key)) }
        return try await Connection.withServer(over: data.data) { try await body(try asOwner($0)) }
    }

    /// Runs a command about datasets as their owner.
    ///
    /// - Throws: `CommandFailure` for every failure of the server.
    func withService<Result>(_ body: (DatasetService) async throws -> Result) async throws -> Result {
        try await withConnection { connection in
            do {
                return try await body(DatasetService(connection))
            } catch let fault as ReplicationError {
                throw CommandFailure("the server: \(fault.words)")
            } catch let fault as MusterError {
                throw CommandFailure(fault.description)
            }
        }
    }

    /// Returns the connection to the server at `--server` or over the folder; nil when none runs over the folder.
    func runningConnection() async throws -> Connection? {
        if let server, let key { return try Connection(base: server, token: key) }
        return try await Connection.running(over: data.data).map { try asOwner($0) }
    }

    private func asOwner(_ connection: Connection) throws -> Connection {
        try key.map { try Connection(base: connection.base.absoluteString, token: $0) } ?? connection
    }
}

extension DatasetService {
    init(_ connection: Connection) {
        self.init { method, path, json in
            let (body, status) = try await connection.exchange(method, "/" + path, body: json.map { Data($0) })
            return (status, [UInt8](body))
        }
    }

    /// The number of attempts to change a dataset while other devices change it, too.
    private static let attemptLimit = 5

    /// Reads all records of a dataset.
    func whole(_ name: String) async throws -> RemoteDataset { try await changes(of: name, since: 0) }

    /// Reads the records above a count.
    ///
    /// - Throws: `CommandFailure` if the dataset is deleted and created over and over.
    func changes(of name: String, since count: Int64) async throws -> RemoteDataset {
        for _ in 0..<Self.attemptLimit {
            if let dataset = try await read(name, since: count) { return dataset }
        }
        throw CommandFailure("\(name) is deleted and created while it is read; try again")
    }

    /// Sets a record's value, or removes the record if the value is nil.
    ///
    /// - Returns: the dataset's count afterwards.
    /// - Throws: `CommandFailure` for a record to remove that does not exist.
    fileprivate func set(_ key: String, of name: String, to value: String?) async throws -> Int64 {
        for _ in 0..<Self.attemptLimit {
            let before = try await whole(name).records.first { ExactText($0.key) == ExactText(key) }
            if value == nil, before?.value == nil { throw CommandFailure("there is no record \(key) in \(name)") }
            let patch = DatasetPatch(key: key, value: value, syncCount: before?.syncCount ?? 0)
            if case .stored(let count, _) = try await update(name, with: [patch]) { return count }
        }
        throw CommandFailure("another device is changing \(name) at the same time; try again")
    }
}

extension ReplicationError {
    /// The error as a message for the terminal.
    var words: String {
        switch self {
        case .unauthorized: "the server does not accept the token"
        case .refused(_, _, let reason): reason
        case .unreachable(let reason): "it cannot be reached (\(reason))"
        case .busy(let status, _): "it is busy (status \(status))"
        default: description
        }
    }
}

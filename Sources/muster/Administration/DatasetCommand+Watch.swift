import ArgumentParser
import Foundation
import MusterHTTP
import MusterKit
import MusterReplication
import MusterTerminal

/// `muster dataset watch`.
extension DatasetCommand {
    /// `muster dataset watch`: prints the records of a dataset and each change.
    struct Watch: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "watch",
            abstract: "Print the records of a dataset, and then each change as it comes, until Ctrl-C.",
            discussion: """
                While the server is unreachable the command waits, and then prints what changed in the meantime. With \
                --mark, a command that is started again with the same file continues where it stopped.
                """)
        @OptionGroup var owner: DatasetOwner
        @OptionGroup var dataset: DatasetName
        @Option(help: "A file for the sync count up to which records were printed.") var mark: String?
        @Option(help: "Exit after this many records.") var count: Int?
        @Flag(help: "Print a JSON object a line.") var json = false

        func validate() throws {
            if let count, count < 1 { throw ValidationError("--count: at least 1") }
        }

        func run() async throws {
            if owner.server == nil { try await DataFolder.requireStore(in: owner.data.data) }
            var printer = try Printer(name: dataset.name, mark: mark, left: count, isJSON: json)
            // Connections that are not closed end the process with a trap.
            let connections = HTTPConnections()
            let result: Result<Void, any Error>
            do {
                result = .success(try await follow(&printer, over: connections))
            } catch {
                result = .failure(error)
            }
            await connections.close()
            try result.get()
        }

        /// Seconds between two attempts to reach the server.
        private static let retrySeconds = 0.5

        private func follow(_ printer: inout Printer, over connections: HTTPConnections) async throws {
            var isAway = false
            while true {
                do {
                    guard let connection = try await owner.runningConnection() else {
                        throw ReplicationError.unreachable("no server runs over \(owner.data.data)")
                    }
                    try await follow(&printer, connection, over: connections, isAway: &isAway)
                } catch is Printer.Finished {
                    return
                } catch let fault as ReplicationError {
                    // The key of the folder changes with each start of the server, so it is read again.
                    let mayPass = owner.key == nil ? fault.isPassing || fault.isUnauthorized : fault.isPassing
                    guard mayPass else { throw CommandFailure(fault.words) }
                    if !isAway { remark("Waiting for the server: \(fault.words).") }
                    isAway = true
                } catch let failure as CommandFailure {
                    guard isAway || printer.hasBegun else { throw failure }
                    if !isAway { remark("Waiting for the server: \(failure.description).") }
                    isAway = true
                }
                try await Task.sleep(for: .seconds(Self.retrySeconds))
            }
        }

        private func follow(
            _ printer: inout Printer, _ connection: Connection, over connections: HTTPConnections, isAway: inout Bool
        ) async throws {
            let service = DatasetService(connection)
            let root = connection.base.absoluteString
            let feed = LiveFeed(
                server: root.hasSuffix("/") ? root : root + "/", credentials: .bearer(connection.token),
                connections: connections)
            try await feed.follow { news in
                switch news {
                case .opened:
                    try await printer.printChanges(by: service)
                    if isAway { remark("The server is back.") }
                    if !printer.hasBegun { remark("Watching \(dataset.name).") }
                    printer.hasBegun = true
                    isAway = false
                case .dataset(let told) where told.name == dataset.name && told.syncCount > printer.syncCount:
                    try await printer.printChanges(by: service)
                default: break
                }
            }
        }
    }
}

/// Prints the changes of a dataset since the last printed one.
private struct Printer {
    let name: String
    private let mark: String?
    private var left: Int?
    private let isJSON: Bool
    /// The count up to which everything was printed.
    private(set) var syncCount: Int64 = 0
    /// Whether the dataset has been read.
    var hasBegun = false

    /// Thrown once the requested number of records was printed.
    struct Finished: Error {}

    /// - Throws: `CommandFailure` for a file that holds no count.
    init(name: String, mark: String?, left: Int?, isJSON: Bool) throws {
        self.name = name
        self.mark = mark
        self.left = left
        self.isJSON = isJSON
        guard let mark, FileManager.default.fileExists(atPath: mark) else { return }
        let text = String(decoding: try InputFile.read(mark), as: UTF8.self)
        guard let count = Int64(text.trimmingCharacters(in: .whitespacesAndNewlines)), count >= 0 else {
            throw CommandFailure("\(mark) holds no sync count; remove the file to print everything again")
        }
        syncCount = count
    }

    /// Reads the changes, prints them, and stores the sync count.
    ///
    /// - Throws: `Finished`; the errors of reading.
    mutating func printChanges(by service: DatasetService) async throws {
        var dataset = try await service.changes(of: name, since: syncCount)
        if dataset.isDeletedSince || (syncCount > 0 && !dataset.exists) {
            printDeletion(at: dataset.syncCount)
            // A dataset that was created since then starts at count 0.
            syncCount = 0
            dataset = try await service.changes(of: name, since: 0)
        }
        for record in dataset.records.sorted(by: { ($0.syncCount, $0.key) < ($1.syncCount, $1.key) }) {
            // A new reader does not need records that were removed before.
            if syncCount == 0, record.value == nil { continue }
            try printRecord(record)
        }
        syncCount = dataset.exists ? dataset.syncCount : 0
        try storeMark()
        if left == 0 { throw Finished() }
    }

    private func printDeletion(at count: Int64) {
        struct Deletion: Encodable {
            var dataset: String
            var syncCount: Int64
            var deleted = true
        }
        let told = Deletion(dataset: name, syncCount: count)
        announce(isJSON ? (try? encoded(told)) ?? "" : "\(name) was deleted")
    }

    private mutating func printRecord(_ record: RemoteRecord) throws {
        left = left.map { max(0, $0 - 1) }
        if isJSON { return announce(try encoded(DatasetCommand.Record(record))) }
        announce(record.value.map { "\(record.key) = \($0)" } ?? "\(record.key) was removed")
    }

    private func storeMark() throws {
        guard let mark else { return }
        do {
            try Data("\(syncCount)\n".utf8).write(to: URL(filePath: mark), options: .atomic)
        } catch {
            throw CommandFailure("\(mark) cannot be written: \(error.localizedDescription)")
        }
    }
}

extension ReplicationError {
    fileprivate var isUnauthorized: Bool { if case .unauthorized = self { true } else { false } }
}

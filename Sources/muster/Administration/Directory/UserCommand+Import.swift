import ArgumentParser
import Foundation
import MusterHTTP
import MusterServer
import MusterTerminal
import MusterWire

/// `muster user import`.
extension UserCommand {
    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import",
            abstract: "Add the users of a CSV table: all of them, or none if one is invalid.",
            discussion: """
                The first line names the columns, in any order: name, role, team, crew, email, phone, displayName. \
                Only name must be there; without a role, a user is a member. A crew that the team does not have is \
                created. Nobody gets a password: `muster user password` sets one, and `muster device token` connects \
                a phone.
                """)
        @OptionGroup var data: DataOption
        @Argument(
            help: "A table with commas or semicolons, in UTF-8; - reads standard input.", completion: .csvFiles)
        var file: String
        @Flag(help: "Show what would be imported and every error, and import nothing.") var dryRun = false
        @Flag(help: "Create the teams that do not exist.") var makeTeams = false
        @Option(help: "Create a device of this name for each user.") var device: String?
        @Flag(help: "Print the result, or the errors, as JSON.") var json = false

        /// How long the server may take to store the largest table on a slow disk.
        private static let timeoutSeconds: Double = 1_800

        func run() async throws {
            let body = try InputFile.read(file == "-" ? "/dev/stdin" : file)
            guard body.count <= BodyLimits.table.bytes else {
                throw CommandFailure(
                    "\(file) has \(body.count.grouped) bytes, and an import at most "
                        + "\(BodyLimits.table.bytes.grouped): split it")
            }
            let progress = ImportProgress()
            progress.showReading(of: body)
            let device = device.map { "&device=\($0.segment)" } ?? ""
            let path = "/user-imports?dryRun=\(dryRun)&makeTeams=\(makeTeams)" + device
            let (answer, status) = try await Connection.withServer(over: data.data) { connection in
                try await progress.show(dryRun ? "Checking" : "Checking and storing") {
                    try await connection.exchange(
                        "POST", path, body: body, contentType: "text/csv", timeoutSeconds: Self.timeoutSeconds)
                }
            }
            guard (200..<300).contains(status) else { throw failure(answer, status) }
            if json { return announce(String(decoding: answer, as: UTF8.self)) }
            let made = try JSONDecoder().decode(Made.self, from: answer)
            announce("\(dryRun ? "Would import" : "Imported") \(made.sentence).")
        }

        /// Prints the faults of the table, each with its line.
        private func failure(_ answer: Data, _ status: Int) -> CommandFailure {
            guard let faults = try? JSONDecoder().decode(Faults.self, from: answer),
                let lines = faults.lines(of: file)
            else { return CommandFailure(problem: answer, status: status) }
            if json { announce(String(decoding: answer, as: UTF8.self)) } else { for line in lines { remark(line) } }
            return CommandFailure("Nothing was imported.")
        }
    }
}

/// What an import made, as the API answers it.
private struct Made: Decodable {
    var users: Int
    var teams: Int
    var crews: Int
    var devices: Int

    /// Such as "1,234 users, 3 teams".
    var sentence: String {
        let others = [(teams, "team"), (crews, "crew"), (devices, "device")].filter { $0.0 > 0 }
        return ([(users, "user")] + others).map { "\($0.0.grouped) \($0.1)\($0.0 == 1 ? "" : "s")" }
            .joined(separator: ", ")
    }
}

/// The faults of a table, as the API answers them.
private struct Faults: Decodable {
    struct Fault: Decodable {
        var line: Int
        var column: String?
        var detail: String
    }
    var errors: [Fault]
    var errorCount: Int

    /// A line for each fault; nil where the request has other faults.
    func lines(of file: String) -> [String]? {
        guard !errors.isEmpty else { return nil }
        let listed = errors.map { fault in
            "\(file):\(fault.line): \(fault.column.map { $0 + ": " } ?? "")\(fault.detail)".onOneLine
        }
        let others = errorCount - errors.count
        return others > 0 ? listed + ["and \(others.grouped) more errors"] : listed
    }
}

/// Shows on a terminal what an import is doing; elsewhere it shows nothing.
private struct ImportProgress {
    private let isShown = isatty(STDERR_FILENO) == 1

    /// Says how many rows a table has.
    func showReading(of body: Data) {
        guard isShown else { return }
        remark("Read \(Self.rows(in: body).grouped) rows, \(body.count.grouped) bytes.")
    }

    /// Shows for how long some work has been under way, until it ends.
    func show<Success>(_ work: String, _ body: () async throws -> Success) async throws -> Success {
        guard isShown else { return try await body() }
        let ticker = Task {
            for second in 0... {
                remark(unterminated: "\r\(work): \(second) s")
                try await Task.sleep(for: .seconds(1))
            }
        }
        defer {
            ticker.cancel()
            remark(unterminated: "\n")
        }
        return try await body()
    }

    /// The number of rows below the header, also of malformed ones.
    private static func rows(in body: Data) -> Int {
        body.withUnsafeBytes { bytes in
            var reader = CSVReader(bytes)
            var count = 0
            while true {
                // The server reports what is malformed.
                do throws(CSVError) { guard try reader.next() != nil else { return max(0, count - 1) } } catch {}
                count += 1
            }
        }
    }
}

extension Int {
    /// The number with a comma between thousands.
    fileprivate var grouped: String {
        var digits = String(magnitude)
        var groups: [Substring] = []
        while digits.count > 3 {
            groups.insert(digits.suffix(3), at: 0)
            digits.removeLast(3)
        }
        return (self < 0 ? "-" : "") + ([Substring(digits)] + groups).joined(separator: ",")
    }
}

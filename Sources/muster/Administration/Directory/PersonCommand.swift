import ArgumentParser
import Foundation
import MusterTerminal

/// `muster person`: declares how a person is.
struct PersonCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "person", abstract: "Declare how a person is. The record names the user who runs the command.",
        subcommands: [
            Safe.self, Help.self, SOS.self, OffSite.self, Clear.self, Acknowledge.self, Ask.self, Asked.self,
            Declarations.self, Join.self,
        ])

    struct Safe: PersonDeclaration {
        static let configuration = CommandConfiguration(commandName: "safe", abstract: "The person is safe.")
        static let kind = "safe"
        @OptionGroup var options: DeclarationOptions
    }

    struct Help: PersonDeclaration {
        static let configuration = CommandConfiguration(commandName: "help", abstract: "The person needs help.")
        static let kind = "needsHelp"
        @OptionGroup var options: DeclarationOptions
    }

    struct SOS: PersonDeclaration {
        static let configuration = CommandConfiguration(
            commandName: "sos", abstract: "The person is in danger.")
        static let kind = "sos"
        @OptionGroup var options: DeclarationOptions
    }

    struct OffSite: PersonDeclaration {
        static let configuration = CommandConfiguration(
            commandName: "off-site", abstract: "The person is elsewhere, and nobody needs to look for them.")
        static let kind = "offSite"
        @OptionGroup var options: DeclarationOptions
    }

    struct Clear: PersonDeclaration {
        static let configuration = CommandConfiguration(
            commandName: "clear", abstract: "Clear the declaration about the person: their devices decide again.")
        static let kind = "clear"
        @OptionGroup var options: DeclarationOptions
    }

    struct Acknowledge: PersonDeclaration {
        static let configuration = CommandConfiguration(
            commandName: "acknowledge", abstract: "The person's call for help was received.")
        static let kind = "acknowledge"
        @OptionGroup var options: DeclarationOptions
    }
}

extension PersonCommand {
    struct Ask: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ask",
            abstract: "Request the person's location now, through their push devices and their live feed.")
        @OptionGroup var data: DataOption
        @Argument(help: "The user.") var name: String
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            let body = try await Connection.withServer(over: data.data) { connection in
                try await connection.send("POST", "/users/\(name.segment)/location-request")
            }
            if json { return announce(String(decoding: body, as: UTF8.self)) }
            let question = try JSONDecoder().decode(LocationQuestion.self, from: body)
            announce("Asked \(name); push devices: \(question.pushDevices.count); \(question.lastPosition).")
        }
    }

    struct Asked: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "asked",
            abstract: "Show the state of that request: the channels that it was sent through, and the reports since.")
        @OptionGroup var data: DataOption
        @Argument(help: "The user.") var name: String
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            let body = try await Connection.withServer(over: data.data) { connection in
                let (body, status) = try await connection.exchange("GET", "/users/\(name.segment)/location-request")
                if status == 404 {
                    try await connection.require("user", called: name, in: "/users", remedy: "")
                    throw CommandFailure("no open location request for \(name): muster person ask \(name)")
                }
                guard status == 200 else { throw CommandFailure(problem: body, status: status, of: "/users/\(name)") }
                return body
            }
            if json { return announce(String(decoding: body, as: UTF8.self)) }
            try JSONDecoder().decode(LocationQuestion.self, from: body).lines(about: name).forEach(announce)
        }
    }

    struct Join: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "join",
            abstract: "Join a user that stands for a device to a person's user, which receives its devices.")
        @OptionGroup var data: DataOption
        @Argument(help: "The user that stands for a device; it is removed.") var name: String
        @Option(help: "The person's user.") var to: String
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            let body = try await Connection.withServer(over: data.data) { connection in
                try await connection.send("POST", "/users/\(name.segment)/join", json: ["to": to])
            }
            announce(json ? String(decoding: body, as: UTF8.self) : "\(name) is joined to \(to).")
        }
    }
}

extension PersonCommand {
    struct Declarations: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "declarations",
            abstract: "List the declarations about a person, oldest first: time, kind, author and note.")
        @OptionGroup var options: ReportOptions
        @Argument(help: "The user.") var name: String

        func run() async throws {
            try await options.announceItems(at: "/users/\(name.segment)/declarations") { declaration in
                ["sampleTime", "kind", "author", "note"].map(declaration.words)
            }
        }
    }
}

/// The options of every declaration of `muster person`.
struct DeclarationOptions: ParsableArguments {
    @OptionGroup var data: DataOption
    @Argument(help: "The user.") var name: String
    @Option(help: "A remark for the record.") var note: String?
    @Flag(help: "Print JSON.") var json = false
}

/// A subcommand of `muster person` that declares how a person is.
protocol PersonDeclaration: AsyncParsableCommand {
    static var kind: String { get }
    var options: DeclarationOptions { get }
}

extension PersonDeclaration {
    func run() async throws {
        let declaration = SpokenDeclaration(kind: Self.kind, note: options.note)
        let body = try await Connection.withServer(over: options.data.data) { connection in
            try await connection.send("POST", "/users/\(options.name.segment)/declarations", json: declaration)
        }
        if options.json { return announce(String(decoding: body, as: UTF8.self)) }
        let safety = try JSONDecoder().decode(DeclarationAnswer.self, from: body).safety
        announce("\(options.name)\t\(safety.sentence)")
    }
}

/// A declaration, as the API accepts it.
private struct SpokenDeclaration: Encodable {
    var kind: String
    var note: String?
}

/// The API's response to a declaration.
private struct DeclarationAnswer: Decodable {
    var safety: PersonSafety
}

/// A person's safety, as the API returns it.
struct PersonSafety: Decodable {
    var state: String
    var since: String?
    var source: String?
    var markedBy: String?
    var acknowledgedBy: String?
    var region: Region?
    var doubt: String?

    struct Region: Decodable { var name: String }

    /// The state, since when it holds, and how it is known.
    var sentence: String {
        let words = ["needsHelp": "needs help", "sos": "SOS", "offSite": "off site"]
        let time = since.map { "since \($0)" } ?? "never reported"
        let heard = acknowledgedBy.map { ", acknowledged by \($0)" } ?? ""
        return "\(words[state] ?? state)\t\(time)\t\(known)\(doubtWords)\(heard)"
    }

    private var known: String {
        switch source {
        case "region": "inside \(region?.name ?? "a muster region")"
        case "position": "outside every muster region"
        case "ownDeclaration": "own declaration"
        case "marked": "marked by \(markedBy ?? "")"
        case "checkInTimer": "check-in timer ran out"
        case "seemsToHaveLeft": "seems to have left \(region?.name ?? "the muster region")"
        case "unlocated": "heard, but not where they are"
        case "underReview": "being worked out after an edit"
        default: "no report"
        }
    }

    private var doubtWords: String {
        switch doubt {
        case "checking": ", in doubt: the newest fixes are being checked"
        case "poorAccuracy": ", in doubt: fixes are too inaccurate"
        case "stale": ", in doubt: only the last known"
        default: ""
        }
    }
}

/// A location request, as the API returns it.
private struct LocationQuestion: Decodable {
    struct PushDevice: Decodable { var id: String }
    struct Channel: Decodable {
        var channel: String
        var device: String?
        var at: String
        var outcome: String
        var reason: String?
    }

    var by: String?
    var askedAt: String
    var pushDevices: [PushDevice]
    var channels: [Channel]
    var state: String
    var heardAt: String?
    var lastPositionAt: String?

    var lastPosition: String {
        lastPositionAt.map { "the last position is of \($0)" } ?? "there is no position so far"
    }

    func lines(about name: String) -> [String] {
        let head = "\(by ?? "Someone") asked \(name) at \(askedAt)."
        let sent = channels.map { channel in
            [channel.channel, channel.device ?? "", channel.at, channel.outcome, channel.reason ?? ""]
                .joined(separator: "\t")
        }
        return [head] + (sent.isEmpty ? ["It has not been sent through any channel yet."] : sent) + [outcome(for: name)]
    }

    private func outcome(for name: String) -> String {
        switch state {
        case "answered": "\(name) answered: \(lastPosition)."
        case "heard": "\(name) reported at \(heardAt ?? ""), but without a newer position: \(lastPosition)."
        default: "Nothing was received from \(name) since: \(lastPosition)."
        }
    }
}

import ArgumentParser
import Foundation
import MusterTerminal
import MusterWire

/// `muster person`: what is said of people.
struct PersonCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "person", abstract: "Say how a person is: it stands as marked by whoever the command speaks for.",
        subcommands: [
            Safe.self, Help.self, SOS.self, OffSite.self, Clear.self, Acknowledge.self, Declarations.self, Join.self,
        ])

    struct Safe: PersonDeclaration {
        static let configuration = CommandConfiguration(abstract: "The person is safe.")
        static let kind = "safe"
        @OptionGroup var options: DeclarationOptions
    }

    struct Help: PersonDeclaration {
        static let configuration = CommandConfiguration(abstract: "The person needs help.")
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
            commandName: "off-site", abstract: "The person is elsewhere, and need not be looked for.")
        static let kind = "offSite"
        @OptionGroup var options: DeclarationOptions
    }

    struct Clear: PersonDeclaration {
        static let configuration = CommandConfiguration(
            abstract: "What was said of the person holds no longer: back to what the devices tell.")
        static let kind = "clear"
        @OptionGroup var options: DeclarationOptions
    }

    struct Acknowledge: PersonDeclaration {
        static let configuration = CommandConfiguration(abstract: "The person's call for help was heard.")
        static let kind = "acknowledge"
        @OptionGroup var options: DeclarationOptions
    }
}

extension PersonCommand {
    struct Join: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "A user that stands for a device is the same person as another user, and has its devices.")
        @OptionGroup var data: DataOption
        @Argument(help: "The user that stands for a device; it is gone afterwards.") var name: String
        @Option(help: "The user that the person has.") var to: String
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
            abstract: "List what was said of a person, oldest first: when, what, by whom, and the sentence with it.")
        @OptionGroup var options: ReportOptions
        @Argument(help: "The user.") var name: String

        func run() async throws {
            try await options.announceItems(at: "/users/\(name.segment)/declarations") { declaration in
                ["sampleTime", "kind", "author", "note"].map(declaration.words)
            }
        }
    }
}

/// What every word of `muster person` takes.
struct DeclarationOptions: ParsableArguments {
    @OptionGroup var data: DataOption
    @Argument(help: "The user.") var name: String
    @Option(help: "A sentence with it.") var note: String?
    @Flag(help: "Print JSON.") var json = false
}

/// A word of `muster person`.
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

/// What is said, as the API takes it.
private struct SpokenDeclaration: Encodable {
    var kind: String
    var note: String?
}

/// What the API answers to it.
private struct DeclarationAnswer: Decodable {
    var safety: PersonSafety
}

/// How someone is, as the API tells it.
struct PersonSafety: Decodable {
    var state: String
    var since: String?
    var source: String?
    var markedBy: String?
    var acknowledgedBy: String?
    var region: Region?

    struct Region: Decodable { var name: String }

    /// How, since when, and how that is known.
    var sentence: String {
        let words = ["needsHelp": "needs help", "sos": "SOS", "offSite": "off site"]
        let time = since.map { "since \($0)" } ?? "never heard of"
        let heard = acknowledgedBy.map { ", acknowledged by \($0)" } ?? ""
        return "\(words[state] ?? state)\t\(time)\t\(known)\(heard)"
    }

    private var known: String {
        switch source {
        case "region": "inside \(region?.name ?? "a muster region")"
        case "position": "outside every muster region"
        case "ownDeclaration": "own word"
        case "marked": "marked by \(markedBy ?? "")"
        default: "nothing heard"
        }
    }
}

import ArgumentParser
import Foundation
import MusterServer
import MusterTerminal
import MusterWire

/// The gateway of texts by SMS (docs/sms.md).
struct SMSOptions: ParsableArguments {
    @Option(
        name: .customLong("sms-gateway"),
        help: "The user with the role gateway who posts what people send by SMS. Off by default.")
    var smsGateway: String?
    @Option(
        name: .customLong("twilio-auth-token"),
        help: "A file with the auth token by which Twilio signs what it posts.", completion: .file())
    var twilioAuthToken: String?
    @Option(
        name: .customLong("sms-country"),
        help: "The country code of telephone numbers that have none, such as 34.")
    var smsCountry: String?
    @Option(
        name: .customLong("sms-language"),
        help: "The language of answers to texts that show none, such as SOS: en, es, ja or zh.")
    var smsLanguage = TextLanguage.english.rawValue

    func validate() throws {
        if let smsGateway, !EntityName.isValid(smsGateway) {
            throw ValidationError("--sms-gateway: '\(smsGateway)' is not the name of a user")
        }
        if twilioAuthToken != nil, smsGateway == nil {
            throw ValidationError("--twilio-auth-token needs --sms-gateway, the user who posts what Twilio signs")
        }
        if let smsCountry, smsCountry.wholeMatch(of: /[1-9][0-9]{0,2}/) == nil {
            throw ValidationError("--sms-country: '\(smsCountry)' is not a country code: use its digits, such as 34")
        }
        guard TextLanguage(rawValue: smsLanguage) != nil else {
            throw ValidationError("--sms-language: '\(smsLanguage)' is not en, es, ja or zh")
        }
    }

    /// Reads the file with the token.
    ///
    /// - Throws: `CommandFailure` if it cannot be read, or holds no token.
    func settings() throws -> Configuration.SMS {
        var settings = Configuration.SMS()
        settings.gateway = smsGateway
        settings.country = smsCountry
        settings.language = TextLanguage(rawValue: smsLanguage) ?? .english
        if let twilioAuthToken {
            let bytes = try CommandFailure.bytes(ofFile: twilioAuthToken, "--twilio-auth-token")
            let token = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
            guard (16...128).contains(token.utf8.count), token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw CommandFailure("--twilio-auth-token: \(twilioAuthToken) does not hold one token of Twilio's")
            }
            settings.twilioToken = token
        }
        return settings
    }
}

extension CommandFailure {
    /// The content of a file that an option names.
    ///
    /// - Throws: `CommandFailure` if it cannot be read.
    static func bytes(ofFile path: String, _ option: String) throws -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CommandFailure("\(option): there is no file \(path) that can be read")
        }
        return Array(data)
    }
}

import ArgumentParser
import Foundation
import MusterHTTP
import MusterServer
import MusterTerminal

/// The settings of push services (docs/push.md).
struct PushOptions: ParsableArguments {
    @Option(help: "The contact for push services about this server: a mailto: or https: URL.")
    var pushContact: String?
    @Option(name: .customLong("apns-key"), help: "Apple's .p8 file with the key that signs for APNs.")
    var apnsKey: String?
    @Option(name: .customLong("apns-key-id"), help: "The id of that key, ten characters.") var apnsKeyID: String?
    @Option(name: .customLong("apns-team-id"), help: "The id of the developer team, ten characters.")
    var apnsTeamID: String?
    @Option(name: .customLong("apns-topic"), help: "The app's bundle id.") var apnsTopic: String?
    @Option(name: .customLong("apns-url"), help: "For tests: the address of a stand-in for APNs.") var apnsURL: String?
    @Option(name: .customLong("fcm-account"), help: "The JSON file of the service account that sends by FCM.")
    var fcmAccount: String?
    @Option(name: .customLong("fcm-url"), help: "For tests: the address of a stand-in for FCM.") var fcmURL: String?

    func validate() throws {
        if let pushContact, pushContact.wholeMatch(of: /(mailto:[^@\s]+@[^@\s]+|https:\/\/\S+)/) == nil {
            throw ValidationError("--push-contact: '\(pushContact)' is not of the form mailto:admin@example.org")
        }
        let parts = [apnsKey, apnsKeyID, apnsTeamID, apnsTopic]
        guard parts.allSatisfy({ $0 == nil }) || parts.allSatisfy({ $0 != nil }) else {
            throw ValidationError("--apns-key, --apns-key-id, --apns-team-id and --apns-topic go together")
        }
        for (name, url) in [("--apns-url", apnsURL), ("--fcm-url", fcmURL)] {
            if let url, (try? HTTPAddress(url)) == nil { throw ValidationError("\(name): '\(url)' is not a URL") }
        }
    }

    /// Reads the files that the options name.
    ///
    /// - Throws: `CommandFailure` if a file cannot be read, or its content is not of the kind that the option needs.
    func settings() throws -> PushSettings {
        var settings = PushSettings()
        if let pushContact { settings.contact = pushContact }
        if let apnsKey, let apnsKeyID, let apnsTeamID, let apnsTopic {
            let key = String(decoding: try CommandFailure.bytes(ofFile: apnsKey, "--apns-key"), as: UTF8.self)
            do {
                settings.apns = try APNsCredentials(
                    key: key, keyID: apnsKeyID, teamID: apnsTeamID, topic: apnsTopic, url: apnsURL)
            } catch {
                throw CommandFailure("--apns-key: \(apnsKey) holds no private key of Apple's (a .p8 file)")
            }
        }
        if let fcmAccount {
            let file = try CommandFailure.bytes(ofFile: fcmAccount, "--fcm-account")
            do {
                settings.fcm = try FCMCredentials(file: file, url: fcmURL)
            } catch {
                throw CommandFailure("--fcm-account: \(fcmAccount) \(error.detail)")
            }
        }
        return settings
    }
}

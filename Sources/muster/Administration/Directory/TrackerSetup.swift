import ArgumentParser
import MusterCoding

/// The apps that `muster device setup` sets up.
enum TrackerApp: String, CaseIterable {
    case traccar, overland, gpslogger, ulogger, phonetrack

    /// The names of all apps, as the command takes them.
    static var names: [String] { allCases.map(\.rawValue) }

    /// Reads the name of an app. Capital and small letters are the same.
    ///
    /// - Throws: `ValidationError` for any other text; for an app that another command sets up, its words name it.
    init(named text: String) throws {
        let name = text.lowercased()
        if let app = TrackerApp(rawValue: name) {
            self = app
            return
        }
        switch name {
        case "tak", "atak", "itak", "wintak":
            throw ValidationError("a TAK client gets a certificate: muster tak enroll DEVICE --user NAME --host SERVER")
        case "owntracks":
            throw ValidationError("for OwnTracks: muster device token DEVICE --user NAME --owntracks SERVER")
        default: throw ValidationError("must be one of " + Self.names.joined(separator: ", "))
        }
    }
}

/// What a person enters in a tracker app, or lets it scan, so that it reports to this server.
struct TrackerSetup: Encodable {
    let device: String
    let token: String
    /// The link or text that the app takes as a QR code; nil for an app that takes none.
    let link: String?
    /// The app's settings, in the app's own words and order.
    let settings: [Setting]

    struct Setting: Encodable {
        let name: String
        let value: String
    }

    /// - Parameters:
    ///   - server: the server's address as the phone reaches it.
    ///   - user: the name of the user whose device it is.
    ///   - device: the device's name.
    ///   - token: a token of the device.
    /// - Throws: `CommandFailure` if the address is no http or https address, or too long.
    init(_ app: TrackerApp, server: String, user: String, device: String, token: String) throws {
        self.device = "\(user)/\(device)"
        self.token = token
        let address = try Self.checkedAddress(server, of: app)
        switch app {
        case .traccar:
            // The app takes the address from the code without its query, and its device identifier from `id`.
            link = "\(address)/\(token)?id=\(PercentEncoding.encode(device))"
            settings = [
                Setting(name: "Server URL", value: "\(address)/\(token)"),
                Setting(name: "Device identifier", value: device),
            ]
        case .overland:
            // The app sends the token in `Authorization`, where no log has it.
            let parts = [("url", address), ("token", token), ("device_id", device)]
            link = "overland://setup?" + parts.map { "\($0)=\(PercentEncoding.encode($1))" }.joined(separator: "&")
            settings = [
                Setting(name: "Server URL", value: address), Setting(name: "Device ID", value: device),
                Setting(name: "Access token", value: token),
            ]
        case .gpslogger:
            link = nil
            settings = [
                Setting(name: "URL", value: address), Setting(name: "HTTP Method", value: "POST"),
                Setting(name: "HTTP Body", value: Self.gpsLoggerBody),
                Setting(name: "Basic Authentication, username", value: user),
                Setting(name: "Basic Authentication, password", value: token),
            ]
        case .ulogger:
            link = nil
            settings = [
                Setting(name: "User name", value: user), Setting(name: "Password", value: token),
                Setting(name: "Server URL", value: address), Setting(name: "Live synchronization", value: "on"),
            ]
        case .phonetrack:
            // The app, too, replaces its variables in the address, and posts what is behind `?` as a form.
            link = nil
            settings = [
                Setting(name: "Target address", value: "\(address)?\(Self.gpsLoggerBody)"),
                Setting(name: "Use POST method", value: "on"), Setting(name: "HTTP login", value: user),
                Setting(name: "HTTP password", value: token),
            ]
        }
    }

    /// The fields of a report with GPSLogger's own variables (`CustomUrlManager` in the app's source), which PhoneTrack
    /// has, too (`WebTrackHelper`). The speed is in metres a second, which `spd` says.
    static let gpsLoggerBody =
        "lat=%LAT&lon=%LON&timestamp=%TIMESTAMP&acc=%ACC&alt=%ALT&spd=%SPD&dir=%DIR&batt=%BATT"

    /// The address that the app posts to.
    static func checkedAddress(_ server: String, of app: TrackerApp) throws -> String {
        let path =
            switch app {
            case .traccar, .gpslogger, .phonetrack: "osmand"
            case .overland: "overland"
            case .ulogger: "ulogger"
            }
        return try ServerAddress.checked(server, path: path, longest: OwnTracksConfiguration.longestAddress)
    }
}

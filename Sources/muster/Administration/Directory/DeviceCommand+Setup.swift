import ArgumentParser
import Foundation
import MusterTerminal

/// `muster device setup`.
extension DeviceCommand {
    struct Setup: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "setup",
            abstract: "Create a token for a device, and print how a tracker app reports with it.",
            discussion: """
                The code and the settings hold the token: keep them secret. The device is created if the user has none \
                of that name. `muster device token --owntracks` does the same for OwnTracks, and `muster tak enroll` \
                for ATAK, iTAK and WinTAK.
                """)
        @OptionGroup var data: DataOption
        @OptionGroup var device: DeviceOptions
        @Option(
            help: "The app: \(TrackerApp.names.joined(separator: ", ")).", completion: .list(TrackerApp.names),
            transform: { try TrackerApp(named: $0) })
        var app: TrackerApp
        @Option(help: "The server's address as the phone reaches it: https://…") var server: String
        @Flag(help: #"Print {"device":…,"token":…,"link":…,"settings":[{"name":…,"value":…}]}."#) var json = false

        func run() async throws {
            let address = try TrackerSetup.checkedAddress(server, of: app)
            let made = try await Connection.withServer(over: data.data) { connection in
                try await connection.makeToken(device: device.name, user: device.user)
            }
            let setup = try TrackerSetup(app, server: server, user: device.user, device: device.name, token: made.token)
            if address.hasPrefix("http:") {
                remark("note: over http anyone on the way can read the token. Phones outside need an https address.")
            }
            if json { return announce(try encoded(setup)) }
            if let link = setup.link {
                guard let code = QRCode(Array(link.utf8)) else { throw CommandFailure("no QR code holds the link") }
                showCode(code, orElse: "enter the settings below")
            }
            for setting in setup.settings { announce("\(setting.name): \(setting.value)") }
            let holders = setup.link == nil ? "The settings hold" : "The code and the settings hold"
            remark("\(holders) the token of \(device.user)/\(device.name).")
        }
    }
}

/// Shows a QR code, and warns where the terminal is too narrow for it.
func showCode(_ code: QRCode, orElse advice: String) {
    let isTerminal = isatty(STDOUT_FILENO) == 1
    for line in code.lines(isColoured: isTerminal) { announce(line) }
    var window = winsize()
    if isTerminal, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0,
        Int(window.ws_col) < code.columns
    {
        remark("note: the code is \(code.columns) columns wide; make the terminal wider, or \(advice).")
    }
}

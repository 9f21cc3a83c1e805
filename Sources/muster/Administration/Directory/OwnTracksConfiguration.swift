import Foundation
import MusterCoding
import MusterTerminal

/// The configuration with which an OwnTracks app reports to this server, as a file (`.otrc`) or in a link.
///
/// Source: OwnTracks Booklet, "Remote configuration".
struct OwnTracksConfiguration: Encodable {
    /// The server's address as the phone reaches it, with the path that OwnTracks apps post to.
    let url: String
    let username: String
    let password: String
    let deviceId: String
    /// Two letters that stand for the person on others' maps; nil when the name has none.
    let tid: String?
    /// `configuration`.
    private let type = "configuration"
    /// HTTP.
    private let mode = 3
    /// iPhones send no name without the first, and no password without the second.
    private let auth = true
    private let usePassword = true

    private enum CodingKeys: String, CodingKey {
        case type = "_type"
        case url, username, password, deviceId, tid, mode, auth, usePassword
    }

    /// - Parameters:
    ///   - address: as `checkedAddress` returns it.
    ///   - token: a token of the device.
    init(address: String, user: String, device: String, token: String) {
        url = address
        username = user
        password = token
        deviceId = device
        let letters = user.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }.prefix(2)
        tid = letters.isEmpty ? nil : String(letters)
    }

    /// Bytes that an address may have, so that the link fits into a QR code.
    static let longestAddress = 1_000

    /// The address that OwnTracks apps post to, from the address of the server.
    ///
    /// - Throws: `CommandFailure` if it is no http or https address, or too long.
    static func checkedAddress(_ server: String) throws -> String {
        try ServerAddress.checked(server, path: "owntracks", longest: longestAddress)
    }

    /// The content of the file.
    var json: String { get throws { try encoded(self) } }

    /// The link that an app on the phone opens. The app reads `+` as a space, so it is encoded.
    var link: String { get throws { "owntracks:///config?inline=" + Base64.encode(Array(try json.utf8)).segment } }
}

/// The address of a server as a phone reaches it.
enum ServerAddress {
    /// The address with the path that an app posts to. It may have the path of this or of another app already.
    ///
    /// - Parameter longest: the largest number of bytes of the server's address.
    /// - Throws: `CommandFailure` if it is no http or https address, or too long.
    static func checked(_ server: String, path: String, longest: Int) throws -> String {
        guard let url = URL(string: server), url.scheme == "http" || url.scheme == "https", url.host() != nil,
            url.query() == nil, url.fragment() == nil
        else { throw CommandFailure("'\(server)' is not an http or https address of a server") }
        guard server.utf8.count <= longest else {
            throw CommandFailure("the address has \(server.utf8.count) bytes; \(longest) at most")
        }
        var base = server.hasSuffix("/") ? String(server.dropLast()) : server
        for known in ["/osmand", "/overland", "/owntracks", "/ulogger"] where base.hasSuffix(known) {
            base.removeLast(known.count)
            break
        }
        return "\(base)/\(path)"
    }
}

/// A new file that only its owner may read.
struct PrivateFile {
    let path: String
    private let handle: FileHandle

    /// Creates the file, empty.
    ///
    /// - Throws: `CommandFailure` if a file of that name exists, or it cannot be created.
    init(creating path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        guard descriptor >= 0 else {
            let cause = errno == EEXIST ? "it exists already" : String(cString: strerror(errno))
            throw CommandFailure("\(path) cannot be created: \(cause)")
        }
        self.path = path
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    /// Writes the content and a line break, or removes the file if that fails.
    ///
    /// - Throws: the errors of `content`; `CommandFailure` if the file cannot be written.
    func fill(with content: () async throws -> String) async throws {
        try await fillBytes { Array((try await content() + "\n").utf8) }
    }

    /// Writes bytes, or removes the file if that fails.
    ///
    /// - Throws: the errors of `content`; `CommandFailure` if the file cannot be written.
    func fillBytes(with content: () async throws -> [UInt8]) async throws {
        do {
            let bytes = try await content()
            do {
                try handle.write(contentsOf: Data(bytes))
                try handle.close()
            } catch {
                throw CommandFailure("\(path) cannot be written: \(error.localizedDescription)")
            }
        } catch {
            unlink(path)
            throw error
        }
    }
}

import Foundation
import MusterHTTP
import MusterTerminal

/// The server that a device's command connects to, and the token that the command presents.
enum ServerToken {
    /// Returns the server's address without a slash at its end.
    ///
    /// - Parameter option: the option that names it, for the message.
    /// - Throws: `CommandFailure` for a text that is no address of a server, and for one with a user, a password, a
    ///   query or a fragment. A password in an address would end in logs.
    static func checkedServer(_ text: String, option: String) throws -> String {
        let base = try Connection(base: text, token: "").base
        guard base.user == nil, base.password == nil, base.query == nil, base.fragment == nil else {
            throw CommandFailure("\(option): an address without a user, a password or a query")
        }
        if base.scheme == "http", !["127.0.0.1", "::1", "[::1]", "localhost"].contains(base.host() ?? "") {
            remark("note: over http anyone on the way can read the token")
        }
        return String(base.absoluteString.reversed().drop { $0 == "/" }.reversed())
    }

    /// Returns a function that reads the token from the first line of a file, or else from MUSTER_TOKEN. It reads anew
    /// each time: a token that was replaced in its file is used without a restart.
    static func reader(of path: String?) -> @Sendable () throws -> String {
        let given = ProcessInfo.processInfo.environment["MUSTER_TOKEN"] ?? ""
        return {
            guard let path else {
                guard !given.isEmpty else {
                    throw CommandFailure("there is no token: --token-file names its file, or MUSTER_TOKEN holds it")
                }
                return given
            }
            let text = String(decoding: try InputFile.read(path), as: UTF8.self)
            guard let line = text.split(whereSeparator: \.isNewline).first else {
                throw CommandFailure("\(path) holds no token")
            }
            return line.trimmingCharacters(in: .whitespaces)
        }
    }
}

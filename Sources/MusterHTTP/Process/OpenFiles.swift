import Foundation

/// The limit on files and connections that this process may have open at once.
package enum OpenFiles {
    /// Files reserved for the store, for the server's own outgoing connections, and for the operating system's
    /// libraries.
    private static let reserve = 256
    /// The limit that the process asks for at most. More would be of no use, and some systems set no limit.
    private static let most: rlim_t = 1 << 20

    /// The number needed to start: the store with its readers, event loops, the listening socket, some connections.
    private static let least = 64

    /// Checks that the limit is high enough to start.
    ///
    /// - Throws: `TooFewOpenFiles`, before the server opens any file.
    package static func requireEnough() throws(TooFewOpenFiles) {
        _ = makeRoom()
        guard limit >= least else { throw TooFewOpenFiles(limit: limit, least: least) }
    }

    /// The number of files that the process may have open now.
    package static var limit: Int {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return 1024 }
        return Int(min(limit.rlim_cur, most))
    }

    #if canImport(Darwin)
        private static var resource: Int32 { RLIMIT_NOFILE }
    #else
        private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
    #endif

    /// Raises the limit as far as the process may without privileges, because systems start with a low one meant for
    /// shells.
    ///
    /// - Returns: the number of connections that the limit has room for.
    package static func makeRoom() -> Int {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return 1024 - reserve }
        let wanted = min(limit.rlim_max, most)
        if limit.rlim_cur < wanted {
            var raised = limit
            raised.rlim_cur = wanted
            if setrlimit(resource, &raised) == 0 { limit = raised }
        }
        // Where the limit is low, the reserve is at most half of it.
        let all = Int(min(limit.rlim_cur, most))
        return all - min(reserve, all / 2)
    }
}

/// The process cannot start because the operating system lets it open too few files.
package struct TooFewOpenFiles: Error, CustomStringConvertible {
    let limit: Int
    let least: Int

    /// A sentence that tells the operator what to do.
    package var description: String {
        "this process may open \(limit) files and needs \(least) at least, and one more for each connection: "
            + "raise the limit (ulimit -n, or LimitNOFILE in a unit file of systemd)"
    }
}

import Foundation

/// How many files and connections this process may have open at once.
enum OpenFiles {
    /// What is kept for the store, for what the server itself asks of others, and for what the system opens by itself.
    private static let reserve = 256
    /// More are of no use, and some systems know no limit.
    private static let most: rlim_t = 1 << 20

    /// So many are needed to start: the store with its readers, event loops, the listening socket, some connections.
    private static let least = 64

    /// Makes sure that there are enough to start.
    ///
    /// - Throws: `TooFewOpenFiles`, before the first is opened that would be too many.
    static func requireEnough() throws(TooFewOpenFiles) {
        _ = makeRoom()
        guard limit >= least else { throw TooFewOpenFiles(limit: limit, least: least) }
    }

    /// How many may be open.
    static var limit: Int {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return 1024 }
        return Int(min(limit.rlim_cur, most))
    }

    #if canImport(Darwin)
        private static var resource: Int32 { RLIMIT_NOFILE }
    #else
        private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
    #endif

    /// Raises the limit as far as the process may by itself, as systems begin with one that is made for shells.
    ///
    /// - Returns: how many connections that leaves room for.
    static func makeRoom() -> Int {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return 1024 - reserve }
        let wanted = min(limit.rlim_max, most)
        if limit.rlim_cur < wanted {
            var raised = limit
            raised.rlim_cur = wanted
            if setrlimit(resource, &raised) == 0 { limit = raised }
        }
        // Where there is little, the reserve is a part of it.
        let all = Int(min(limit.rlim_cur, most))
        return all - min(reserve, all / 2)
    }
}

/// Why a process cannot start: the system lets it open too few files.
package struct TooFewOpenFiles: Error, CustomStringConvertible {
    let limit: Int
    let least: Int

    /// What to do about it, in a sentence.
    package var description: String {
        "this process may open \(limit) files and needs \(least) at least, and one more for each connection: "
            + "raise the limit (ulimit -n, or LimitNOFILE in a unit file of systemd)"
    }
}

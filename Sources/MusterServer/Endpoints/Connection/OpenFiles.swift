import Foundation

/// How many files and connections this process may have open at once.
enum OpenFiles {
    /// What is kept for the store, for what the server itself asks of others, and for what the system opens by itself.
    private static let reserve = 256
    /// More are of no use, and some systems know no limit.
    private static let most: rlim_t = 1 << 20

    /// Raises the limit as far as the process may by itself, as systems begin with one that is made for shells.
    ///
    /// - Returns: how many connections that leaves room for.
    static func makeRoom() -> Int {
        #if canImport(Darwin)
            let resource = RLIMIT_NOFILE
        #else
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #endif
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

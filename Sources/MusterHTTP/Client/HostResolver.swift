import Foundation
package import NIOCore
import NIOPosix
import Synchronization

/// Resolves host names to addresses.
package protocol HostResolver: Sendable {
    /// Returns the addresses of a name, or the address that a literal spells out. Never returns an empty list.
    ///
    /// - Throws: `CallError` when there is no address.
    func addresses(of host: String, port: Int) async throws -> [SocketAddress]
}

/// Resolves names by the operating system, on threads of its own because the call blocks. Simultaneous requests for the
/// same name share one call.
package final class SystemResolver: HostResolver {
    private let threads: NIOThreadPool
    private let underWay = Mutex<[String: Task<[SocketAddress], any Error>]>([:])

    package init() {
        threads = NIOThreadPool(numberOfThreads: 8)
        threads.start()
    }

    deinit { threads.shutdownGracefully { _ in } }

    package func addresses(of host: String, port: Int) async throws -> [SocketAddress] {
        let key = "\(host) \(port)"
        let lookup = underWay.withLock { underWay in
            if let lookup = underWay[key] { return lookup }
            let lookup = Task { [threads] in
                try await threads.runIfActive { try Self.lookUp(host, port) }
            }
            underWay[key] = lookup
            return lookup
        }
        defer { _ = underWay.withLock { $0.removeValue(forKey: key) } }
        return try await lookup.value
    }

    /// - Parameter isLiteral: whether the host must be a literal address, so that no name server is asked.
    package static func lookUp(_ host: String, _ port: Int, isLiteral: Bool = false) throws -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        if isLiteral { hints.ai_flags = AI_NUMERICHOST }
        var first: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, String(port), &hints, &first)
        guard status == 0 else {
            throw CallError.unreachable("the name was not found (\(String(cString: gai_strerror(status))))")
        }
        defer { freeaddrinfo(first) }
        var addresses: [SocketAddress] = []
        var next = first
        while let entry = next?.pointee {
            next = entry.ai_next
            guard let address = entry.ai_addr else { continue }
            switch entry.ai_family {
            case AF_INET:
                address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    addresses.append(SocketAddress($0.pointee, host: host))
                }
            case AF_INET6:
                address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                    addresses.append(SocketAddress($0.pointee, host: host))
                }
            default: continue
            }
        }
        guard !addresses.isEmpty else { throw CallError.unreachable("the name has no address") }
        return addresses
    }
}

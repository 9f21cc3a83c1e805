import Foundation

#if canImport(Darwin)
    import var Darwin.SO_NOSIGPIPE
#endif

/// A connection to a Bluetooth controller that carries H4 packets. It belongs to one thread.
final class ControllerConnection {
    /// Which controller a connection is made to.
    enum Target: Hashable, Sendable {
        /// A virtual controller that exchanges H4 packets over TCP.
        case tcp(host: String, port: UInt16)
        /// An adapter of this machine, by its number: 0 for `hci0`.
        case adapter(UInt16)

        /// Whether this program alone uses the controller; false for an adapter that the operating system uses too.
        var isOwn: Bool {
            switch self {
            case .tcp: true
            case .adapter: false
            }
        }

        var name: String {
            switch self {
            case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
            case .adapter(let number): "hci\(number)"
            }
        }
    }

    private let descriptor: Int32
    private let target: Target
    private static let connectSeconds = 10.0

    /// Connects. This blocks the thread for at most 10 seconds per address.
    init(to target: Target) throws(RadioError) {
        self.target = target
        switch target {
        case .tcp(let host, let port): descriptor = try Self.openStream(host, port, name: target.name)
        case .adapter(let number): descriptor = try Self.openAdapter(number, name: target.name)
        }
    }

    deinit { close(descriptor) }

    /// Waits for bytes.
    ///
    /// - Returns: the bytes that arrived; empty when none arrived within the time.
    func read(seconds: Double) throws(RadioError) -> [UInt8] {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let ready = poll(&waiting, 1, Int32(seconds * 1000))
        guard ready != 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = ready < 0 ? -1 : recv(descriptor, &bytes, bytes.count, 0)
        if count < 0 {
            if errno == EINTR || errno == EAGAIN { return [] }
            throw fault(errno)
        }
        guard count > 0 else { throw .ended(controller: target.name) }
        return Array(bytes.prefix(count))
    }

    /// Sends a packet. It must be small enough for the socket to accept it whole: a partial write is an error.
    func write(_ packet: [UInt8]) throws(RadioError) {
        #if canImport(Glibc) || canImport(Musl)
            let flags = Int32(MSG_NOSIGNAL)
        #else
            let flags: Int32 = 0
        #endif
        guard send(descriptor, packet, packet.count, flags) == packet.count else { throw fault(errno) }
    }

    private func fault(_ code: Int32) -> RadioError {
        switch target {
        case .tcp: .ended(controller: target.name)
        case .adapter: Self.adapterFault(code, name: target.name)
        }
    }

    // MARK: A virtual controller

    private static func openStream(_ host: String, _ port: UInt16, name: String) throws(RadioError) -> Int32 {
        var hints = addrinfo()
        #if canImport(Glibc)
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
        var found: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, String(port), &hints, &found)
        guard status == 0 else { throw .unreachable(address: name, cause: String(cString: gai_strerror(status))) }
        defer { freeaddrinfo(found) }
        var cause = ECONNREFUSED
        var next = found
        while let address = next?.pointee {
            let descriptor = socket(address.ai_family, address.ai_socktype, address.ai_protocol)
            if descriptor >= 0 {
                if let failure = failureToConnect(descriptor, address) {
                    cause = failure
                    close(descriptor)
                } else {
                    return descriptor
                }
            }
            next = address.ai_next
        }
        throw .unreachable(address: name, cause: String(cString: strerror(cause)))
    }

    /// Connects a socket, and returns the error's number; nil once it is connected.
    private static func failureToConnect(_ descriptor: Int32, _ address: addrinfo) -> Int32? {
        #if canImport(Darwin)
            var one: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &one, socklen_t(MemoryLayout<Int32>.size))
        #endif
        let flags = fcntl(descriptor, F_GETFL)
        guard fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0 else { return errno }
        if connect(descriptor, address.ai_addr, address.ai_addrlen) != 0 {
            guard errno == EINPROGRESS else { return errno }
            var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            guard poll(&waiting, 1, Int32(connectSeconds * 1000)) == 1 else { return ETIMEDOUT }
            var failure: Int32 = 0
            var size = socklen_t(MemoryLayout<Int32>.size)
            guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &failure, &size) == 0 else { return errno }
            guard failure == 0 else { return failure }
        }
        return fcntl(descriptor, F_SETFL, flags) == 0 ? nil : errno
    }

    // MARK: An adapter of Linux

    /// Opens an adapter's raw channel, which leaves the adapter usable by the operating system.
    ///
    /// Source: BlueZ's `hci.h`; the numbers are the kernel's, which its C headers do not have.
    private static func openAdapter(_ number: UInt16, name: String) throws(RadioError) -> Int32 {
        #if os(Linux)
            let (family, protocolHCI, optionsHCI, filterHCI): (Int32, Int32, Int32, Int32) = (31, 1, 0, 2)
            let closeOnExec = Int32(SOCK_CLOEXEC.rawValue)
            let descriptor = socket(family, Int32(SOCK_RAW.rawValue) | closeOnExec, protocolHCI)
            guard descriptor >= 0 else { throw adapterFault(errno, name: name) }
            // The filter passes event packets (type 4) with all event codes; opcode 0 does not restrict them to one
            // command's.
            var filter: [UInt32] = [1 << 4, .max, .max, 0]
            let filterSize = socklen_t(filter.count * MemoryLayout<UInt32>.size)
            // The family, the adapter's number, and 0 for the raw channel, each in 16 bits of this machine's order.
            var address: [UInt16] = [UInt16(family), number, 0]
            let addressSize = socklen_t(address.count * MemoryLayout<UInt16>.size)
            let isBound = address.withUnsafeMutableBytes { bytes in
                guard let start = bytes.baseAddress else { return false }
                return bind(descriptor, start.assumingMemoryBound(to: sockaddr.self), addressSize) == 0
            }
            guard setsockopt(descriptor, optionsHCI, filterHCI, &filter, filterSize) == 0, isBound else {
                let code = errno
                close(descriptor)
                throw adapterFault(code, name: name)
            }
            return descriptor
        #else
            throw .noBluetooth
        #endif
    }

    static func adapterFault(_ code: Int32, name: String) -> RadioError {
        switch code {
        case EAFNOSUPPORT, EPROTONOSUPPORT, EPFNOSUPPORT: .noBluetooth
        case EPERM, EACCES: .notAllowed(adapter: name)
        case ENODEV: .noAdapter(name)
        case ENETDOWN: .adapterOff(name)
        default: .refused(controller: name, cause: String(cString: strerror(code)))
        }
    }
}

import NIOCore
import NIOPosix

/// The reason why a server cannot listen at an address, with the command-line option that sets another one.
package struct ListeningError: Error, CustomStringConvertible {
    /// One sentence without a full stop.
    package let description: String

    /// Maps an error of binding a socket; nil for an error that has nothing to do with the address.
    ///
    /// - Parameter option: the command-line option that sets the port.
    package init?(_ error: any Error, host: String, port: Int, option: String = "--port") {
        switch (error, (error as? IOError)?.errnoCode) {
        case (_, EADDRINUSE?):
            description = "port \(port) of \(host) is taken by another program: name another with \(option)"
        case (_, EADDRNOTAVAIL?): description = "\(host) is no address of this machine: name one with --host"
        case (_, EACCES?):
            description = "the operating system lets this user open no port \(port): name another with \(option)"
        case (is SocketAddressError, _):
            description = "\(host) is no name or address of this machine: name one with --host"
        default: return nil
        }
    }

    /// Listens at an address for a moment.
    ///
    /// - Throws: `ListeningError`, or the error of the operating system for another reason.
    package static func check(host: String, port: Int, option: String = "--port") async throws {
        do {
            let channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .bind(host: host, port: port).get()
            try await channel.close()
        } catch {
            throw ListeningError(error, host: host, port: port, option: option) ?? error
        }
    }
}

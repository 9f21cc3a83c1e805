package import Hummingbird
import Logging
import MusterCoding
package import MusterCore
import MusterHTTP
import NIOCore

/// The context of a request: the address it comes from and, once authenticated, its principal.
package struct AppRequestContext: RequestContext {
    /// Hummingbird's own data of the request.
    package var coreContext: CoreRequestContextStorage
    /// The client's address without a port; empty where unknown. Behind a trusted proxy, the address that the proxy
    /// states.
    package let remoteAddress: String
    /// The connection that the request arrived on.
    package let channel: any Channel
    /// The proof that identifies the sender; nil on routes that admit anyone.
    package var proof: (any RequestProof)?
    /// The authenticated principal; nil on routes that admit anyone.
    package var principal: Principal?
    /// The link whose token authenticated the request; nil on routes that admit no links.
    package var link: Link?

    package init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
        remoteAddress = RequestWork.current?.address ?? channel.remoteAddress?.ipAddress ?? ""
    }

    /// The author for the audit log; nil on routes that admit anyone.
    package var author: Author? { principal.map { Author($0) } }

    /// The rights of the principal.
    ///
    /// - Throws: `Problem.unauthorized` on a route that admits anyone.
    package func access(in directory: Directory) throws(Problem) -> Access {
        guard let principal else { throw .unauthorized }
        return Access(principal, in: directory)
    }

    /// A part of the path, percent-decoded.
    ///
    /// - Throws: `Problem.notFound` when it is not UTF-8.
    package func parameter(_ name: String) throws(Problem) -> String {
        guard let raw = parameters[name[...]], let text = PercentEncoding.decode(raw) else { throw .notFound }
        return text
    }

    /// Whether this machine opened the connection to itself, whatever a proxy states about its client.
    package var isFromLoopback: Bool {
        [channel.remoteAddress, channel.localAddress].allSatisfy { address in
            guard let text = address?.ipAddress else { return false }
            return text == "::1" || text.hasPrefix("127.") || text.hasPrefix("::ffff:127.")
        }
    }

    /// Logs an unexpected error. At the level `error` logs only its type, because its text may reveal private data.
    package func log(_ error: any Error) {
        // A phone often loses its connection while it sends. The server then has nobody to answer.
        if !(error is BrokenOffRequest) {
            logger.error("request failed", metadata: ["error": "\(type(of: error))"])
        }
        logger.debug("request failed", metadata: ["error": "\(error)"])
    }
}

package import Hummingbird
import Logging
import MusterCore
import NIOCore

/// What is known of a request beside itself: where it comes from, and, once proved, whose it is.
package struct AppRequestContext: RequestContext {
    /// What Hummingbird keeps of a request.
    package var coreContext: CoreRequestContextStorage
    /// Where it comes from, without a port; empty where that is not known. Behind a trusted proxy, the client's own.
    package let remoteAddress: String
    /// The connection that it came over.
    let channel: any Channel
    /// Who asks; nil on routes that admit anyone.
    package var principal: Principal?

    /// The context of a request that has just come.
    package init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
        remoteAddress = RequestWork.current?.address ?? channel.remoteAddress?.ipAddress ?? ""
    }

    /// Who asks, for the audit log; nil on routes that admit anyone.
    var author: Author? { principal.map { Author($0) } }

    /// The rights of whoever asks.
    ///
    /// - Throws: `Problem.unauthorized` on a route that admits anyone.
    func access(in directory: Directory) throws(Problem) -> Access {
        guard let principal else { throw .unauthorized }
        return Access(principal, in: directory)
    }

    /// A part of the path, percent-decoded.
    ///
    /// - Throws: `Problem.notFound` when it is not UTF-8.
    func parameter(_ name: String) throws(Problem) -> String {
        guard let raw = parameters[name[...]], let text = PercentEncoding.decode(raw) else { throw .notFound }
        return text
    }

    /// Whether the connection is from this machine to itself, whatever a proxy says of its clients.
    var isFromLoopback: Bool {
        [channel.remoteAddress, channel.localAddress].allSatisfy { address in
            guard let text = address?.ipAddress else { return false }
            return text == "::1" || text.hasPrefix("127.") || text.hasPrefix("::ffff:127.")
        }
    }

    /// Notes an error that nobody foresaw: its type, as its text may tell what is none of the log's business.
    func log(_ error: any Error) {
        // Phones go out of reach in the middle of what they send, and nobody waits for the answer.
        if !(error is BrokenOffRequest) {
            logger.error("request failed", metadata: ["error": "\(type(of: error))"])
        }
        logger.debug("request failed", metadata: ["error": "\(error)"])
    }
}

import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOTLS

/// Why a call received no answer.
package enum CallError: Error, Hashable, Sendable {
    /// The target could not be reached, or the connection broke; with a reason for people.
    case unreachable(String)
    /// The target closed a reused connection before it answered anything.
    case stale

    /// Describes an error for people, without the parts of a URL that may be secret.
    package init(_ error: any Error) {
        switch error {
        case let fault as CallError: self = fault
        case let error as IOError: self = .unreachable(String(cString: strerror(error.errnoCode)))
        case ChannelError.connectTimeout: self = .unreachable("it did not accept in time")
        case is NIOSSLError, is NIOSSLExtraError:
            self = .unreachable("TLS failed: \(String("\(error)".prefix(160)))")
        case is HTTPParserError: self = .unreachable("it did not speak HTTP")
        case is ChannelError: self = .unreachable("the connection broke off")
        default: self = .unreachable(String("\(error)".prefix(160)))
        }
    }
}

/// The answer to a call.
package struct CallAnswer: Hashable, Sendable {
    package let status: Int
    /// The seconds that `Retry-After` asks for, whether given in seconds or as a date.
    package let retryAfterSeconds: Double?
}

/// A request and the promise of its answer.
struct CheckedExchange: Sendable {
    let head: HTTPRequestHead
    let body: ByteBuffer
    let deadline: NIODeadline
    let answer: EventLoopPromise<CallAnswer>
}

/// The end of a connection's pipeline. Runs one exchange after another. It counts and drops the body of an answer, and
/// closes the connection where the body is too long. Between exchanges the connection stays open for a while.
final class CheckedExchangeHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundIn = CheckedExchange
    typealias OutboundOut = HTTPClientRequestPart

    static let bodyLimitBytes = 64 << 10
    static let idleSeconds: Int64 = 30

    private let ready: EventLoopPromise<Void>
    private let isEncrypted: Bool
    private var current: CheckedExchange?
    private var head: HTTPResponseHead?
    private var bodyBytes = 0
    private var served = 0
    private var timer: Scheduled<Void>?

    /// - Parameter ready: succeeds once requests may be written, with TLS after the handshake; fails where that never
    ///   happens.
    init(ready: EventLoopPromise<Void>, isEncrypted: Bool) {
        self.ready = ready
        self.isEncrypted = isEncrypted
    }

    func channelActive(context: ChannelHandlerContext) {
        if !isEncrypted { ready.succeed() }
        context.fireChannelActive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent { ready.succeed() }
        context.fireUserInboundEventTriggered(event)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        ready.fail(CallError.unreachable("the connection broke off"))
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let exchange = unwrapOutboundIn(data)
        timer?.cancel()
        guard context.channel.isActive else {
            exchange.answer.fail(CallError.stale)
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        current = exchange
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleTask(deadline: exchange.deadline) {
            let (handler, context) = bound.value
            handler.fail(.unreachable("it did not answer in time"), context)
        }
        context.write(wrapOutboundOut(.head(exchange.head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(exchange.body))), promise: nil)
        context.write(wrapOutboundOut(.end(nil)), promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            bodyBytes = 0
        case .body(let part):
            bodyBytes += part.readableBytes
            if bodyBytes > Self.bodyLimitBytes { finish(keepingAlive: false, context) }
        case .end: finish(keepingAlive: head?.isKeepAlive ?? false, context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { fail(CallError(error), context) }

    func channelInactive(context: ChannelHandlerContext) {
        fail(served > 0 && head == nil ? .stale : .unreachable("the connection broke off"), context)
        context.fireChannelInactive()
    }

    private func finish(keepingAlive: Bool, _ context: ChannelHandlerContext) {
        timer?.cancel()
        guard let exchange = current, let head else { return context.close(promise: nil) }
        current = nil
        self.head = nil
        served += 1
        if keepingAlive {
            let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
            timer = context.eventLoop.scheduleTask(in: .seconds(Self.idleSeconds)) { bound.value.close(promise: nil) }
        } else {
            context.close(promise: nil)
        }
        exchange.answer.succeed(
            CallAnswer(
                status: Int(head.status.code),
                retryAfterSeconds: head.headers.first(name: "retry-after").flatMap(RetryAfter.seconds)))
    }

    private func fail(_ fault: CallError, _ context: ChannelHandlerContext) {
        timer?.cancel()
        ready.fail(fault)
        current?.answer.fail(fault)
        current = nil
        context.close(promise: nil)
    }
}

/// The field `Retry-After` (RFC 9110, section 10.2.3).
enum RetryAfter {
    /// The seconds from now; nil when the text is neither a number nor a date.
    static func seconds(_ text: String) -> Double? { seconds(text, now: Date()) }

    static func seconds(_ text: String, now: Date) -> Double? {
        if let seconds = UInt32(text) { return Double(seconds) }
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.date(from: text).map { max(0, $0.timeIntervalSince(now)) }
    }
}

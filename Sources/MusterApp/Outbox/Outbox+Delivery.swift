import Foundation

extension Outbox {
    /// How far an order has come.
    struct Delivery: Hashable, Sendable, Identifiable {
        var order: Order
        var state: State
        /// When it came so far, by the server's clock.
        var at: Date
        /// Whether it would be lost with the process, because the store did not take it.
        var isUnkept = false
        /// The number of the log that holds what the server took; nil where its answer does not say it.
        var sequence: Int64?

        var id: String { order.id }

        enum State: Hashable, Sendable {
            /// Counted down before it is sent; it can be cancelled.
            case counting
            case sending
            /// An attempt failed, and is repeated.
            case failed(Failure)
            case received(isLate: Bool)
            case refused(Refusal)
            case cancelled
        }

        /// Why an attempt failed.
        enum Failure: Hashable, Sendable {
            /// No answer, or one that asks to wait; with the server's reason, where it gave one.
            case away(reason: String?)
            /// The server does not accept the person's credentials.
            case signInNeeded
        }

        /// Why the server did not take an order.
        enum Refusal: Hashable, Sendable {
            case said(String)
            /// It does not believe the time at which this was said, and as of now it may not count.
            case time
        }

        /// Whether nothing more becomes of it.
        var isOver: Bool {
            switch state {
            case .received, .refused, .cancelled: true
            case .counting, .sending, .failed: false
            }
        }
    }
}

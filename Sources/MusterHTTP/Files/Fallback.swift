package import Hummingbird

/// Answers requests that match no route, such as those for files.
package protocol Fallback: Sendable {
    /// Returns the answer; nil when the fallback has none.
    func respond(to request: Request) -> Response?
}

package import MusterCore
import MusterHTTP

/// Counts a request's work for its user.
extension RequestWork {
    /// Sets the request's authenticated user. A leader or an admin may have more reads waiting.
    package func identify(_ user: User) {
        setClient(
            Client(
                number: user.number.rawValue, name: user.name, hasPriority: [.admin, .leader].contains(user.role)))
    }
}

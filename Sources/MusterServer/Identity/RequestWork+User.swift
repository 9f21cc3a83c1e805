package import MusterCore
import MusterHTTP

extension RequestWork {
    /// Sets whose request it is, once that is proved.
    package func identify(_ user: User) {
        setClient(
            Client(
                number: user.number.rawValue, name: user.name, hasPriority: [.admin, .leader].contains(user.role)))
    }
}

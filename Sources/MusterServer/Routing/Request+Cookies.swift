import HTTPTypes
package import Hummingbird

extension Request {
    /// Returns the value of a cookie; nil if the request has no such cookie.
    package func cookie(_ name: String) -> String? {
        for field in headers[values: .cookie] {
            for pair in field.split(separator: ";") {
                let parts = pair.split(separator: "=", maxSplits: 1)
                if parts.count == 2, parts[0].drop(while: { $0 == " " }) == name, !parts[1].isEmpty {
                    return String(parts[1])
                }
            }
        }
        return nil
    }
}

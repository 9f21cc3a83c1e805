package import Foundation
import MusterCoding

/// An error whose sentence a command prints before it ends with status 1.
package struct CommandFailure: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }

    /// Makes the failure from a problem document (RFC 9457), with every fault and its place. For status 404 the
    /// sentence names what is missing, or else the path.
    package init(problem: Data, status: Int, of path: String = "") {
        struct Problem: Decodable {
            struct Fault: Decodable {
                var pointer: String?
                var detail: String
            }
            var title: String?
            var detail: String?
            var errors: [Fault]?
        }
        guard let problem = try? JSONDecoder().decode(Problem.self, from: problem) else {
            self.init("the server answered with status \(status)")
            return
        }
        let faults = (problem.errors ?? []).map { "\n  \($0.pointer.map { $0 + ": " } ?? "")\($0.detail)" }
        let place = String(path.prefix { $0 != "?" })
        if status == 404, problem.detail == nil, !place.isEmpty {
            self.init(Self.missing(at: place) ?? "the server has no \(PercentEncoding.decode(place) ?? place)")
            return
        }
        self.init((problem.detail ?? problem.title ?? "status \(status)") + faults.joined())
    }

    /// What a path of the API's names where nothing is; nil where the path alone does not tell.
    private static func missing(at path: String) -> String? {
        let parts = path.split(separator: "/").map { PercentEncoding.decode(String($0)) ?? String($0) }
        guard parts.count > 1, parts[0] == "users" else { return nil }
        let (ofUser, ofDevice) = (["devices", "declarations", "password"], ["token", "certificate", "enrollment"])
        if parts.count == 2 || (parts.count == 3 && ofUser.contains(parts[2])) {
            return "there is no user '\(parts[1])'"
        }
        guard parts[2] == "devices", parts.count == 4 || (parts.count == 5 && ofDevice.contains(parts[4])) else {
            return nil
        }
        return "there is no device '\(parts[3])' of a user '\(parts[1])'"
    }
}

import MusterCore

/// The `id` of an object among all objects of the server: its type, a colon, and its name in Muster's other APIs.
enum GlobalID: Hashable, Sendable {
    case person(String)
    case team(String)
    case crew(String, of: String)
    case device(String, of: String)
    case region(String, of: String)
    case incident(IncidentNumber)

    /// Reads an id; nil for a text that is none.
    init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[1].isEmpty else { return nil }
        let name = String(parts[1])
        let path = name.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        switch (parts[0], path.count) {
        case ("Person", _): self = .person(name)
        case ("Team", _): self = .team(name)
        case ("Crew", 2): self = .crew(path[1], of: path[0])
        case ("Device", 2): self = .device(path[1], of: path[0])
        case ("Region", 2): self = .region(path[1], of: path[0])
        case ("Incident", _):
            guard let number = Int32(name), number > 0, "\(number)" == name else { return nil }
            self = .incident(IncidentNumber(number))
        default: return nil
        }
    }

    var text: String {
        switch self {
        case .person(let name): "Person:\(name)"
        case .team(let name): "Team:\(name)"
        case .crew(let name, let team): "Crew:\(team)/\(name)"
        case .device(let name, let owner): "Device:\(owner)/\(name)"
        case .region(let id, let collection): "Region:\(collection)/\(id)"
        case .incident(let number): "Incident:\(number.rawValue)"
        }
    }
}

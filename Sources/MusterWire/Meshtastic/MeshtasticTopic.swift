/// A topic to which a Meshtastic radio publishes the packets that it hears of its mesh: `msh`, further levels that its
/// owner chose (the region, often), `2`, and then the kind of the message.
///
/// Source: https://meshtastic.org/docs/software/integrations/mqtt
package enum MeshtasticTopic: Hashable, Sendable {
    /// `…/2/json/CHANNEL/RADIO`: a packet of the mesh as JSON. The radio in the topic is the one that publishes, and
    /// not the one that the packet is from.
    case json
    /// A topic with the same packets in another form (`e`, `c`), or about the radio itself (`stat`, `map`).
    case other

    private static let others: Set<Substring> = ["e", "c", "stat", "map"]

    /// Reads the name of a topic; nil for any other.
    package init?(_ name: String) {
        let levels = name.split(separator: "/", omittingEmptySubsequences: false)
        guard levels.count >= 4, levels[0] == "msh" else { return nil }
        for version in 1..<levels.count - 1 where levels[version] == "2" {
            let kind = levels[version + 1]
            if kind == "json", levels.count == version + 4 {
                self = .json
                return
            }
            if Self.others.contains(kind) {
                self = .other
                return
            }
        }
        return nil
    }
}

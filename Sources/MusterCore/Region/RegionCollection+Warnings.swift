extension RegionCollection {
    /// The key of the tag that marks a collection of official warnings. Its value is the number of the team that they
    /// are for. Clients can set no tag that begins with `muster:`.
    public static let warningTag = "muster:warnings"

    /// Whether the server itself keeps the regions, as a feed of official warnings has them. No user edits them, and
    /// none is a muster region, whatever rules say.
    public var isOfWarnings: Bool { particulars.tags[Self.warningTag] != nil }
}

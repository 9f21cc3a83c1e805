/// The states that declarations can put a person in.
public enum DeclaredStatus: UInt8, Hashable, Sendable, CaseIterable {
    case nothing, safe, offSite, needsHelp, sos
}

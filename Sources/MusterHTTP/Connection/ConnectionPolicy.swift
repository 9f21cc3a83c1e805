/// The decisions of a server about requests whose route is not known yet.
package struct ConnectionPolicy: Sendable {
    /// Whether the header field `X-HTTP-Method-Override` replaces POST at a path.
    package var allowsMethodOverride: @Sendable (_ path: String) -> Bool
    /// Makes the JSON body of a refusal from a reason for people.
    package var refusalBody: @Sendable (_ reason: String) -> [UInt8]

    /// Makes a policy; by default no method is overridden, and refusals have no body.
    package init(
        allowsMethodOverride: @escaping @Sendable (_ path: String) -> Bool = { _ in false },
        refusalBody: @escaping @Sendable (_ reason: String) -> [UInt8] = { _ in [] }
    ) {
        self.allowsMethodOverride = allowsMethodOverride
        self.refusalBody = refusalBody
    }
}

package import MusterServer
import MusterWire

/// The rules of Amazon EventBridge, in its own protocol, over the only event bus, `default`.
package struct EventsService: AmazonJSONService {
    let coordinator: StoreCoordinator

    package init(coordinator: StoreCoordinator) { self.coordinator = coordinator }

    package var targetPrefix: String { "AWSEvents" }
    package var signingName: String { "events" }

    /// The only event bus.
    static let bus = "default"

    package func respond(to call: AmazonJSONCall) async throws -> [UInt8] {
        let principal = try call.principal
        let fields = try EventsFields(call.body)
        try admit(principal, to: call.operation)
        let author = Author(principal)
        let answer: JSONValue
        switch call.operation {
        case "PutRule": answer = try await putRule(fields, by: author)
        case "DescribeRule": answer = try describeRule(fields)
        case "ListRules": answer = try listRules(fields)
        case "EnableRule": answer = try await setEnabled(true, fields, by: author)
        case "DisableRule": answer = try await setEnabled(false, fields, by: author)
        case "DeleteRule": answer = try await deleteRule(fields, by: author)
        case "PutTargets": answer = try await putTargets(fields, by: author)
        case "RemoveTargets": answer = try await removeTargets(fields, by: author)
        case "ListTargetsByRule": answer = try listTargets(fields)
        case "ListRuleNamesByTarget": answer = try listRuleNames(fields)
        case "TestEventPattern": answer = try testEventPattern(fields)
        case "PutEvents": answer = try await putEvents(fields, by: author)
        default: throw AmazonError.unknownOperation(call.operation)
        }
        return answer.bytes
    }

    /// A leader may read the rules and test a pattern. Only an admin may change rules and post events.
    private func admit(_ principal: Principal, to operation: String) throws(AmazonError) {
        let isLooking =
            operation.hasPrefix("List") || operation.hasPrefix("Describe") || operation == "TestEventPattern"
        let access = Access(principal, in: coordinator.directory)
        guard isLooking ? access.mayReadRules : access.mayChangeRules else {
            throw .denied("You are not authorized to perform events:\(operation).")
        }
    }
}

extension AmazonError {
    /// The error for an invalid rule.
    init(mapping fault: RuleError) {
        switch fault {
        case .noRule: self.init(400, "ResourceNotFoundException", fault.description)
        case .noTarget: self.init(400, "ResourceNotFoundException", fault.description)
        case .tooManyRules, .tooManyTargets: self.init(400, "LimitExceededException", fault.description)
        case .pattern, .safetyPattern: self.init(400, "InvalidEventPatternException", fault.description)
        case .hasTargets, .input, .safetyTakesNoInput: self = .validation(fault.description, .other)
        }
    }
}

import Foundation
import Hummingbird
import MusterCore
import MusterServer
import MusterStore
import MusterWire

/// Routes that change and remove a target, rotate its secret, and send it a test event.
extension TargetRoutes {
    func addTargetChanges(to routes: inout RouteTable) {
        let target = "\(Self.targets)/{target}"
        routes.add(
            Route(
                .patch, target, admits: Self.admins,
                .init(
                    "Targets",
                    "Change a target: its URL, all of its headers, to whom it sends texts, whether it is enabled or "
                        + "run by hand.",
                    body: Self.json("TargetPatch"), answers: [.init(200, "The target.", json: "Target")]),
                handler: changeTarget))
        routes.add(
            Route(
                .delete, target, admits: Self.admins,
                .init(
                    "Targets", "Remove a target, its waiting deliveries and its entries in rules.",
                    answers: [.init(204, "Gone.")]), handler: removeTarget))
        routes.add(
            Route(
                .post, "\(target)/secret", admits: Self.admins,
                .init(
                    "Targets", "Replace a webhook's secret. The previous one stays valid for some hours.",
                    query: [
                        .init(
                            "hours", "The number of hours for which the previous secret stays valid.",
                            schema: #"{"type":"integer","minimum":0,"maximum":720,"default":24}"#)
                    ], answers: [.init(200, "The new secret. The server shows it only once.", json: "NewSecret")]),
                handler: rotateSecret))
        routes.add(
            Route(
                .post, "\(target)/test", admits: Self.admins,
                .init(
                    "Targets", "Send a test event to a target.",
                    answers: [.init(202, "On its way.", json: "SentEvent")]), handler: sendTest))
    }

    private func changeTarget(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        var fields = try await Fields(request)
        let isEnabled = fields.boolean("enabled")
        let isByHand = fields.boolean("byHand")
        let url = url(from: &fields)
        let headers = headers(from: &fields)
        let texts = TextsPatch(from: &fields, in: coordinator.directory)
        try fields.finish()
        let (vault, now) = (vault, configuration.now())
        let target = try await coordinator.edit(by: context.author) { directory, draft in
            var target = try namedTarget(context, in: directory)
            if isByHand == true, target.kind == .sms { throw Problem.invalid("/byHand", Self.textsAreSentAtOnce) }
            if let isEnabled { target.isEnabled = isEnabled }
            // Deliveries that already wait were meant to be sent at once.
            if let isByHand, isByHand != (target.mode != .atOnce) {
                target.mode = isByHand ? .byHand(through: coordinator.lastDelivery.rawValue) : .atOnce
            }
            draft.edits = [.putTarget(target)]
            guard url != nil || headers != nil || !texts.isEmpty else { return target }
            guard target.kind != .log else { throw Problem.invalid("/url", "the log has no URL and no headers") }
            guard var settings = try Self.settings(of: target, in: draft, openedBy: vault) else {
                throw Problem.notFound
            }
            if let url { settings.url = url }
            if let headers { settings.fields = headers }
            if !texts.isEmpty {
                guard settings.texts != nil else {
                    throw Problem.invalid("/gateway", "only a target of the kind sms has a gateway and recipients")
                }
                settings.texts = settings.texts.map { texts.applied(to: $0) }
                if settings.texts?.gateway == .twilio, settings.texts?.sender == nil {
                    throw Problem.invalid("/from", "is required by Twilio")
                }
            }
            draft.credentials = [settings.credential(of: target.number, sealedBy: vault, at: now)]
            return target
        }
        dispatcher.follow(target.number)
        return try await response(.ok, target)
    }

    /// The settings of a target within a transaction.
    private static func settings(
        of target: Target, in draft: Draft, openedBy vault: SecretVault
    ) throws -> TargetSettings? {
        try draft.transaction.credential(.targetSecret, key: TargetSettings.key(of: target.number))
            .map { try TargetSettings($0, of: target.number, openedBy: vault) }
    }

    private func removeTarget(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let target = try await coordinator.edit(by: context.author) { directory, draft in
            let target = try namedTarget(context, in: directory)
            draft.edits = directory.removal(of: target.number)
            return target
        }
        dispatcher.follow(target.number)
        return .noContent
    }

    private func rotateSecret(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        var query = Query(request)
        let hours = query.integer("hours", in: 0...720).map { Double($0) } ?? TargetSettings.rotationHours
        try query.finish()
        let (vault, now) = (vault, configuration.now())
        let secret = try await coordinator.edit(by: context.author) { directory, draft in
            let target = try namedTarget(context, in: directory)
            guard target.kind == .webhook, var settings = try Self.settings(of: target, in: draft, openedBy: vault)
            else { throw Problem.conflict("Only webhooks have secrets.") }
            let secret = settings.rotate(at: now, keepingHours: hours)
            draft.edits = [.putTarget(target)]
            draft.credentials = [settings.credential(of: target.number, sealedBy: vault, at: now)]
            return secret
        }
        return .json { writer in
            writer.beginObject()
            writer.member("secret", secret.text)
            writer.member("formerGoodUntil", now.advanced(bySeconds: hours * 3600))
            writer.endObject()
        }
    }

    private func sendTest(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let target = try namedTarget(context, in: coordinator.directory)
        let amazon = configuration.amazon
        let event = Event(
            id: UUID().uuidString.lowercased(), source: "muster", detailType: "Muster Test", account: amazon.account,
            time: configuration.now(), region: amazon.region,
            resources: ["arn:aws:muster:\(amazon.region):\(amazon.account):target/\(target.name)"],
            detail: .object([
                .init("Target", .string(target.name)), .init("Message", .string("A test, sent by hand.")),
            ]))
        let body = event.envelope.json
        let now = configuration.now()
        try await coordinator.edit(by: context.author) { _, draft in
            draft.addAction(.testSent, label: target.name)
            try draft.transaction.put(
                NewDelivery(
                    target: target.number, subject: .nobody, rule: "test", event: event.id, body: body, createdAt: now))
        }
        dispatcher.announce()
        return .json(.accepted) { writer in
            writer.beginObject()
            writer.member("event", event.id)
            writer.endObject()
        }
    }
}

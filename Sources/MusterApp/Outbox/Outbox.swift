import Foundation
import MusterKit
import MusterReplication
import MusterWire
import Observation

/// The orders that the server does not have yet. Each is in the store of MusterKit, sealed with it, before it is
/// sent, and stays there until the server has answered it: no kill, no empty battery and no lost connection loses
/// one, and none counts twice.
///
/// Where the store takes nothing, as on a full disk, an order is sent from memory all the same.
@MainActor @Observable final class Outbox {
    /// What waits, and the last few that are over, in the order in which they were said.
    private(set) var deliveries: [Delivery] = [] {
        didSet { noteChange() }
    }

    @ObservationIgnored private let user: String
    @ObservationIgnored let server: ServerClient
    @ObservationIgnored private let store: LocalStore
    @ObservationIgnored let pacing: ReplicationPacing
    @ObservationIgnored let wording: Wording
    @ObservationIgnored private let processTime: any ProcessTime
    @ObservationIgnored private var failures = 0
    /// How often each order that waits was tried in vain by this process.
    @ObservationIgnored private var attempts: [Order.ID: Int] = [:]
    /// Those who wait for orders to be over.
    @ObservationIgnored var settling: [UUID: AsyncStream<Void>.Continuation] = [:]
    @ObservationIgnored private var storing: Task<Bool, Never>?
    @ObservationIgnored private var sleeping: Task<Void, Never>?
    @ObservationIgnored private var isRestored = false
    @ObservationIgnored private var isWoken = false
    /// Called with an order that came too late to change anything.
    @ObservationIgnored var onLate: (Order) async -> Void = { _ in }
    /// Called when the server refuses the credentials; returns whether there are others now.
    @ObservationIgnored var onRefused: () async -> Bool = { false }

    /// The id of the note in the store.
    private static let note = "app.outbox"
    /// The largest number of orders that wait. A call for help is taken all the same.
    static let limit = 1_000
    /// How many that are over stay listed.
    private static let overLimit = 4
    private static let longestDelaySeconds = 10.0
    /// Seconds until the next attempt where the server refuses the credentials: each one counts against the person's
    /// password at the server, so that only a sign-in, a new network or the person begins another.
    static let refusedDelaySeconds = 900.0
    /// How many orders are tried in one round of attempts that fail.
    private static let failureLimit = 3

    init(
        user: String, _ server: ServerClient, store: LocalStore, pacing: ReplicationPacing, wording: Wording,
        processTime: any ProcessTime = NoProcessTime()
    ) {
        self.user = user
        self.server = server
        self.store = store
        self.pacing = pacing
        self.wording = wording
        self.processTime = processTime
    }

    /// What the server does not have yet.
    var waiting: [Delivery] { deliveries.filter { !$0.isOver } }

    /// The present time by the phone's clock, also while nothing ticks.
    var phoneNow: Date { pacing.now().date }

    /// The present time of the server, as far as the phone knows it.
    var serverNow: Date { phoneNow.addingTimeInterval(wording.serverAheadSeconds) }

    /// Takes up what an earlier run of the app left. What was said meanwhile comes after it.
    ///
    /// While the store cannot be read, as before the first unlock after a restart of the phone, nothing is taken up and
    /// nothing is stored over it.
    func restore() async {
        guard !isRestored else { return }
        var kept: Kept?
        do {
            kept = try await store.storedValue(of: Self.note, as: Kept.self)
        } catch LocalStoreError.unreadable {
            // Damaged: nothing of it can be sent.
        } catch {
            return
        }
        guard !isRestored else { return }
        isRestored = true
        guard let kept, kept.user == user else { return }
        let known = Set(deliveries.map(\.id))
        let earlier = kept.orders.filter { !known.contains($0.id) }
        deliveries = earlier.map { Delivery(order: $0, state: waitState(of: $0), at: serverNow) } + deliveries
        holdProcess()
    }

    /// Takes an order, and sends it once it is due. It is on the phone's disk when this returns, unless the delivery
    /// says otherwise.
    ///
    /// - Parameter dueInSeconds: how long it is counted down before it is sent; nil to send it at once.
    /// - Returns: its id; nil if too much waits already.
    @discardableResult
    func add(_ kind: Order.Kind, dueInSeconds: Double? = nil) async -> Order.ID? {
        await restore()
        var order = Order(
            kind, saidAt: serverNow, dueAt: dueInSeconds.map { phoneNow.addingTimeInterval($0) },
            countdownSeconds: dueInSeconds)
        if !wording.knowsServerTime { order.isTimedByPhone = true }
        guard waiting.count < Self.limit || order.turnsCall else { return nil }
        // Of check-ins that wait the newest says all.
        if case .checkIn = kind { deliveries.removeAll { $0.order.kind == kind && !$0.isOver && $0.state != .sending } }
        deliveries.append(Delivery(order: order, state: waitState(of: order), at: serverNow))
        holdProcess()
        let isKept = await keep()
        update(order.id) { $0.isUnkept = !isKept }
        hurry()
        return order.id
    }

    /// Forgets an order whose countdown runs.
    ///
    /// - Returns: whether it was not sent, and will not be.
    @discardableResult
    func cancel(_ id: Order.ID) async -> Bool {
        guard let delivery = deliveries.first(where: { $0.id == id }), delivery.state == .counting else { return false }
        end(id, .cancelled)
        await keep()
        return true
    }

    /// Sends an order now that is counted down.
    func sendNow(_ id: Order.ID) async {
        update(id) { delivery in
            delivery.order.dueAt = nil
            if delivery.state == .counting { delivery.state = .sending }
        }
        await keep()
        hurry()
    }

    /// Tries at once: the network may be back.
    func hurry() {
        isWoken = true
        sleeping?.cancel()
        holdProcess()
    }

    /// Sends what is due, until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            isWoken = false
            await restore()
            let delay = await sendWhatIsDue()
            if !isWoken, !Task.isCancelled { await wait(delay) }
        }
    }

    /// Forgets everything, as when a person signs out and leaves nothing behind.
    func erase() async {
        deliveries = []
        await keep()
    }

    // MARK: Sending

    /// Sends what is due. An order that fails holds up no other but those that may not overtake it.
    ///
    /// - Returns: after how many seconds to try again; nil when nothing waits.
    private func sendWhatIsDue() async -> Double? {
        var tried: Set<Order.ID> = []
        while !Task.isCancelled {
            endCountdowns()
            guard tried.count < Self.failureLimit, let next = nextDue(after: tried) else { break }
            do {
                let request = try await timedByServer(next).request(of: user)
                let answer = try await server.send(request.method, request.path, request.body)
                await receive(next, answer.body["late"]?.boolean ?? false, at: answer.body["sequence"]?.integer)
            } catch .refused(let status, _) where next.isDone(byStatus: status) {
                await receive(next, false, at: nil)
            } catch .refused(let status, let reason) {
                await refuse(next, status, reason)
            } catch .cancelled where Task.isCancelled {
                return nil
            } catch {
                if error == .signedOut {
                    update(next.id) { $0.state = .failed(.signInNeeded) }
                    failures += 1
                    return untilNext(await onRefused() ? retrySeconds : Self.refusedDelaySeconds)
                }
                tried.insert(next.id)
                attempts[next.id, default: 0] += 1
                var (reason, after): (String?, Double?)
                if case .away(let text, let seconds) = error { (reason, after) = (text, seconds) }
                update(next.id) { $0.state = .failed(.away(reason: reason)) }
                // The server asks everybody to wait.
                if let after {
                    failures += 1
                    return untilNext(max(retrySeconds, min(60, after)))
                }
            }
        }
        failures = tried.isEmpty ? 0 : failures + 1
        return tried.isEmpty ? untilDueSeconds : untilNext(retrySeconds)
    }

    /// The order to send next: an SOS before other calls and their ends, those before the rest, and of each those first
    /// that were tried least. The server reads in a call when it was said.
    private func nextDue(after tried: Set<Order.ID>) -> Order? {
        var lanes: Set<Order.Lane> = []
        var due: [Order] = []
        for delivery in deliveries where !delivery.isOver && delivery.state != .counting {
            if let lane = delivery.order.lane, !lanes.insert(lane).inserted { continue }
            if !tried.contains(delivery.id) { due.append(delivery.order) }
        }
        func rank(_ order: Order) -> (Int, Int) {
            (order.isSOS ? 0 : order.turnsCall ? 1 : 2, attempts[order.id] ?? 0)
        }
        return due.min { rank($0) < rank($1) }
    }

    private var retrySeconds: Double {
        min(Self.longestDelaySeconds, pacing.delaySeconds(afterFailures: max(1, failures)))
    }

    private func untilNext(_ seconds: Double) -> Double { min(seconds, untilDueSeconds ?? .infinity) }

    private func receive(_ order: Order, _ isLate: Bool, at sequence: Int64?) async {
        update(order.id) { $0.sequence = sequence }
        end(order.id, .received(isLate: isLate))
        if isLate { await onLate(order) }
        await keep()
    }

    private func refuse(_ order: Order, _ status: Int, _ reason: String) async {
        if order.mayCountAsOfArrival, status != 403, status != 404 {
            // The server may not believe this phone's clock. A call for help is not lost to that.
            update(order.id) { $0.order.saidAt = nil }
        } else {
            end(order.id, .refused(reason.hasPrefix("/sampleTime") ? .time : .said(reason)))
        }
        await keep()
    }

    private func endCountdowns() {
        for delivery in deliveries where delivery.state == .counting {
            let state = waitState(of: delivery.order)
            guard state != .counting else { continue }
            update(delivery.id) { $0.state = self.failures > 0 ? .failed(.away(reason: nil)) : .sending }
        }
    }

    private var untilDueSeconds: Double? {
        let dues = deliveries.filter { $0.state == .counting }.compactMap(\.order.dueAt)
        return dues.min().map { max(0, $0.timeIntervalSince(phoneNow)) }
    }

    private func waitState(of order: Order) -> Delivery.State {
        guard let dueAt = order.dueAt else { return .sending }
        let left = dueAt.timeIntervalSince(phoneNow)
        // More than its length is left only where the phone's clock was set back: waiting would take hours.
        return left > 0 && left <= order.countdownSeconds ?? SafetyModel.countdownSeconds ? .counting : .sending
    }

    // MARK: Pieces

    /// Asks the system to let the process run while something waits.
    private func holdProcess() { if !waiting.isEmpty { processTime.hold() } }

    private func noteChange() {
        if waiting.isEmpty { processTime.release() }
        for waiter in settling.values { waiter.yield() }
    }

    func update(_ id: Order.ID, _ change: (inout Delivery) -> Void) {
        guard let place = deliveries.firstIndex(where: { $0.id == id }) else { return }
        var delivery = deliveries[place]
        change(&delivery)
        if delivery != deliveries[place] { deliveries[place] = delivery }
    }

    private func end(_ id: Order.ID, _ state: Delivery.State) {
        attempts[id] = nil
        update(id) { delivery in
            delivery.state = state
            delivery.at = self.serverNow
        }
        var surplus = deliveries.count(where: \.isOver) - Self.overLimit
        deliveries.removeAll { delivery in
            guard surplus > 0, delivery.isOver else { return false }
            surplus -= 1
            return true
        }
    }

    /// What the store has of the outbox.
    private struct Kept: Codable {
        var user: String
        var orders: [Order]
    }

    /// Stores what waits. Of several calls at once, each waits for a transaction that began after it.
    @discardableResult
    func keep() async -> Bool {
        guard isRestored else { return false }
        let before = storing
        let task = Task {
            _ = await before?.value
            let kept = Kept(user: user, orders: waiting.map(\.order))
            do {
                try await store.storeValue(kept, note: Self.note)
                return true
            } catch {
                return false
            }
        }
        storing = task
        return await task.value
    }

    private func wait(_ seconds: Double?) async {
        let pacing = pacing
        let sleep = Task { _ = try? await pacing.sleep(seconds ?? 3600) }
        sleeping = sleep
        await withTaskCancellationHandler {
            await sleep.value
        } onCancel: {
            sleep.cancel()
        }
        sleeping = nil
    }
}

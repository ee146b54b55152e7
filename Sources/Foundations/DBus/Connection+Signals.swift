import EventLoop

/// A subscription to signals.
struct SignalSubscription {
    let rule: MatchRule
    /// Whether the match rule was sent and not refused.
    var isMatched = false
    let deliver: @EventLoopActor (Message) -> Void
    let finish: @EventLoopActor () -> Void
}

/// A well-known name whose owner is tracked, so that other senders' signals can be told apart.
struct TrackedOwner {
    var unique: BusName?
    var users: Int
    let subscription: UInt64
}

extension Connection {
    /// The signals that match a rule, whether broadcast or sent to this connection.
    ///
    /// Signals are kept until they are taken. The sequence ends with the connection. When it is no longer iterated or
    /// referenced, the match rule is removed.
    public func signals(_ rule: MatchRule) async throws -> AsyncStream<Message> {
        let (stream, continuation) = AsyncStream.makeStream(of: Message.self)
        let id = subscribe(rule, deliver: { continuation.yield($0) }, finish: { continuation.finish() })
        continuation.onTermination = { [self] _ in
            EventLoopActor.execute { [self] in unsubscribe(id) }
        }
        trackSender(of: rule)
        subscriptions[id]?.isMatched = true
        do {
            _ = try await callBus("AddMatch", [.string(rule.text)])
        } catch {
            subscriptions[id]?.isMatched = false
            throw error
        }
        return stream
    }

    /// Calls `deliver`, on the loop, with every signal that matches a rule, in order with other messages, as long as
    /// the connection lives; calls `finish` when it ends.
    public func listen(
        _ rule: MatchRule, finish: @escaping @EventLoopActor () -> Void = {},
        _ deliver: @escaping @EventLoopActor (Message) -> Void
    ) async throws {
        let id = subscribe(rule, deliver: deliver, finish: finish)
        trackSender(of: rule)
        do {
            _ = try await callBus("AddMatch", [.string(rule.text)])
            subscriptions[id]?.isMatched = true
        } catch {
            unsubscribe(id)
            throw error
        }
    }

    /// Delivers a signal to its subscribers.
    func distribute(_ header: Message, _ message: borrowing WireMessage) {
        let interested = subscriptions.values.filter { $0.rule.matches(header, owner: owner(of: $0.rule)) }
        guard !interested.isEmpty,
            let body = try? message.body(within: .answer, of: "a signal")
        else { return }
        var signal = header
        signal.body = body
        for subscription in interested where subscription.rule.matches(body) {
            subscription.deliver(signal)
        }
    }

    private func owner(of rule: MatchRule) -> BusName? {
        rule.sender.flatMap { sender in
            owners[sender].map(\.unique) ?? sender
        }
    }

    private func subscribe(
        _ rule: MatchRule, deliver: @escaping @EventLoopActor (Message) -> Void,
        finish: @escaping @EventLoopActor () -> Void = {}
    ) -> UInt64 {
        lastSubscription += 1
        subscriptions[lastSubscription] = SignalSubscription(rule: rule, deliver: deliver, finish: finish)
        return lastSubscription
    }

    private func unsubscribe(_ id: UInt64) {
        guard let subscription = subscriptions.removeValue(forKey: id) else { return }
        if subscription.isMatched { callBusWithoutReply("RemoveMatch", [.string(subscription.rule.text)]) }
        if let sender = subscription.rule.sender { untrack(sender) }
    }

    /// The signals of a well-known name are those of its owner.
    private func trackSender(of rule: MatchRule) {
        if let sender = rule.sender, sender != .bus, !sender.isUnique { track(sender) }
    }

    /// Tracks the owner of a name. Replies come in order, so the owner is known before the reply to any later call.
    private func track(_ name: BusName) {
        guard owners[name] == nil else {
            owners[name]?.users += 1
            return
        }
        let rule = MatchRule(
            sender: .bus, path: .bus, interface: .bus, member: "NameOwnerChanged",
            arguments: [0: name.rawValue])
        let id = subscribe(rule) { [weak self] signal in
            guard
                let (_, old, new) = try? signal.body.decoded(as: BusText.self, BusText.self, BusText.self)
            else { return }
            if let former = BusName(old) { self?.recordFormerOwner(former, of: name) }
            self?.owners[name]?.unique = BusName(new)
        }
        owners[name] = TrackedOwner(users: 1, subscription: id)
        callBusWithoutReply("AddMatch", [.string(rule.text)])
        subscriptions[id]?.isMatched = true
        askBus("GetNameOwner", [.string(name.rawValue)]) { [weak self] reply in
            // An error means that the name has no owner yet.
            let owner = try? reply.get().decoded(as: BusText.self)
            self?.owners[name]?.unique = owner.flatMap { BusName($0) }
        }
    }

    /// Well-known names that are tracked because they were called.
    private static let calledNamesLimit = 16

    /// Ensures that a well-known name's owner is known when the reply to the next call comes.
    func followOwner(ofCalled name: BusName) {
        guard name != .bus, !name.isUnique else { return }
        if let index = calledNames.firstIndex(of: name) {
            calledNames.append(calledNames.remove(at: index))
            return
        }
        track(name)
        if calledNames.count >= Self.calledNamesLimit,
            let index = calledNames.firstIndex(where: { !hasPendingCalls(to: $0) })
        {
            untrack(calledNames.remove(at: index))
        }
        calledNames.append(name)
    }

    private func untrack(_ name: BusName) {
        owners[name]?.users -= 1
        guard let owner = owners[name], owner.users == 0 else { return }
        owners[name] = nil
        unsubscribe(owner.subscription)
    }
}

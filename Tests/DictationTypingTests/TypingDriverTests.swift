import EventLoop
import Testing
import Typing
import TypingRoutes

@testable import DictationTyping

/// The choice of a route, and the outcome of text when a route is lost.
@Suite(.timeLimit(.minutes(1))) @EventLoopActor struct TypingDriverTests {
    private func driver(_ routes: [ScriptedRoute]) -> TypingDriver {
        TypingDriver(routes: routes, fieldTimeout: .milliseconds(20)) { _ in }
    }

    @Test func firstRouteWithAFieldIsUsed() async throws {
        let routes = [
            ScriptedRoute("broken", field: .entry("a"), failure: "It is broken."), ScriptedRoute("blind"),
            ScriptedRoute("good", field: .entry("b")), ScriptedRoute("unused", field: .entry("c")),
        ]
        let driver = driver(routes)
        let opened = try await driver.open()
        #expect(opened.name == "good")
        #expect(opened.failures.description == "broken: It is broken.")
        #expect(driver.field?.id == "b")
        #expect(routes.map(\.opens) == [1, 1, 1, 0])
        #expect(routes.map(\.isOpen) == [false, false, true, false])
        _ = await driver.close()
        #expect(!routes[2].isOpen)
    }

    @Test func firstWorkingRouteIsUsedWhereNoneHasAField() async throws {
        let routes = [ScriptedRoute("broken", failure: "No."), ScriptedRoute("one"), ScriptedRoute("two")]
        let driver = driver(routes)
        #expect(try await driver.open().name == "one")
        #expect(routes.map(\.opens) == [1, 2, 1])
        #expect(routes.map(\.isOpen) == [false, true, false])
        // The field comes later.
        driver.begin()
        routes[1].send(.field(.entry("a")))
        driver.type(.final(block: 1, text: "hello", hasInitialCapital: false))
        #expect(routes[1].texts == ["hello"])
        routes[1].send(.committed(token: 1, .unknown))
        #expect(await driver.close() == [])
    }

    @Test func aRouteThatReportsEveryFieldNeedsNone() async throws {
        let routes = [
            ScriptedRoute("all", reportsEveryField: true), ScriptedRoute("unused", field: .entry("a")),
        ]
        let driver = driver(routes)
        #expect(try await driver.open().name == "all")
        #expect(routes.map(\.opens) == [1, 0])
        _ = await driver.close()
    }

    /// A route that is closed while it types would cut the text.
    @Test func aSuspensionWaitsUntilTheTextIsTyped() async throws {
        let route = ScriptedRoute("one", field: .entry("a"))
        let driver = driver([route])
        _ = try await driver.open()
        driver.begin()
        driver.type(.final(block: 1, text: "hello", hasInitialCapital: false))
        async let suspension: Void = driver.suspend()
        // Longer than a route takes to close.
        await withCheckedContinuation { done in
            EventLoopActor.schedule(after: .milliseconds(1200)) { done.resume() }
        }
        #expect(route.isOpen)
        route.send(.committed(token: 1, .arrived))
        await suspension
        #expect(!route.isOpen)
        #expect(await driver.close() == [])
    }

    /// The route does not report any more what it typed.
    @Test func aTextThatIsBeingTypedAtTheEndIsDoubtful() async throws {
        let route = ScriptedRoute("one", field: .entry("a"))
        let driver = driver([route])
        _ = try await driver.open()
        driver.begin()
        driver.type(.final(block: 1, text: "hello", hasInitialCapital: false))
        #expect(driver.abandon().map(\.state) == [.doubtful])
        #expect(await driver.close().map(\.state) == [.doubtful])
    }

    @Test func aProgramGetsNoFieldThatHasLostTheFocus() async throws {
        let route = ScriptedRoute("one", field: .entry("a"))
        let driver = driver([route])
        _ = try await driver.open()
        route.send(.field(nil))
        #expect(!driver.beginField())
        var secret = TextField.entry("b")
        secret.purpose = .password
        route.send(.field(secret))
        #expect(!driver.beginField())
        route.send(.field(.entry("c")))
        #expect(driver.beginField())
        _ = await driver.close()
    }

    @Test func onlyRouteStaysOpenWithoutAField() async throws {
        let route = ScriptedRoute("one")
        #expect(try await driver([route]).open().name == "one")
        #expect(route.opens == 1 && route.isOpen)
    }

    /// A block that is split off is for the field before.
    @Test func theSessionLearnsOfASecretFieldBetweenTheBlocks() async throws {
        var secret = TextField.entry("b")
        secret.purpose = .password
        let route = ScriptedRoute("one", field: secret)
        let driver = driver([route])
        _ = try await driver.open()
        var calls: [String] = []
        driver.begin {
            calls.append("commit")
        } secretFieldChanged: {
            calls.append($0 ? "secret" : "open")
        }
        #expect(calls == ["secret"])
        route.send(.field(.entry("a")))
        #expect(calls == ["secret", "open", "commit"])
        route.send(.field(nil))
        route.send(.field(secret))
        #expect(calls == ["secret", "open", "commit", "commit", "secret"])
        driver.end()
        route.send(.field(.entry("a")))
        #expect(calls.count == 5)
        _ = await driver.close()
    }

    @Test(arguments: ["one a 1", "one a 2", "other a 1", ""])
    func aRestoredBlockIsTypedOnlyIntoTheFieldThatHasNotLostTheFocus(name: String) async throws {
        let route = ScriptedRoute("one", field: .entry("a"))
        let driver = driver([route])
        _ = try await driver.open()
        let isHome = name == "one a 1"
        #expect(driver.hasFocus(name) == isHome)
        var homes: [TypingDriver.Home] = []
        driver.begin(restoring: .init(block: 3, field: name)) {
        } homeChanged: {
            homes.append($0)
        }
        #expect(homes == [.init(block: isHome ? 3 : 4, field: "one a 1")])
        driver.type(.final(block: 3, text: "hello", hasInitialCapital: false))
        #expect(route.texts == (isHome ? ["hello"] : []))
        route.send(.committed(token: 1, .arrived))
        driver.type(.final(block: 4, text: "here", hasInitialCapital: false))
        #expect(route.texts.last?.hasSuffix("here") == true)
        route.send(.committed(token: 2, .arrived))
        route.send(.committed(token: 1, .arrived))
        #expect(await driver.close().map(\.state) == (isHome ? [] : [.kept(.restarted)]))
    }

    @Test func textThatIsNotHereCanBeTakenBackLater() async throws {
        let route = ScriptedRoute("one", field: Self.deletable(""))
        let driver = driver([route])
        _ = try await driver.open()
        driver.begin()
        driver.type(.final(block: 1, text: "hello", hasInitialCapital: false))
        route.send(.committed(token: 1, .arrived))
        let full = Self.deletable(try #require(route.texts.last))
        route.send(.field(full))
        driver.end()
        route.send(.field(nil))
        #expect(await driver.takeBackLast() == .notHere)
        #expect(driver.hasTypedText)
        route.send(.field(full))
        async let problem = driver.takeBackLast()
        while route.actions.last != .delete(5) { await Task.yield() }
        route.send(.field(Self.deletable("")))
        #expect(await problem == nil)
        #expect(!driver.hasTypedText)
        _ = await driver.close()
    }

    private static func deletable(_ text: String) -> TextField {
        TextField(
            id: "a", visit: 1, surrounding: SurroundingText(text, cursor: text.unicodeScalars.count),
            abilities: [.commitReports, .deletion])
    }

    @Test func routeThatIsLostAtOnceIsNotUsed() async throws {
        let routes = [ScriptedRoute("lost", field: .entry("a"), loss: "It has gone."), ScriptedRoute("good")]
        let driver = driver(routes)
        let opened = try await driver.open()
        #expect(opened.name == "good")
        #expect(opened.failures.description == "lost: It has gone.")
        #expect(driver.field == nil)
    }

    @Test func secondRouteIsUsedWhereTheFirstCannotBeOpenedAgain() async throws {
        let (first, second) = (ScriptedRoute("first"), ScriptedRoute("second"))
        let driver = TypingDriver(routes: [first, second], fieldTimeout: .milliseconds(20)) { _ in }
        async let opened = driver.open()
        while first.opens == 0 || first.isOpen { await Task.yield() }
        first.failure = RouteError("It has gone.")
        let (name, failures) = try await opened
        #expect(name == "second")
        #expect(failures.description == "first: It has gone.")
    }

    @Test func withoutAnyRouteAllReasonsAreTold() async throws {
        let failed = [ScriptedRoute("one", failure: "No."), ScriptedRoute("two", failure: "Never.")]
        await #expect {
            _ = try await driver(failed).open()
        } throws: {
            "\($0)" == "one: No.\ntwo: Never."
        }
        await #expect {
            _ = try await driver([]).open()
        } throws: {
            "\($0)" == "Typing is not possible here."
        }
    }

    @Test func textIsKeptWhenTheRouteIsLost() async throws {
        let route = ScriptedRoute("one", field: .entry("a"))
        let lost = Lost()
        let driver = TypingDriver(routes: [route]) { report in
            if case .lost(let error) = report { lost.errors.append(error) }
        }
        _ = try await driver.open()
        driver.begin()
        driver.type(.partial(block: 1, offset: 0, stable: "", volatile: "hel"))
        route.send(.lost(RouteError("It has gone.")))
        driver.type(.final(block: 1, text: "hello", hasInitialCapital: false))
        #expect(lost.errors == [RouteError("It has gone.")])
        #expect(route.texts.isEmpty)
        #expect(await driver.close().map(\.text) == ["hello"])
    }

    /// A route that is lost reports no commits.
    @Test func textThatIsTypedWhenTheRouteIsLostCanBeRead() async throws {
        let route = ScriptedRoute("one", field: .entry("a"))
        let driver = driver([route])
        _ = try await driver.open()
        driver.begin()
        driver.type(.final(block: 1, text: "hello", hasInitialCapital: false))
        #expect(route.texts == ["hello"])
        route.send(.lost(RouteError("It has gone.")))
        let kept = await driver.close()
        #expect(kept.map(\.text) == ["hello"])
        #expect(kept.map(\.state) == [.doubtful])
    }

    @Test func textWithoutAFinalTextCanBeRead() async throws {
        let route = ScriptedRoute("one", field: .entry("a"))
        let driver = driver([route])
        _ = try await driver.open()
        driver.begin()
        driver.type(.partial(block: 1, offset: 0, stable: "hello ", volatile: "wor"))
        driver.end()
        let kept = await driver.close()
        #expect(kept.map(\.text) == ["hello wor"])
        #expect(kept.map(\.state) == [.kept(.unfinished)])
        #expect(route.texts.isEmpty)
    }

    /// Wayland drops a commit whose field loses the focus before the compositor reads it, and does not report that.
    @Test func textThatIsTypedWhileTheFocusMovesCanBeRead() async throws {
        let route = ScriptedRoute("one", field: TextField(id: "a", visit: 1))
        let driver = TypingDriver(routes: [route]) { _ in }
        _ = try await driver.open()
        driver.begin()
        driver.type(.final(block: 1, text: "hello", hasInitialCapital: false))
        #expect(route.texts == ["hello"])
        route.send(.field(TextField(id: "b", visit: 2)))
        let kept = await driver.close()
        #expect(kept.map(\.text) == ["hello"])
        #expect(kept.map(\.state) == [.doubtful])
        #expect(route.texts == ["hello"])
    }

    @EventLoopActor private final class Lost {
        var errors: [RouteError] = []
    }
}
